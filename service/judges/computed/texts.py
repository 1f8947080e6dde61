"""Faults in the text of a reply: error texts, leaks of the machine, repetitions, another language."""

import re
from collections import deque
from collections.abc import Iterator, Sequence

from ...domain.conversation import ConversationLog, Message, Role
from ...domain.verdict import DetectedFault
from ...text.language import (
    ENOUGH_WORDS,
    FEWEST_ENGLISH,
    english_words,
    find_stutters,
    is_clearly_english,
    is_other_language,
    language_of,
    loop_share,
)
from ...text.unanswered import asks
from ...text.words import blank, excerpt, straight, word_spans, words
from .wording import names_in

RECENT, RECENT_CHARACTERS = 5, 2_000
"""Number of user messages that show their language, and of characters read in each."""
SHORT = 5
"""A reply of fewer words may be said again: "You are welcome."."""
LONG = 2 * SHORT
"""Fewest words of a text that nobody says twice without noticing."""
LONGEST_CIRCLE = 30
"""Lines after which a reply may begin again."""
LOOP = 0.4
"""Least share of repeated three-word runs in a loop; lists do not count."""
LIKELY = 0.6
"""Probability that such a text is a loop."""

_ERROR = re.compile(
    r"\A\W*(?:(?:an? )?(?:unexpected |internal |fatal )?error\W{0,3}(?:code\W{0,2})?)?(?:[1-5]\d{2}\W{0,3})?"
    r"(?:internal server error|bad gateway|bad request|service (?:temporarily )?unavailable|gateway time-?out|too many requests"
    r"|rate limit (?:exceeded|reached)|connection (?:refused|reset|timed out|error)|upstream connect error|request timed out|an? (?:unexpected|internal) error (?:has )?occurred)\b(?! (?:is|was|has) (?:an?|the)\b)"
    r"|\A\W{0,3}(?:(?:interner )?fehler|erreur(?: interne)?|error interno)(?: \d{3})? ?: |\A[^\w\"'\u201c\u00ab*]{0,3}(?:(?:fatal|internal|unexpected|server|system|api|database|network) )?err(?:or)?(?: \d{3})? ?: |\A\{\s{0,3}\"error\"\s?:"
    r"|\A\W{0,3}(?:(?:oops|sorry)\W{1,3})?something went wrong\W{0,3}(?:please )?try again(?: later)?\W{0,3}(?:(?:error )?code\W{0,2}\w{1,12})?\W{0,3}\Z|\brequest failed with status code \d{3}\b|\b(?:timeout|status|http) [45]\d\d\b",
    re.IGNORECASE,
)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^\s{0,8}at [\w$.]{3,80}\([\w.]{1,40}:\d{1,6}\)", re.MULTILINE
)
_RAISED = re.compile(
    r"\A\s{0,8}(?:[a-z_]\w{0,40}\.){0,4}[A-Z]\w{2,40}(?:Error|Exception)\b(?:: |\Z| at [\w$]{1,40}\.)"
)
_NOTHING = re.compile(
    r"\A\s{0,8}(?:\{\s{0,8}\}|\[\s{0,8}\]|null|undefined|None|NaN|\[object Object\])\s{0,8}\Z"
)
_NAMES_ERROR = re.compile(r"\berrors?\b|\b[45]\d\d\b", re.IGNORECASE)
"""Words of a user who asks what an error means."""
_PLACEHOLDER = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}|\{%[^{}\n]{1,60}%\}|\$\{[\w.]{1,60}\}|<%=?[^<>\n]{1,60}%>|%\([a-z_]{1,40}\)s"
    r"|\[(?:insert|your|user|item|product|movie|film|book|customer|company|brand|first|last|city|hotel|restaurant|price|date|name|title)"
    r"[ _-]?(?:name|title|here|id|1|2)?(?: here)?\](?!\()"
    r"|%%?[A-Z][A-Z_]{2,40}%%?|<<[\w:.-]{3,60}>>|<[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,4}>|#{2,3} ?(?:Assistant|Human|System|User|Instruction|Response|Input)\b:?|\bas an? (?:ai (?:language )?|language )model\b|\bals (?:ki-|ki |großes )?sprachmodell\b|\bcomo (?:un )?modelo de (?:lenguaje|ia)\b|\b(?:en tant que|comme) modèle de langage\b|\$[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,4}\b"
    r"|\[insert [^\]\n]{1,60}\]|\[[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,4}[^\]\n]{0,60}\](?!\()|(?<![?&/\w.@#-])[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,4}\s?[=(]\s?[^\s)]"
    r"|(?<![\w{])\{[a-z]{2,30}(?:_[a-z]{1,30}){0,4}\}(?!\})|<(?:item|movie|film|book|product|hotel|restaurant|city|price|date|genre|name|title|user|entity|slot|unk|pad|eos|bos|sep|mask)(?:_?\w{1,12})?>",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"\b(?:SYSTEM|DEBUG|TODO|NOTE TO AGENT)\b ?:|(?:\A|\n)\s{0,8}(?:Human: |System: You are )|\bAssistant: [^\n]{0,300}\bUser: |\bThought: [^\n]{0,300}\s{1,3}Action: |\bNone for 0\.00\b|<[A-Z][A-Z_]{3,40}>|\$[A-Z]{3,30}(?:_[A-Z0-9]{1,30}){1,4}\b|\bINSERT_\w{2,30}|\[(?:YEAR|DAY|TIME|DATE|CITY|COLOU?R|SYSTEM)\b[^\]\n]{0,60}\]"
    r"|</?(?:answer|suggestion|recommendation|response|output|tool_\w{2,12})\b[^<>\n]{0,60}>|<\|[a-z_]{2,30}\|>|\[/?INST\]|<<SYS>>|</?(?:s|think|tool_call|function_call)>|\[(?:UNK|PAD|EOS|BOS|SEP|CLS|MASK)\]"
)
_JSON = re.compile(r"[\[{]\s{0,8}(?:\{\s{0,8})?\"[\w -]{1,40}\"\s{0,4}:\s{0,4}(?:[\"\[{\d-]|true|false|null)")
_CALL = re.compile(
    r"\b(?:function_call|tool_calls?|tool_use|search_[a-z]+|get_[a-z]+|[a-z]+_search)\s?\(\s?(?:\w+\s?=|[\"'{])|\"(?:tool|function|arguments)\"\s?:"
)
_ASKED_FOR_CODE = re.compile(
    r"\b(?:json|codes?|templates?|regex|html|scripts?|placeholders?|api|xml|write|draft|compose)\b|\w_\w",
    re.IGNORECASE,
)


