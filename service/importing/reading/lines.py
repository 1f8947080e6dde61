"""Lines of a transcript in which a message may begin: `[10:02] Anna: Hello`."""

import re
from dataclasses import dataclass
from textwrap import dedent

from ..talk.speakers import speaker_by_words
from .pastes import MARK

_DIRECTIONS = "\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
"""Signs without a width that messengers write around names and times."""
_TIME = re.compile(
    rf"\( ?((?:\d{{1,3}}[hms] ){{1,3}})\)|[\[(]?(\d{{1,4}}+[-/.:\u200f年년]{{1,2}} ?\d(?>(?:(?! [-\u2013] )[\d/.:,+\- \u202f،{_DIRECTIONS}]"
    r"|(?<=\d)[年月日년월일]|(?:오[전후]|[上下]午)(?= ?\d)|klo |T(?=\d)|Z(?![a-z])){0,40})(?:[AaPp]\.?[ \u00a0\u202f]?[Mm]\.?(?![a-z]))?"
    r"|(?:[A-Z][a-z]{2,8}\.? \d{1,2}|\d{1,2}\.? [A-Z][a-z]{2,8}\.?),? \d{4},? \d{1,2}:[\d: ]{2,8}(?:[AaPp][Mm])?)[\])]?[ \t]{0,8}+[-|\u2013]?"
)
_CLOCK = re.compile(
    r"[ ,]{1,3}[(\[]?((?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ ,T]{1,2})?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?)[)\]]?\Z"
)
_MARKS = " \t*_#>-•~\u00a0\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u202f\u2066\u2067\u2068\u2069"
_QUOTES = "\"'\u201c\u201e\u2018\u201a\u00ab\u2039"
_DATED = re.compile(
    r"\u200e?\[?\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4},? (?:klo )?\d{1,2}[:.]\d{2}(?::\d{2})?(?:[ \u202f][AaPp]\.?[ \u00a0\u202f]?[Mm]\.?)?(?:\]| -) "
)
_CHAT = r"(?:chat|conversation|session|call|room|channel|queue)"
_WHO = r"[^\W_][\w .'\u2019()@&#-]{0,40}"
_CAME = r"(?:joined|left|entered|rejoined|ended|closed|started|accepted|disconnected(?: from)?)"
_EVENT = re.compile(
    rf"(?:this |the |your |live |der |dieser ){{0,2}}{_CHAT} (?:has |was |is |wurde ){{0,1}}(?:been )?(?:started|ended|closed|finished|transferred|resolved|"
    r"reopened|assigned|accepted|disconnected|timed out|terminated|beendet|gestartet|weitergeleitet)(?:[ :]+\S{1,40}){0,6}"
    rf"|{_WHO} (?:has |have )?{_CAME} (?:the |this |your )?(?:live )?{_CHAT}(?: [#\w-]{{1,40}}|room)?"
    rf"|(?:the |an? )?(?:agent|operator|visitor|customer|user|guest|bot|assistant|advisor)(?: [\w.]{{1,20}})? has {_CAME}"
    rf"|{_WHO} has joined|{_WHO} (?:is|are) typing|{_WHO} schreibt"
    rf"|{_WHO} (?:ist dem chat beigetreten|hat den chat (?:verlassen|beendet)|a (?:rejoint|quitté) (?:le chat|la conversation)|est en train d.écrire"
    r"|se ha unido (?:al chat|a la conversación)|ha (?:abandonado|dejado) (?:el chat|la conversación)|está escribiendo)"
    r"|you (?:are|were) (?:now )?(?:chatting|connected|speaking|talking|disconnected|being (?:connected|transferred))(?: \S{1,40}){0,8}"
    r"|(?:[✓✔]{1,2} ?)?(?:message )?(?:not )?(?:delivered|seen|zugestellt|gelesen)(?:[ ,:]{1,2}(?:at )?[\d:. /apm-]{1,24})?"
    r"|(?:[✓✔]{1,2} ?(?:read|sent)?|(?:read|sent) (?:at )?\d{1,2}:\d{2}(?: ?[ap]m)?)"
    r"|.{0,60}(?:카카오톡 대화|KakaoTalk Chats.{0,60})|(?:저장한 날짜|Date Saved) ?:.{1,40}|.{1,60}님이 (?:들어왔습니다|나갔습니다|.{1,60}초대(?:했|하였)습니다)"
    r"|\d{4}(?:년|\.) \d{1,2}(?:월|\.) \d{1,2}(?:일|\.)(?: .요일| (?:오전|오후) \d{1,2}:\d{2}(?::.{1,90})?)?"
    r"|ChatGPT can make mistakes\b.{0,60}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [A-Z][a-z]{2,8} \d{1,2}, \d{4}",
    re.IGNORECASE,
)
"""Words of a program about a chat: somebody came or went, writes, or got a message."""
_LOOSE = re.compile(rf"(?:[^\W\d_][\w .'-]{{0,40}} )?{_CAME}(?: by {_WHO})?", re.IGNORECASE)
"""Such words between stars or brackets."""
_AROUND = "[](){}*<>-!\u2013\u2014 \t"
_EMOTE = re.compile(r"(?:-?!-|\*{1,3}|-?->|<--) ?(?=\S)")
_PLACEHOLDER = re.compile(
    "\u200e.*|<[^<>]{3,60}>|(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht)\\.?",
    re.DOTALL,
)
_EDITED = re.compile("[ \u200e]{0,3}<This message was edited>\\Z")
_BRACKETED = re.compile(
    r"[<\[][@+%&~]?([^\W\d_][^<>\[\]:/=\n]{0,39})[>\]][ \t]+(?:\[((?:오전 |오후 )?\d{1,2}:\d{2}(?: [AP]M)?)\][ \t]+)?(?=\S)"
)
_SESSION = re.compile(r"\[([\w.:-]{0,60}\d[\w.:-]{0,60})\](?=[^\n]{0,60}?\w)")
_PHONE = re.compile(r"\+?\d[\d ().-]{5,20}\d")
_BULLETS = re.compile(r"[-•>#]|[*_]{1,2}[ \t]|\d{1,4}[.)] ")
_NUMBER = re.compile(r"\d{1,4}[.)] ")
_LONGEST_NAME = 40
_COLON = re.compile("[:\uff1a](?!//)")
_TAG = re.compile(r"[^\s:]{1,30}:(?=\s)")
"""The end of a name with a colon in it: `mistral:7b: Hello`."""
_SIGNS = r"\w\u0300-\u036f\u0900-\u0eff"
"""Letters and digits, with accents and the vowels of India and Thailand, which are no letters for Python."""
_NAME = re.compile(
    rf"@?[^\W\d_][{_SIGNS}.'\u2019@&()/:-]{{0,39}}"
    rf"(?: [^\W_][{_SIGNS}.'\u2019()/-]{{0,30}}| [(&][{_SIGNS}.'\u2019/ -]{{1,30}}\)?){{0,3}}"
)


