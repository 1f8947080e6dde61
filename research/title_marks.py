"""Titles that a data set marks by their year, taken out and looked for again.

ReDial's dialogues mark the titles that annotators linked with a year, as in "Name (1999)". The
year, and quotation marks around the mark, are taken out; what `Catalogue.find` then recovers is
counted against what was marked."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from service.catalogue.catalogue import Catalogue, Mention
from service.catalogue.titles import same_title
from service.text.words import split_year

_MARK = re.compile(r"\s*\(((?:18|19|20)\d\d)\)")
_WORD_START = re.compile(r"(?<!\w)(?=\S)")
_LONGEST_TITLE = 120
_RUN = re.compile(
    r"(?:[A-Z0-9&][^\s]*\s+|(?:of|the|and|a|an|in|to|for|with|on|from|at|by)\s+)*[A-Z0-9&][^\s]*$"
)


@dataclass(frozen=True, slots=True)
class Log:
    """A conversation's id and its messages' texts."""

    id: str
    contents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked title in a stripped text; `title` carries the year and is None where no item of the catalogue has it. The start is
    then a guess by capitals."""

    start: int
    end: int
    title: str | None


@dataclass(frozen=True, slots=True)
class Stripped:
    """A message without the years that gave its titles away."""

    text: str
    marks: tuple[Mark, ...]


def strip_marks(content: str, catalogue: Catalogue) -> Stripped:
    """The message as people type it, and where its marked titles stand."""
    out = ""
    marks = []
    at = 0
    for mark in _MARK.finditer(content):
        piece = content[at : mark.start()]
        quoted = piece.rfind('"')
        at = mark.end()
        if quoted >= 0 and content[at : at + 1] == '"' and piece.count('"', 0, quoted) % 2 == 0:
            piece = piece[:quoted] + piece[quoted + 1 :]
            start: int | None = len(out) + quoted
            at += 1
        else:
            start = None
        floor = len(out)
        out += piece
        known = _known_title(
            out, floor if start is None else start, mark[1], catalogue, fixed=start is not None
        )
        if known is not None:
            marks.append(Mark(known[0], len(out), known[1]))
        else:
            run = _RUN.search(out, floor)
            begin = start if start is not None else run.start() if run else max(floor, len(out) - 1)
            marks.append(Mark(begin, len(out), None))
    return Stripped(out + content[at:], tuple(marks))


def _known_title(
    text: str, floor: int, year: str, catalogue: Catalogue, *, fixed: bool
) -> tuple[int, str] | None:
    begin = max(floor, len(text) - _LONGEST_TITLE)
    starts: Iterable[int] = [floor] if fixed else (m.start() for m in _WORD_START.finditer(text, begin))
    for start in starts:
        item = catalogue.get(f"{text[start:]} ({year})")
        if item is not None:
            return start, item.title
    return None


@dataclass(slots=True)
class Counts:
    """Counts of marked and found titles, for a dialogue or for many. `beside` counts mentions that overlap
    no mark, `dateless` those whose title has no year in the catalogue and so could not be marked."""

    messages: int = 0
    marked: int = 0
    known: int = 0
    recovered: int = 0
    found: int = 0
    beside: int = 0
    dateless: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def recall(self) -> float:
        """Of the marked titles that the catalogue holds, the share recovered."""
        return self.recovered / max(1, self.known)

    @property
    def precision(self) -> float:
        """Of the mentions found, the share that overlaps a mark."""
        return (self.found - self.beside) / max(1, self.found)


@dataclass(frozen=True, slots=True)
class Beside:
    """A mention beside any mark, with the key under which a reader's verdict on it is kept."""

    key: str
    context: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A data set's counts, dialogue by dialogue, and the mentions to be read."""

    dialogues: tuple[Counts, ...]
    beside: tuple[Beside, ...]

    @property
    def total(self) -> Counts:
        """All dialogues together."""
        return sum(self.dialogues, Counts())


def judge(stripped: Stripped, mentions: Sequence[Mention]) -> tuple[Counts, list[Mark], list[Mention]]:
    """A message's counts, the titles missed in it and the mentions beside any mark."""
    known = [mark for mark in stripped.marks if mark.title is not None]
    missed = [mark for mark in known if not any(_recovers(mention, mark) for mention in mentions)]
    beside = [m for m in mentions if not any(_overlap(mark, m) for mark in stripped.marks)]
    counts = Counts(
        messages=1,
        marked=len(stripped.marks),
        known=len(known),
        recovered=len(known) - len(missed),
        found=len(mentions),
        beside=len(beside),
        dateless=sum(split_year(mention.item.title)[1] is None for mention in beside),
    )
    return counts, missed, beside


def _recovers(mention: Mention, mark: Mark) -> bool:
    """The same title at the same place; which of several years was meant cannot be told."""
    name = split_year(mark.title or "")[0]
    return _overlap(mark, mention) and same_title(mention.item.title, name, year_optional=True)


def _overlap(mark: Mark, mention: Mention) -> bool:
    return mark.start < mention.end and mention.start < mark.end


def measure(logs: Iterable[Log], catalogue: Catalogue, spell: Callable[[str], str] = str) -> Measured:
    """Finds the titles of every message, with the marks taken out, and counts. `spell` may
    change letters, not their number."""
    dialogues, beside = [], []
    for log in logs:
        counts = Counts()
        for index, content in enumerate(log.contents):
            stripped = strip_marks(content, catalogue)
            more, _, stray = judge(stripped, catalogue.find(spell(stripped.text)))
            counts += more
            beside += [_beside(log.id, index, stripped.text, mention) for mention in stray]
        dialogues.append(counts)
    return Measured(tuple(dialogues), tuple(beside))


def _beside(log: str, index: int, text: str, mention: Mention) -> Beside:
    key = hashlib.sha256(f"{log}\0{index}\0{mention.start}\0{mention.surface}".encode()).hexdigest()[:12]
    before, after = text[max(0, mention.start - 50) : mention.start], text[mention.end : mention.end + 40]
    return Beside(key, f"{before}[[{mention.surface}]]{after} => {mention.item.title}".replace("\n", " / "))


def read_logs(path: Path) -> list[Log]:
    """The logs of a JSON-lines file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Log(row["id"], tuple(message["content"] for message in row["messages"])) for row in rows]


def without_shared(logs: Sequence[Log], others: Sequence[Log]) -> list[Log]:
    """The logs that have no more than one longer sentence in common with any of the others."""
    seen = {line for log in others for line in _sentences(log)}
    return [log for log in logs if len(_sentences(log) & seen) <= 1]


def _sentences(log: Log) -> set[str]:
    lines = (line for content in log.contents for line in re.split(r"\.\.\.|\n", _MARK.sub("", content)))
    words = (" ".join(re.findall(r"\w+", line.lower())) for line in lines)
    return {line for line in words if line.count(" ") >= 5}
