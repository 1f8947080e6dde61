"""Transcripts: text in which each message begins with who speaks, as in `User: Hello`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..imported import UnreadableError
from .lines import Line, begins_chat, is_notice, is_placeholder, may_be_a_name, named
from .pastes import MARK, unpasted
from .speakers import Speakers, role_of

_RULES = "-=*_~"
_WORDS = ("conversation", "session", "dialogue", "dialog", "chat", "transcript")
_OF_TURNS = ("turn", "round", "step", "message", "exchange", "runde", "tour", "turno")
"""Words before a number that parts the turns of one conversation."""
_AROUND = "#=-*_~<>[] \t"
_NUMBERED = re.compile(r"[\w.:#-]{0,40}\d[\w.:-]{0,40}(?: \(.{1,40}\)| of \d{1,6}| - .{1,40})?")
_PLAIN_TIME = re.compile(r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?[\])]?")
_EDGE = re.compile(
    rf"(?:begin|beginning|start|end)(?: of)? (?:the |this )?(?:{'|'.join(_WORDS)})", re.IGNORECASE
)
"""The words of a line before or after a conversation: `End of chat`."""
_HEADING = re.compile(
    rf"{_EDGE.pattern}|(?:{'|'.join(_WORDS)})[ _-](?:begin|start|end)s?(?:[ :]{{1,3}}.{{1,60}})?"
    rf"|(?:{'|'.join(_WORDS)})(?:(?:[ _#-]{{1,3}})(?:id|no\.|nr\.|number))?(?:[ _#-]{{1,3}}(?P<name>[^:]{{1,80}})|:[ ]?(?P<word>\S{{1,80}}))?:?",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?P<words>[^\d\n:#]{0,40}+)(?P<name>[:#]?[^\d\n:#]{0,9}+\d[\w-]{0,30}+[ \t.)\]=:-]{0,8}+)"
)
"""A number in its own line, or words and a number: `Ticket #12`, `ID: a-12`. It begins a conversation where it begins the text."""
_CUE = re.compile(r"^(?:\d{1,6}[ \t]{0,4}\r?\n)?\d{1,2}:\d{2}[\d:.,]{0,12} --> .{0,80}$", re.MULTILINE)
"""The times of subtitles, and their number."""
_TURN = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>)(?P<role>\w{1,20})(?:<\|end_header_id\|>)?"
    r"|<\|(?P<tag>system|user|assistant|tool)\|>|[ ]?\[(?P<end>/?)INST\]"
)
"""The tag before a message in the chat templates of language models: ChatML, Llama, Gemma, Zephyr and Mistral."""
_TURN_END = re.compile(
    r"<\|(?:im_end|eot_id|begin_of_text|end_of_text|endoftext|end)\|>|<end_of_turn>| ?</?s>|<[be]os>"
)
_LINE_APP = "[LINE]"
"""The begin of what the messenger LINE exports: times and names below dates."""
_OF_LINE_APP = re.compile(
    r"\[LINE\].{1,90}|[^\t:]{4,20}: ?\d[\d/., :APM]{8,24}|(?:[^\W\d_]{2,9}, ?)?\d{1,4}[/.]\d{1,2}[/.]\d{2,4}[^\t\d]{0,14}"
)
_LONGEST_HEADING = 120
_ENOUGH = 2
_LOOKED_AT = 200
_BEGINNING = 100


@dataclass
class Transcript:
    """One conversation of a text, with the line of its first message. `before` counts lines ahead of its first message."""

    line: int
    name: str | None = None
    lines: list[Line] = field(default_factory=list)
    before: int = 0
    parted: int | None = None
    """The line of dashes, or of a heading, before it."""
    notices: int = 0
    """Lines with a time that nobody says."""


def is_transcript(text: str, roles: Mapping[str, str], *, from_the_start: bool = True) -> bool:
    """Return whether messages begin with somebody's name, the first line's among them or not: with names of roles, or with a
    name that comes again while others come as well."""
    return _speaks(_prepared(text, roles), roles, from_the_start=from_the_start)


def _prepared(text: str, roles: Mapping[str, str]) -> str:
    """Return a text with names before its messages, where a model's tags or a messenger's headers stand there."""
    text = _without_tags(text)
    return text if _speaks(text, roles, from_the_start=True) else unpasted(text)


def _speaks(text: str, roles: Mapping[str, str], *, from_the_start: bool) -> bool:
    from_the_start = from_the_start and not text.startswith(_LINE_APP)
    known, names = 0, Counter[str]()
    for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        said = spoken(line, roles)
        if said is not None and said.is_likely:
            known += said.role is not None
            names[said.name] += 1
        elif from_the_start and not names and line.strip() and not _stands_before(line, said):
            return False
        if known >= _ENOUGH:
            return True
    return len(names) >= _ENOUGH and (known > 0 or max(names.values()) > 1)


def is_template(text: str) -> bool:
    """Return whether a text begins with a tag of a model's chat template."""
    return _TURN.match(_TURN_END.sub("", text[:_BEGINNING]).lstrip()) is not None