@dataclass(slots=True)
class Line:
    """A message: who speaks by the name in the text, what is said over one or more lines, and when. `role` is None while
    nobody knows whether the name is a speaker's."""

    speaker: str
    texts: list[str]
    time: str | None = None
    role: str | None = None
    whole: str = ""
    """The line as it stands."""
    session: str | None = None
    """The mark between time and name that a program's log may have: `[chat-77]`."""
    is_likely: bool = True
    """False if the text before the colon is hardly a name: a number, a sign, many words."""

    @property
    def text(self) -> str:
        """Return what is said, its lines as they stand."""
        return _EDITED.sub("", dedent("\n".join(self.texts)).strip("\n"))

    @property
    def name(self) -> str:
        """Return the name, however it is written."""
        return self.speaker.casefold()


def named(line: str) -> Line | None:
    """The line as a message of the speaker that it names; None where it begins with no name and no colon."""
    if line.startswith(MARK):
        _, *marked = line.split(MARK, 3)
        if len(marked) < 3:
            return None
        speaker, when, text = marked
        return Line(speaker, [text], when, whole=f"{speaker}: {text}")
    rest = line.lstrip(_MARKS)
    stamp = _TIME.match(rest)
    if stamp:
        rest = rest[stamp.end() :].lstrip(_MARKS)
    if rest[:1] in _QUOTES + "{":
        return None
    name, time, said = _titled(rest, line) or _parted(rest, timed=stamp is not None)
    session = _SESSION.search(name)
    plain = " ".join((name if session is None else name[session.end() :]).strip(_MARKS + "[]").split())
    number = _NUMBER.match(plain)
    plain = plain[number.end() :] if number else plain
    if not plain or said is None:
        return None
    bold = next((mark for mark in ("**", "__", "*", "_") if f"{mark}{name}:{mark}" in line), "")
    time = stamp[stamp.lastindex or 0].strip(" ,-\u200e\u200f") if stamp else time
    return Line(
        plain, [said.lstrip(" \t").removeprefix(bold).lstrip(" \t")], time, None, line, session and session[1]
    )