_MACHINE = re.compile(
    r"[\[\]{}()<>$%_|`#=\\@~^*/]|(?:modell|mod[eè]l[eo])\b|\b(?:ai|ki|ia|model|assistant|system|user|prompt|instruct\w*|template|insert|placeholder|undefined|null|none|nan|tool|function|api|json|database|query|internal"
    r"|notes?|agent|bot|customer|cutoff|train\w*|knowledge|language|variable|debug|todo|context|catalog\w*|script|policy|guidelines?|response|reply|output|x{2,}|token\w*|persona|profile"
    r"|role|record|retriev\w*|results?|step|says?|ids?|slot|intent|field|example|draft|items?)\b",
    re.IGNORECASE,
)
"""Signs and words of which every leak of the machine has one."""


def may_leak(text: str) -> bool:
    """Return whether a reply may show the machine behind it: of 625 leaks of the corpus all do but one."""
    return _MACHINE.search(text) is not None


class _Said:
    """Memory of a log so far: the last messages of the user, and digests of all messages."""

    def __init__(self) -> None:
        self.recent: deque[str] = deque(maxlen=RECENT)
        self.requests: set[int] = set()
        self.replies: dict[int, str] = {}
        self.last_reply = 0
        self.repeated_request = False
        self.names_language = self.wants_english = False

    def record(self, text: str) -> None:
        """Record a message of the user."""
        self.recent.append(text[:RECENT_CHARACTERS])
        key = hash(tuple(words(text)))
        self.repeated_request = key in self.requests
        self.requests.add(key)
        self.names_language |= _SPEAKS.search(text) is not None
        self.wants_english |= _IN_ENGLISH.search(text) is not None

    @property
    def request(self) -> str:
        """The user's latest words."""
        return self.recent[-1] if self.recent else ""


