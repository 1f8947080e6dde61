"""Offers of an item that the user has refused, owns or knows, found by its title."""

import re
from collections.abc import Iterator

from ...catalogue.title_guesses import YEAR_MARK, guess_titles
from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...text.negation import rules_out
from ...text.words import excerpt, is_telling, sentence_at, sentences, split_year, straight, title_key, words
from ..evaluation import JudgeInput
from .exclusions import SPARED

_KNOWN = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)? (?:already |just )?(?:seen|watched|read|played|tried|own|owned|bought|got|been to|were there)|already (?:seen|watched|read|played"
    r"|tried|own|have|got|know)|(?:seen|watched|read|played|have|own) (?:it|that|that one|them|this|this one)(?: already| before| too)?\W*(?:\Z|[.,!;])"
    r"|(?:did|do)(?:n't| not) (?:really )?(?:like|want|enjoy)(?! (?:\w+ )?(?:movies|films|books|games|music|kind|stuff)s?\b)|not (?:that|this)(?: one|(?=\W*\Z))|not (?:my (?:thing|taste|cup of tea)|for (?:me|us)(?!,? (?:but )?for\b)|interested)|rather not|hated|can't stand|(?:kenne|habe|hab|besitze) (?:ich|wir)[\w\s]{0,20} schon|schon (?:gesehen|gelesen|gespielt|gehört)|ya (?:l[ao]s? (?:he|hemos|tengo|conozco|vi|leí)|(?:he|hemos) \w+)"
    r"|(?:déjà|deja) (?:vue?s?|lue?s?|joué|fait)|(?:connais|ai|possède) déjà|(?:den|die|das|esa?|es[ao] otr[ao]) (?:nicht|no)|pas cel(?:ui|le)-(?:là|ci))(?!\w)",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:don't|do not|not) (?:think|believe|remember|sure|familiar|know)\b|\b(?:never|not|haven't|hasn't|n't) (?:yet )?(?:seen|watched|read|played|tried|heard|been|own)\b|\b(?:has|they've|you've|they have|you have) (?:already |just )?(?:seen|watched|read|played|tried)\b|\b(?:again|loved|(?<!n't )(?<!not )like it|more like|similar)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[^,;?]{0,60}\?")
"""The end of a question, which does not refuse: "did I already see it?"."""
_DECLINES = re.compile(r"\W{0,3}no,? thank(?:s| you)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?: (?:it|that|this|them|those|there|one|already|before|too|either|both|twice|at all|recently|thanks|gesehen|gelesen|gespielt|gehört|schon|ya|visto|leído|jugado|vue?s?|lue?s?|joué|me gusta|last \w{1,9})){0,4}(?=\W{0,9}\Z|[.,;:!?]| (?:and|but|so|any|something)\b)",
    re.IGNORECASE,
)
"""Words after a refusal of what was offered, and of nothing else: not "I don't want it as a hardback"."""
_ANOTHER = re.compile(
    r"\b(?:else|other|another|something|anything|any|different|instead|next|newer|similar|more|like|otr[ao]s?|algo|ander\w+|was|autre|encore)\b",
    re.IGNORECASE,
)
"""Words of a user who asks for another item."""
_SHORT, _NEAR = 3, 200
"""Most words after a refusal that surely say nothing else about the item, and characters that are read there."""
_ASIDE = re.compile(
    r"\b(?:like|liked|loved|enjoyed|since|as|because|besides|apart from|than|similar to|after|fans? of|seen|watched|read|own|have|sequel|expansion|add-on|accessor\w+|goes with|for your|instead of|(?<!how )(?<!what )about)\b[^.!?]{0,30}\Z",
    re.IGNORECASE,
)
"""Words before a title that a reply only mentions: "since you have seen Arrival"."""
OFFERS = re.compile(
    r"\b(?:recommend|suggest|try|(?:how|what) about|check out|go (?:for|with)|going with|consider|would be|start with|take|give|get|book|pick|choose|watch|read|play"
    r"|(?:may|might|could|will|would) (?:like|love|enjoy)|can't beat|empfehle|empfehlen|schlage|probier\w*|wie wäre es mit|schau\w*|recomiendo|sugiero|prueba|qué tal|mira|conseille|recommande|propose|regarde\w*|essaye?z?)\b[^.?!]{0,60}\Z",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"(?:\b(?:i|we|he|she|they|my \w+|kids?|son|daughter|wife|husband)(?:'ve|'s| have| has|ve)?(?: \w+ly| already| just| both| all| only)?|\balready|\bjust|\A|[,.;]) ?"
    r"(?:had|own|owns|got|seen|saw|watched|read|played|tried|finished|heard|been to|did|know) (?:all (?:of )?|both |the |an? )*(?P<what>[\w'&]+(?:[ -][\w'&+]+){0,3})",
    re.IGNORECASE,
)
"""Words by which users say that they own or know something: "we tried Tidewater"."""
_HEAD = re.compile(
    r"\W*(?:(?:oh|ah|haha|ok|okay|sure|then|so|well|right|alright|fine|nice|great|good|understood|sorry|yes|i'd|i would|you could|you should|try|get|go for|go with|take"
    r"|start with|suggest|recommend|say|pick|choose|consider|watch|read|play|how about|what about|the|an?|still)[,.!:;]* )*[\"*_]*(?:the )?",
    re.IGNORECASE,
)
"""Words of a reply before what it offers first."""
_GOES_ON = re.compile(
    r"[\"*_]{0,4}(?: (?:really|still|again|also|truly|actually|simply))?"
    r" (?:is|has|remains|stays|offers|comes|stars|would be|makes)\b(?! (?:out|off|gone|not|no|sold|excluded|already|one you)\b)",
    re.IGNORECASE,
)
"""Words after a title with which a reply praises it."""
_ENDS = frozenset(',:.!;("*') | {""}
"""Signs after a name that is a reply's whole first offer."""
_QUOTED = re.compile('["\u201e\u201c\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb\n]{4,60})["\u201c\u201d\u00bb]')
LIKELY = 0.8
"""Probability that a reply offers what it names first."""
MOST_REFUSED = 20
"""Number of latest refused titles to remember."""
_LEAST = 4
"""Fewest letters of a title to search for in a text."""


def refused_again(judge_input: JudgeInput, log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply that offers a title which the user refused before and did not bring up since, with both quotes."""
    refused: dict[str, tuple[str, str, bool]] = {}
    offered: dict[str, str] = {}
    latest = ""
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            latest = text
            for key in [key for key, (title, *_) in refused.items() if _names(title, text)]:
                del refused[key]
            for key, title, sure in _refusals(text, offered):
                refused[key] = (title, excerpt(text), sure)
                if len(refused) > MOST_REFUSED:
                    del refused[next(iter(refused))]
        elif message.is_reply:
            listed = {_key(judge_input, one): one for one in message.recommendations or ()}
            for key, (title, said, sure) in refused.items():
                if (quote := _repeated(title, text, is_listed=key in listed)) is not None:
                    certain = sure and quote is not text
                    chance = 1.0 if certain else LIKELY
                    quotes = (said, excerpt(quote))
                    yield DetectedFault("repeats-refused", at, chance, certain=certain, quotes=quotes)
            if known := _offers_known(latest, text):
                yield DetectedFault("repeats-refused", at, LIKELY, quotes=known)
            offered = {
                _key(judge_input, title): title for title in (*_titles(judge_input, text), *listed.values())
            }


def _repeated(title: str, text: str, *, is_listed: bool) -> str | None:
    """Return the words of a reply that offer a refused title. That is the title if it is only listed, and the whole text if
    the offer is likely."""
    place = _offer(title, text)
    if place is not None:
        return text[place:]
    return title if is_listed else text if _leads(title, text) else None


def _refusals(text: str, offered: dict[str, str]) -> Iterator[tuple[str, str, bool]]:
    """Yield key and title of each item that a user's message refuses: by name, or the only one just offered. And whether the user
    surely wants another."""
    named = {key: title for key, title in offered.items() if _names(title, text)}
    another = _ANOTHER.search(text) is not None
    for sentence in sentences(text):
        line = sentence.of(text)
        known = _KNOWN.search(line) or (another and _DECLINES.match(line))
        if known and not _NEVER.search(line) and not _ASKS.match(line, known.end()):
            about = [(key, title) for key, title in named.items() if _names(title, line)]
            own = [guess.surface for guess in guess_titles(line)]
            if not named and len(offered) == 1 and _WHOLE.match(line, known.end()) and not own:
                about = [*offered.items()]
            behind = sentence.start + known.end()
            rest = text[behind : behind + _NEAR]
            for key, title in about:
                yield key, title, another or len(words(rest.replace(title, ""))) <= _SHORT
            if not about:
                yield from ((title_key(title), title, False) for title in own)


def _offers_known(request: str, reply: str) -> tuple[str, str] | None:
    """Return quotes of a user who owns or knows something and of a reply that offers it first."""
    head = next((one.of(reply) for one in sentences(reply)), "")
    start = _HEAD.match(head)
    offered = head[start.end() :].casefold() if start and not SPARED.search(head) else ""
    for line in (one.of(request) for one in sentences(request) if offered):
        for match in _HAS.finditer(line):
            named = match["what"].casefold().split()
            for length in range(len(named), 0, -1):
                name = " ".join(named[:length])
                ends = offered.startswith(name) and offered[len(name) : len(name) + 1] in _ENDS
                if ends and len(name) >= _LEAST and any(map(is_telling, words(name)[:1])):
                    return excerpt(line), excerpt(head)
    return None


def _titles(judge_input: JudgeInput, text: str) -> Iterator[str]:
    titles = judge_input.grounding.sources.titles
    known = [(mention.start, mention.end) for mention in titles.find(text)] if titles else []
    known += [match.span(1) for match in _QUOTED.finditer(text)]
    yield from (text[start:end] for start, end in known)
    for guess in guess_titles(text):
        if not any(guess.start < end and start < guess.end for start, end in known):
            yield guess.surface


def _key(judge_input: JudgeInput, reference: str) -> str:
    item = judge_input.item(reference)
    return split_year(title_key(item.title if item else reference))[0]


def _names(title: str, text: str) -> bool:
    return next(_places(title, text), None) is not None


def _places(title: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield spans that name a title, in any case (one word: in its own case), unless the year differs or the name goes on."""
    name, year = split_year(straight(title).strip(" \"'"))
    if len(name) < _LEAST:
        return
    flags = re.IGNORECASE if len(name.split()) > 1 else 0
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w|:? (?-i:[A-Z0-9]))", text, flags):
        mark = YEAR_MARK.match(text, match.end())
        if not (mark and year and int(mark[1]) != year):
            yield match.start(), match.end()


def _leads(title: str, text: str) -> bool:
    """Return whether a reply begins with a title and goes on about it: "Gone Girl is the best of them"."""
    start = _HEAD.match(text)
    rest = text[start.end() :] if start else text
    return any(first == 0 and _GOES_ON.match(rest, last) is not None for first, last in _places(title, rest))


def _offer(title: str, text: str) -> int | None:
    """Return the position at which a reply explicitly offers a title, or None."""
    for first, last in _places(title, text):
        line = sentence_at(text, first)
        start = line.start
        before = text[start:first]
        ruled_out = rules_out(line.of(text), first - start, last - start)
        if OFFERS.search(before) and not _ASIDE.search(before) and not ruled_out:
            return first
    return None