def _without_tags(text: str) -> str:
    """Return a text in a chat template with `user:` and `assistant:` for its tags; any other text as it is."""
    if not is_template(text):
        return text
    text = _TURN_END.sub("", text)

    def name(found: re.Match[str]) -> str:
        breaks = "" if found.string[max(found.start() - 1, 0) : found.start()] in ("", "\n") else "\n"
        role = found["role"] or found["tag"] or ("assistant" if found["end"] else "user")
        return f"{breaks}{role}:"

    return _TURN.sub(name, text)


def _stands_before(line: str, said: Line | None) -> bool:
    """Return whether a line may stand before the first message: dashes, a heading, words of a program."""
    return _is_rule(line) or heading_in(line) is not None or is_notice(line, said)


def _is_rule(line: str) -> bool:
    plain = line.replace(" ", "").strip()
    return len(plain) >= 3 and plain[0] in _RULES and plain == plain[0] * len(plain)


def heading_in(line: str) -> str | None:
    """The name in a heading such as `# Conversation 12:`, empty where it has none; None for any other line."""
    plain = line.strip().strip(_AROUND)
    if len(plain) > _LONGEST_HEADING:
        return None
    found = _HEADING.fullmatch(plain)
    if found is not None:
        return (found["name"] or found["word"] or "").strip(" #")
    ends = line.lstrip().startswith("#") and plain.rpartition(" ")[2].casefold() in _WORDS
    return "" if ends else None


def transcripts(text: str, roles: Mapping[str, str]) -> list[Transcript]:
    """Return every conversation in a text. A line of dashes, or a heading such as `Conversation 12`, begins the next one; so does a
    number in its own line, where the text begins with one.

    Raises OptionError where a name that comes again might be a speaker's, and nothing says whose. Raises UnreadableError for lines of
    several sessions, and for dashes that may be part of a message."""
    text = _prepared(text, roles)
    if " --> " in text:
        text = _CUE.sub(lambda found: "\n" * found[0].count("\n"), text)
    speakers = Speakers(roles)
    parts = [*_parted(text, roles)]
    parts = [_as_turns(parts)] if _are_turns(parts) else parts
    made: list[Transcript] = []
    before = 0
    for found in parts:
        lines = found.lines
        _check_sessions(lines)
        found.lines = speakers.with_roles(lines)
        headers = next(
            (at for at, line in enumerate(lines) if found.lines and line is found.lines[0]), len(lines)
        )
        found.before += headers
        before += found.before
        if found.before and not (parts[0].before or parts[0].parted):
            raise UnreadableError(
                f"after the dashes or the heading of line {found.parted} stands text without a speaker. If it belongs to the message before, "
                "delete that line. If a conversation begins, begin the text with such a line too"
            )
        if found.lines:
            found.before, before = before, 0
            made.append(found)
    if made:
        made[-1].before += before
    return made


def _check_sessions(lines: Sequence[Line]) -> None:
    """Raise UnreadableError where lines of a log name several conversations, or threads of a program: nobody knows which."""
    sessions = list(dict.fromkeys(line.session for line in lines if line.session and line.is_likely))
    if len(sessions) > 1:
        raise UnreadableError(
            f"its lines name [{sessions[0]}], [{sessions[1]}] before the speakers. If these are conversations, sort the lines by "
            "them, and write a line of dashes (---) between two conversations. If they are not, delete them"
        )