def text_faults(log: ConversationLog, raw: ConversationLog) -> Iterator[DetectedFault]:
    """Yield the certain faults of each reply's text, with the span that shows them. `raw` is the log as it came: text addressed
    to a judge is left out of `log`, and may be a leak."""
    said = _Said()
    for at, message in enumerate(log.messages):
        text = message.content
        if message.role is Role.USER and text.strip():
            said.record(text)
        elif message.is_reply:
            yield from _shown_machine(at, raw.messages[at].content[: len(text) + 1], said.request)
            yield from _reply_faults(at, text, said)


def _shown_machine(at: int, text: str, asked: str) -> Iterator[DetectedFault]:
    if not _NAMES_ERROR.search(asked) and (broken := _error(text)):
        yield _certain("unintelligible", at, broken)
    elif leak := _leak(text, asked):
        yield _certain("template-leak", at, leak)


def _reply_faults(at: int, text: str, said: _Said) -> Iterator[DetectedFault]:
    tokens = words(text)
    key = hash(tuple(tokens))
    if len(tokens) >= SHORT and words(said.request) == tokens and not _PLEASANT.search(text):
        yield _certain("loops", at, excerpt(said.request), excerpt(text))
    elif len(tokens) >= SHORT and key in said.replies and not _may_repeat(text, tokens, key, said):
        # Two questions for facts may have one answer, and other requests one short reply.
        fact = _ASKS_FACT.match(said.request) and _MORE.isdisjoint(words(said.request))
        sure = (len(tokens) >= LONG and not fact) or (key == said.last_reply and "?" in text)
        quotes = (said.replies[key], excerpt(text))
        yield DetectedFault("loops", at, 1.0 if sure else LIKELY, certain=sure, quotes=quotes)
    elif circle := _circles(text):
        yield _certain("loops", at, circle)
    elif loop_share(tokens) >= LOOP:
        yield DetectedFault("loops", at, LIKELY, quotes=(excerpt(text),))
    if foreign := _foreign(tokens, text, said):
        yield _certain("wrong-language", at, *foreign)
    said.replies.setdefault(key, excerpt(text))
    said.last_reply = key


def _certain(fault: str, at: int, *quotes: str) -> DetectedFault:
    return DetectedFault(fault, at, 1.0, certain=True, quotes=quotes)


def _error(text: str) -> str | None:
    for pattern in (_ERROR, _TRACE, _RAISED, _NOTHING):
        if match := pattern.search(text):
            return excerpt(text[match.start() :].strip()) or excerpt(text)
    return None


def _leak(text: str, asked: str) -> str | None:
    if _ASKED_FOR_CODE.search(asked):
        return None
    found = [match for pattern in (_PLACEHOLDER, _TOKENS, _JSON, _CALL) if (match := pattern.search(text))]
    first = min(found, key=lambda match: match.start(), default=None)
    return excerpt(text[first.start() :].strip()) if first else None


_AGAIN = re.compile(
    r"\b(?:again|repeat|once more|pardon|what did you say|say that|come again|which one was|remind|what was)\b|\A\W{0,5}(?:what|sorry|huh)?\W{0,10}\Z",
    re.IGNORECASE,
)


def _may_repeat(text: str, tokens: Sequence[str], key: int, said: _Said) -> bool:
    """Return whether a reply may be said again: the user asks for it, repeats themselves or wants nothing, or it is a question.

    A question ("What did you like about it?") loops only where it follows itself at once."""
    request = straight(said.request)
    if _AGAIN.search(request) or said.repeated_request or not asks(Message(Role.USER, request)):
        return True
    question = "?" in text or _OPENS_QUESTION.match(text) is not None
    return question and (said.last_reply != key or not _MORE.isdisjoint(tokens))


