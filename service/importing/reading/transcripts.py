"""Transcripts: text in which each message begins with who speaks, as in `User: Hello`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..imported import UnreadableError
from .lines import Line, is_notice, is_placeholder, may_be_a_name, named
from .speakers import Speakers, role_of

_RULES = "-=*_~"
_WORDS = ("conversation", "session", "dialogue", "dialog", "chat", "transcript")
_HEADING = re.compile(
    rf"(?:{'|'.join(_WORDS)})(?:(?:[ _#-]{{1,3}})(?:id|no\.|nr\.|number))?(?:[ _#-]{{1,3}}(?P<name>[^:]{{1,80}})|:[ ]?(?P<word>\S{{1,80}}))?:?",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?P<words>[^\d\n:#]{0,40}+)(?P<name>[:#]?[^\d\n:#]{0,9}+\d[\w-]{0,30}+[ \t.)\]=:-]{0,8}+)"
)
"""A number in a line of its own, or words and a number: `Ticket #12`, `ID: a-12`. It begins a conversation where it begins the text."""
_CUE = re.compile(r"^(?:\d{1,6}[ \t]{0,4}\r?\n)?\d{1,2}:\d{2}[\d:.,]{0,12} --> .{0,80}$", re.MULTILINE)
"""The times of subtitles, and their number."""
_LONGEST_HEADING = 120
_ENOUGH = 2
_LOOKED_AT = 200


@dataclass
class Transcript:
    """One conversation of a text, with the line of its first message. `before` counts lines ahead of its first message."""

    line: int
    name: str | None = None
    lines: list[Line] = field(default_factory=list)
    before: int = 0
    notices: int = 0
    """Lines with a time that nobody says."""


def is_transcript(text: str, roles: Mapping[str, str], *, from_the_start: bool = True) -> bool:
    """Return whether messages begin with somebody's name, the first line's among them or not: with names of roles, or with a
    name that comes again while others come as well."""
    known, names = 0, Counter[str]()
    for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        said = spoken(line, roles)
        if said is not None and said.is_likely:
            known += said.role is not None
            names[said.name] += 1
        elif from_the_start and not names and line.strip() and not _parts(line) and not is_notice(line):
            return False
        if known >= _ENOUGH:
            return True
    return len(names) >= _ENOUGH and (known > 0 or max(names.values()) > 1)


def _parts(line: str) -> bool:
    """Return whether a line parts conversations: dashes, or a heading."""
    return _is_rule(line) or heading_in(line) is not None


def _is_rule(line: str) -> bool:
    plain = line.strip()
    return len(plain) >= 3 and plain[0] in _RULES and plain == plain[0] * len(plain)


def heading_in(line: str) -> str | None:
    """The name in a heading such as `# Conversation 12:`, empty where it has none; None for any other line."""
    plain = line.strip().lstrip("#").strip()
    if len(plain) > _LONGEST_HEADING:
        return None
    found = _HEADING.fullmatch(plain)
    if found is not None:
        return (found["name"] or found["word"] or "").strip(" #")
    ends = line.lstrip().startswith("#") and plain.rpartition(" ")[2].casefold() in _WORDS
    return "" if ends else None


def transcripts(text: str, roles: Mapping[str, str]) -> Iterator[Transcript]:
    """Every conversation in a text. A line of dashes, or a heading such as `Conversation 12`, begins the next one; so does a
    number in a line of its own, where the text begins with one. Raises OptionError where a name that comes again might be a
    speaker's, and nothing says whose, and UnreadableError for lines of several sessions."""
    if " --> " in text:
        text = _CUE.sub(lambda found: "\n" * found[0].count("\n"), text)
    speakers = Speakers(roles)
    before = 0
    for found in _parted(text, roles):
        lines = found.lines
        _check_sessions(lines)
        found.lines = speakers.settled(lines)
        headers = next(
            (at for at, line in enumerate(lines) if found.lines and line is found.lines[0]), len(lines)
        )
        before += found.before + headers
        if found.lines:
            found.before, before = before, 0
            yield found


def _check_sessions(lines: Sequence[Line]) -> None:
    """Raise UnreadableError where lines of a log name several conversations, or threads of a program: nobody knows which."""
    sessions = list(dict.fromkeys(line.session for line in lines if line.session and line.is_likely))
    if len(sessions) > 1:
        raise UnreadableError(
            f"its lines name [{sessions[0]}], [{sessions[1]}] before the speakers. If these are conversations, sort the lines by "
            "them, and write a line of dashes (---) between two conversations. If they are not, delete them"
        )


def _parted(text: str, roles: Mapping[str, str]) -> Iterator[Transcript]:
    current = Transcript(1)
    first, blank = next(filter(str.strip, _lines(text)), ""), True
    opened = spoken(first, roles)
    opener = _OPENER.fullmatch(first) if opened is None or opened.role is None else None
    for number, line in enumerate(_lines(text), 1):
        heading = heading_in(line)
        alone = _OPENER.fullmatch(line) if heading is None and opener and blank else None
        if alone is not None and opener is not None and alone["words"] == opener["words"]:
            heading = alone["name"].strip(" \t#:[](=-.)")
        said = spoken(line, roles) if heading is None else None
        if is_notice(line) if said is None else is_placeholder(said):
            current.notices += 1
        elif said is not None:
            current.line = current.line if current.lines else number
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
        blank = not line.strip()
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
    """The message that may begin in a line; its role is None for a name that may be somebody's. None where nothing stands before
    a colon."""
    found = named(line)
    if found is not None:
        found.role = role_of(found.speaker, roles)
        found.is_likely = found.role is not None or may_be_a_name(found)
    return found