def is_notice(line: str, said: Line | None) -> bool:
    """Return whether a program wrote the line: a chat's start or end, someone joining, leaving or typing, a
    date without a speaker. `said` is the line as a message."""
    if line.startswith(MARK):
        return said is None
    plain = line.strip().strip(_DIRECTIONS)
    stamp = _TIME.match(plain)
    rest = plain[stamp.end() :].strip() if stamp else plain
    words = rest.strip(_AROUND).rstrip(" .!\u2026")
    if (
        _EVENT.fullmatch(words)
        or (stamp and _EVENT.fullmatch(plain))
        or (said is None and _DATED.match(line))
    ):
        return True
    marked = stamp is not None and _EMOTE.match(rest) is not None
    return marked or (rest[:1] in "[(*-<" and rest[:2] != "- " and _LOOSE.fullmatch(words) is not None)


def begins_chat(notice: str) -> bool:
    """Return whether a program's line says that a chat begins."""
    return (
        re.search(rf"\b{_CHAT} (?:has |was |wurde )?(?:started|gestartet)", notice, re.IGNORECASE) is not None
    )


def is_placeholder(line: Line) -> bool:
    """Return whether a messenger app, not the named person, wrote this: for a picture, say."""
    return line.time is not None and _PLACEHOLDER.fullmatch(line.text) is not None


def _titled(rest: str, line: str) -> tuple[str, str | None, str] | None:
    """A name, its time, and what is said. The name is a role in its own heading (`## User`), a bold line (`**User**`), or stands in
    brackets (`<Anna> Hi`, `[USER] Hi`, `[Anna] [10:02 AM] Hi`)."""
    plain = rest.strip(_MARKS)
    if (line.startswith("#") and speaker_by_words(plain)) or f"**{plain}**" == line.strip():
        return plain, None, ""
    found = _BRACKETED.match(rest)
    clear = found is not None and (found[2] or found[0][0] == "<" or speaker_by_words(found[1]))
    return (found[1], found[2], rest[found.end() :]) if found and clear else None


def _parted(rest: str, *, timed: bool) -> tuple[str, str | None, str | None]:
    """Split into name, a time after it, and words. The words are None without a colon, or a tab after a
    time."""
    name, tab, said = rest.partition("\t")
    if timed and tab and 0 < len(name) <= _LONGEST_NAME and ":" not in name:
        return name, None, said
    for colon in _COLON.finditer(rest[: _LONGEST_NAME + 24]):
        name = rest[: colon.start()]
        if not (name[-1:].isdigit() and rest[colon.end() : colon.end() + 1].isdigit()):
            if clock := _CLOCK.search(name):
                return name[: clock.start()], clock[1], rest[colon.end() :]
            tag = None if speaker_by_words(name) else _TAG.match(rest, colon.end())
            end = tag.end() if tag else colon.end()
            return rest[: end - 1], None, rest[end:]
    return "", None, None


def may_be_a_name(line: Line) -> bool:
    """Return whether a name that nobody knows may be somebody's: a word or two, or more that begin in capitals, in no list."""
    plain = line.speaker
    if (line.time or plain.startswith("+")) and _PHONE.fullmatch(plain):
        return True
    if len(plain) > _LONGEST_NAME or not _NAME.fullmatch(plain) or _BULLETS.match(line.whole.lstrip()):
        return False
    words = plain.split()
    return len(words) < 3 or "(" in plain or not any(word[0].islower() for word in words)