_PLEASANT = re.compile(
    r"\b(?:how are you|how's it going|(?:nice|good|great|lovely) (?:day|night|evening|weekend|one|time)|you too|thank)",
    re.IGNORECASE,
)
"""Words that people say back."""
_OPENS_QUESTION = re.compile(r"\W{0,5}(?:what|which|anything|is there|can i|do you|how)\b", re.IGNORECASE)
_ASKS_FACT = re.compile(
    r"\W{0,5}(?:and|so|ok)?\W{0,3}(?:the|any|is|are|was|do|does|did|has|have|how|what|where|when|who|which|can i)\b[^?\n]{0,200}\?\W*\Z"
    r"|\W{0,5}and [^?\n]{0,60}\?\W*\Z",
    re.IGNORECASE,
)
_MORE = frozenset({"else", "more", "another", "other", "anything", "help"})


def _circles(text: str) -> str | None:
    """Return the span in which a reply repeats its own words: a unit three times in a row, or its lines."""
    for span in find_stutters(word_spans(text)):
        if span.kind == "stutter" and len(words(span.of(text))) >= LONG:
            return excerpt(span.of(text))
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    # Entries of a list may share a line ("Breakfast included"). Stretches between repeats show a circle.
    latest: dict[str, int] = {}
    for place, line in enumerate(lines):
        back = place - latest.get(line, -LONGEST_CIRCLE)
        if (
            back < LONGEST_CIRCLE
            and len(words(line)) >= SHORT
            and lines[place - back : place] == lines[place : place + back]
        ):
            return excerpt(line)
        latest[line] = place
    return None


def _foreign(tokens: Sequence[str], text: str, said: _Said) -> tuple[str, str] | None:
    """Return quotes of a user and of a reply that speak different languages."""
    if not said.recent or (len(tokens) < ENOUGH_WORDS and text.isascii()):
        return None
    if is_other_language(tokens, text):
        everything = " ".join(said.recent)
        heard = words(everything)
        theirs, ours = language_of(heard), language_of(tokens)
        spoke_english = len(set(heard) & english_words()) > 1 and not language_of(heard, 1)
        english = is_clearly_english(heard) or (ours and spoke_english)
        other = theirs != ours and None not in (theirs, ours)
        wrong = other or bool(english and not is_other_language(heard, everything))
        wrong = wrong and not _speaks_english(tokens) and not said.names_language
    else:
        wrong = not said.wants_english and _is_foreign(said.request)
        wrong = wrong and is_clearly_english(words(blank(text, names_in(text, None))), 2)
    return (excerpt(said.request), excerpt(text)) if wrong else None


def _is_foreign(text: str) -> bool:
    tokens, parts = words(text), text.split(",")
    if len(parts) > 1 and all(part.lstrip()[:1].isupper() for part in parts):
        return False  # titles: "Das Boot, Der Untergang"
    return len(tokens) >= SHORT and is_other_language(tokens, text) and not _speaks_english(tokens)


def _speaks_english(tokens: Sequence[str]) -> bool:
    return len(frozenset(tokens) & english_words()) >= FEWEST_ENGLISH


_SPEAKS = re.compile(
    r"\b(?:german|french|spanish|italian|dutch|portuguese|polish|turkish|russian|chinese|japanese|korean|arabic|hindi"
    r"|deutsch|fran[cç]ais|espa[nñ]ol|translate|language)\b",
    re.IGNORECASE,
)
_IN_ENGLISH = re.compile(
    r"\b(?:in|auf|en|to|into) (?:english|englisch|anglais|ingl[eé]s)\b|\b(?:english|englisch) (?:please|pls|bitte|is (?:ok|fine))\b",
    re.IGNORECASE,
)