def _are_turns(parts: Sequence[Transcript]) -> bool:
    """Return whether dashes part the messages of one conversation: one message between two of them, by the user and another in
    turn."""
    roles = [[line.role for line in part.lines if line.role] for part in parts]
    alone = all(len(held) == 1 for held in roles) and all(part.parted and not part.name for part in parts[1:])
    return alone and any(one != other for one, other in pairwise(roles))


def _as_turns(parts: Sequence[Transcript]) -> Transcript:
    first, *others = parts
    first.lines += [line for part in others for line in part.lines]
    first.notices += sum(part.notices for part in others)
    return first


def _parted(text: str, roles: Mapping[str, str]) -> Iterator[Transcript]:
    current = Transcript(1)
    first, blank = next(filter(str.strip, _lines(text)), ""), True
    opening = _Opening(first, spoken(first, roles))
    for number, line in enumerate(_lines(text), 1):
        quoted = not opening.quotes and line.lstrip().startswith(">")
        said = None if quoted else spoken(line, roles)
        is_open = said is None or said.role is None
        notice = is_open and not quoted and opening.is_notice(line, said)
        heading = opening.heading_in(line, blank=blank) if is_open and not notice else None
        if notice and begins_chat(line) and current.lines:
            yield current
            current = Transcript(number)
        if notice or (said is not None and is_placeholder(said)):
            current.notices += 1
        elif _is_rule(line) or heading is not None:
            if current.lines:
                yield current
                current = Transcript(number)
            current.name = heading or current.name
            current.parted = number
        elif said is not None:
            current.line = current.line if current.lines else number
            current.lines.append(said)
        elif current.lines:
            current.lines[-1].texts.append(line)
        elif line.strip():
            current.before += 1
        blank = not line.strip()
    if current.lines or current.before:
        yield current


class _Opening:
    """The first line of a text, which says how later lines part conversations and turns."""

    def __init__(self, first: str, said: Line | None) -> None:
        is_open = said is None or said.role is None
        self._number = _OPENER.fullmatch(first.strip(_AROUND)) if is_open else None
        self._is_heading = heading_in(first) is not None and not is_notice(first, said)
        self._is_time = _PLAIN_TIME.fullmatch(first.strip()) is not None
        self._of_line_app = first.startswith(_LINE_APP)
        self.quotes = first.lstrip().startswith(">")

    def heading_in(self, line: str, *, blank: bool) -> str | None:
        """Return the name of the conversation that a line begins, after a blank line or not; None for any other line. Words
        such as `Chat with us` are a heading where the text begins with one, or where signs around them say so."""
        plain = line.strip().strip(_AROUND)
        found = heading_in(line)
        is_marked = line.lstrip()[:1] in "#=[<" or line.lstrip()[:2] in ("**", "__", "--", "~~")
        is_edge = _EDGE.fullmatch(plain)
        if found is not None and (self._is_heading or is_marked or is_edge or _NUMBERED.fullmatch(found)):
            return found
        alone = _OPENER.fullmatch(plain) if self._number and plain else None
        if alone is None or self._number is None or alone["words"] != self._number["words"]:
            return None
        clear = alone["words"].strip() or any(sign in alone["name"].strip(_AROUND + ".") for sign in "-.")
        return alone["name"].strip(" \t#:[](=-.)") if (clear or blank) and not self._of_turns(plain) else None

    def is_notice(self, line: str, said: Line | None) -> bool:
        """Return whether nobody says a line: a program's words, the number or the time of a turn where the text begins with one."""
        number = self._number is not None and self._of_turns(line.strip(_AROUND))
        time = self._is_time and _PLAIN_TIME.fullmatch(line.strip()) is not None
        day = self._of_line_app and _OF_LINE_APP.fullmatch(line.strip()) is not None
        return number or time or day or is_notice(line, said)

    def _of_turns(self, plain: str) -> bool:
        found = _OPENER.fullmatch(plain)
        return found is not None and found["words"].strip().casefold() in _OF_TURNS


def _lines(text: str) -> Iterator[str]:
    """Yield lines one by one: a list of them takes more memory than the text."""
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
        found.is_likely = found.role is not None or line.startswith(MARK) or may_be_a_name(found)
    return found
