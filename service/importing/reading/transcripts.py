"""Transcripts: text in which each message begins with who speaks, as in `User: Hello`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..talk.speakers import known

_TIME = re.compile(
    r"[\[(]?(\d{1,4}+[-/.:]\d(?>(?:[\d/.:,+\- ]|T(?=\d)|Z(?![a-z])){0,40})(?:[AaPp][Mm](?![a-z]))?)[\])]?[ \t]{0,8}+[-|\u2013]?"
)
_MARKS = " \t*_#>-•"
_LONGEST_NAME = 40
_RULES = "-=*_~"
_HEADINGS = ("conversation", "session", "dialogue", "dialog", "chat", "transcript")
_LONGEST_HEADING = 120
_ENOUGH = 2
_LOOKED_AT = 200


@dataclass(slots=True)
class Line:
    """A message: who speaks by the name in the text, what is said over one or more lines, and when."""

    speaker: str
    texts: list[str]
    time: str | None = None

    @property
    def text(self) -> str:
        """Return what is said, its lines as they stand."""
        return "\n".join(self.texts).rstrip("\n")


@dataclass
class Transcript:
    """One conversation of a text, with the line it begins in. `before` counts lines ahead of its first message."""

    line: int
    name: str | None = None
    lines: list[Line] = field(default_factory=list)
    before: int = 0


def is_transcript(text: str, roles: Mapping[str, str], *, from_the_start: bool = True) -> bool:
    """Return whether messages begin with somebody's name, the first line's among them or not."""
    found = 0
    for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        if spoken(line, roles) is not None:
            found += 1
        elif from_the_start and not found and line.strip() and not _parts(line):
            return False
        if found >= _ENOUGH:
            return True
    return False


def _parts(line: str) -> bool:
    """Return whether a line parts conversations: dashes, or a heading."""
    return _is_rule(line) or heading_in(line) is not None


def _is_rule(line: str) -> bool:
    plain = line.strip()
    return len(plain) >= 3 and plain[0] in _RULES and plain == plain[0] * len(plain)


def heading_in(line: str) -> str | None:
    """The name in a heading such as `# Conversation 12:`, empty where it has none; None for any other line."""
    plain = line.strip().lstrip("#").strip().removesuffix(":")
    if len(plain) > _LONGEST_HEADING or ":" in plain:
        return None
    word, _, name = plain.partition(" ")
    word, _, number = word.partition("#")
    return f"{number} {name}".strip(" #") if word.casefold() in _HEADINGS else None


def transcripts(text: str, roles: Mapping[str, str]) -> Iterator[Transcript]:
    """Every conversation in a text; a line of dashes, or a heading such as `Conversation 12`, begins the next one."""
    current = Transcript(1)
    for number, line in enumerate(_lines(text), 1):
        heading = heading_in(line)
        said = spoken(line, roles)
        if said is not None:
            current.lines.append(said)
        elif _is_rule(line) or heading is not None:
            if current.lines:
                yield current
                current = Transcript(number)
            current.name = heading or current.name
        elif current.lines:
            current.lines[-1].texts.append(line)
        elif line.strip():
            current.before += 1
    if current.lines:
        yield current


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, one by one: all of them together take more memory than it does."""
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[at:end].removesuffix("\r")
        at = end + 1


def spoken(line: str, roles: Mapping[str, str]) -> Line | None:
    """The message that begins in a line; None where nobody's name stands there."""
    rest = line.lstrip(_MARKS)
    stamp = _TIME.match(rest)
    if stamp:
        rest = rest[stamp.end() :].lstrip(_MARKS)
    name, colon, _ = rest[: _LONGEST_NAME + 8].partition(":")
    plain = name.strip(_MARKS + "[]()")
    if not colon or not (known(plain) or plain.casefold() in roles):
        return None
    said = rest[len(name) + 1 :].lstrip(" \t")
    bold = next((mark for mark in ("**", "__", "*", "_") if f"{mark}{name}:{mark}" in line), "")
    return Line(plain, [said.removeprefix(bold).lstrip(" \t")], stamp[1].strip(" ,-") if stamp else None)
