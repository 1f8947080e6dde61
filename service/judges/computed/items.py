"""Faults in a reply's items, checked against tool results, the log's items, the catalogue and the user's
wishes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from rapidfuzz.fuzz import token_set_ratio

from ...catalogue.index import Mention
from ...catalogue.kinds import KIND_DIMENSIONS
from ...domain.conversation import ConversationLog, Role
from ...domain.parts import Card
from ...domain.verdict import DetectedFault
from ...grounding.grounding import Grounding
from ...grounding.money import BESIDE, Amount, amounts, number
from ...grounding.statements import Of
from ...grounding.wishes import ASKS_PRICE, Kind, Wish
from ...text.negation import rules_out
from ...text.words import excerpt, sentence_at, straight, title_key, words
from .refusals import OFFERS

SURE = 0.95
"""Probability that items without text lack a reason: a card may hold one."""
LIKELY = 0.8
"""Probability of a fault that the data suggest and do not prove."""
ALIKE = 92
"""Least similarity of titles (0-100, rapidfuzz's token set ratio) of items that hardly differ."""
MOST_COMPARED = 20
"""Items of a list that are compared with one another."""
FEWEST = 3
"""Fewest items in a list whose items hardly differ."""
WELL_KNOWN = 0.85
"""Percentile of popularity from which everybody knows an item."""

_DONE = re.compile(
    r"\b(?:done|all set|set up|added|booked|reserved|ordered|placed|confirmed|cancell?ed|updated|sent|is in your (?:cart|basket)|scheduled|paid|gebucht|bestellt|reserviert|aufgegeben|bestätigt|reservad[oa]s?|realizado|confirmad[oa]s?|réservée?s?|commandée?s?|confirmée?s?)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"(?:\b(?:not|never|nothing|had been|once|if|when|until|before|already|too late|to be|could|would|please|should|must|nicht|nie|nichts|wenn|no|nada|si|pas|rien)\b|n't\b)[^.!?\n]{0,60}\Z",
    re.IGNORECASE,
)
"""Words before such a verb that make it no claim: "not added", "once you have paid"."""
_OWNS_UP = re.compile(
    r"\b(?:above|over|more than|beyond|exceeds?|stretch|unfortunately|sorry|although|though|however|but|(?:nothing|none) (?:under|below|within)|slightly|a bit|just out"
    r"|out of (?:budget|reach)|instead|cheapest|lowest|closest|nearest|together|total|plus(?= [\d$€£])|makes|times|comes? to|for (?:the |all )?(?:two|three|four|both)|sum"
    r"|regular(?:ly)?|was|down from|save|not|too (?:much|dear|expensive|pricey)|leider|über|zusammen|insgesamt|aber|nicht|statt|lamentablemente|encima|supera|pero|total|malheureusement|dépasse|dessus|mais|ensemble)\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words by which a reply admits that an item breaks the limit, or that an amount is not an offer's price."""
_NO_PRICE = re.compile(
    r"\A\W{0,2}(?:off|discount|deposit|in total|total|voucher|cashback|reward|shipping|delivery|budget|limit)\b",
    re.IGNORECASE,
)
_COVERED = re.compile(
    r"\b(?:up to|cover\w*|worth|sav\w+|earn\w*|pay(?:s|ing)|deposit|refit\w*|repair\w*) (?:\w{1,20} ){0,2}\Z",
    re.IGNORECASE,
)
"""Words before an amount that is no price."""
_FOR_SEVERAL = re.compile(
    r"\b(?:nights|days|weeks?|months|years?|stay|case|box|pack|set|pairs|pieces|copies|rooms|seats|users|people|tickets|in all|for (?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}))\b",
    re.IGNORECASE,
)
"""Words of a reply whose price may be for more than one of what the limit is for."""
_WANTS_NEW = re.compile(
    r"\b(?:haven'?t|not|never) (?:yet )?(?:heard|seen|read|played|tried|know)|\b(?:lesser|little|less) known\b|\bhidden gems?\b|\bobscure\b"
    r"|\bunder ?rated\b|\boff the beaten\b|\bnot (?:so |too )?(?:mainstream|famous|popular|well[- ]known|obvious)\b|\bsomething new\b|\bnew to me\b"
    r"|\bindie\b|\b(?:won'?t|don'?t|wouldn'?t) (?:have )?(?:know|known|heard)\b|\bunknown\b|\bless (?:mainstream|famous|popular|obvious)\b"
    r"|\b(?:not|don'?t want|nothing|no) (?:what|the (?:stuff|ones?|usual)|stuff)? ?(?:that )?(?:every|all the)\w*\b|\bnot what every\b|\bno guidebook\b"
    r"|\b(?:i|we) (?:don'?t|do not) know\b|\b(?:all|done|seen|played|know) (?:of )?(?:the|all the) (?:usual|classic|big|famous|well[- ]known)\b"
    r"|\bhaven'?t (?:seen|heard|been|tried)\b|\bsurprise me\b|\b(?:nobody|no one|hardly anyone|few people) (?:has |have |else )?(?:\w+ )?(?:knows?|heard)\b"
    r"|\bgeheimtipps?\b|\bunbekannt\w*|\bpoco conocid\w+|\bdesconocid\w+|\bpeu connue?s?\b|\bméconnue?s?\b",
    re.IGNORECASE,
)
_VARIANTS = re.compile(
    r"\b(?:same|variants?|versions?|colou?rs?|sizes?|series|all (?:the|of)|parts?|sequels?|every|sequel)\b",
    re.IGNORECASE,
)


def item_faults(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    """Yield the faults of items that replies show or name."""
    yield from _contradicted(log, grounding)
    yield from _tool_failures(log, grounding)
    yield from _bare(log, grounding)
    yield from _shown(log, grounding)
    yield from _unknown(log, grounding)
    yield from _named(log, grounding)
    yield from _over_budget(log, grounding)
    yield from _lists(log, grounding)


def _contradicted(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    for one in grounding.statements:
        if not one.holds:
            said = one.said
            if one.start is not None and one.end is not None:
                said = _sentence(log.messages[one.message].content, one.start)
            actual = f"rating: {one.actual}" if one.of is Of.RATING else one.actual
            yield _certain("contradicts-data", one.message, said, f"{one.title}: {actual}")


def _tool_failures(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    for result, reply, passed_over in grounding.errors:
        text = log.messages[reply].content
        if not passed_over or not text.strip() or text.rstrip().endswith("?"):
            continue
        asked = max((at for at in range(reply) if log.messages[at].role is Role.USER), default=-1)
        others = [one for one in grounding.sources.results if asked < one.message < reply and not one.failed]
        claim = next(
            (
                done
                for done in _DONE.finditer(text)
                if not _UNDONE.search(text[max(0, done.start() - BESIDE) : done.start()])
            ),
            None,
        )
        quotes = (_sentence(text, claim.start()) if claim else excerpt(text), excerpt(result.said))
        if claim and not others:  # another call may have done it
            yield _certain("contradicts-data", reply, *quotes)
        else:
            yield DetectedFault("invented-fact", reply, LIKELY, quotes=quotes)


def _shown(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    fits = {one.message for one in grounding.shown if one.against is not None and not one.against}
    for one in grounding.shown:
        title = grounding.title(one)
        if one.offered is False and not any(grounding.sources.of(one.card, one.message)):
            yield _certain("invented-item", one.message, title)
        for wish in one.against or ():
            # Of a list that only data say is wanted (`user.attributes`), one fitting item is enough.
            if wish.kind is not Kind.ATTRIBUTE or one.message not in fits:
                found = _broken(log, one.message, wish, title)
                named = grounding.sources.raised(one.card, one.message)
                yield replace(found, certain=False, probability=LIKELY) if named else found


def _bare(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    """Yield the replies that show items without a word: they give no reason."""
    for at in log.replies:
        cards = log.messages[at].cards
        if cards and not log.messages[at].content.strip():
            yield DetectedFault("no-reason", at, SURE, quotes=(grounding.title_of(cards[0], at),))


def _unknown(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    """Yield references missing from the log's own items, if these hold the items of every earlier reply."""
    catalogue = grounding.sources.catalogue
    if catalogue is None or not log.items:
        return
    heard: list[str] = []
    for at, message in enumerate(log.messages):
        if message.role is Role.USER:
            heard.append(message.content.casefold())
        elif message.is_reply:
            bare = [card for card in message.cards if card.item is None]
            strange = [card.reference for card in bare if catalogue.match(card.reference) is None]
            if len(strange) == len(bare) > 1:
                return  # references of another kind than the items
            for reference in strange:
                if not any(reference.casefold() in text for text in heard):
                    yield DetectedFault("invented-item", at, LIKELY, quotes=(reference,))
            if strange:
                return


def _named(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    """Yield violations by items offered only in a reply's text, in a sentence without warning or comparison.
    The user did not mention them."""
    titles = grounding.sources.titles
    if titles is None or not grounding.has_wishes:
        return
    raised: set[str] = set()
    shown: dict[int, set[str]] = {}
    for one in grounding.shown:
        shown.setdefault(one.message, set()).add(grounding.title(one))
    for at, message in enumerate(log.messages):
        if message.role is Role.USER:
            raised |= {mention.item.title for mention in titles.find(message.content)}
            continue
        if not message.is_reply or not grounding.wishes_before(at) or grounding.admits(at):
            continue
        text = straight(message.content)
        for mention, wishes, line in _offered(text, titles.find(text), grounding, at):
            if mention.item.title in raised or mention.item.title in shown.get(at, ()):
                continue
            for wish in wishes:
                named_openly = wish.limit is not None and _OWNS_UP.search(line)
                if wish.kind is not Kind.ATTRIBUTE and not named_openly:
                    found = _broken(log, at, wish, excerpt(line))
                    asks = line.rstrip("\"') ").endswith("?") or _HAVE_YOU.match(line)
                    yield replace(found, certain=False, probability=LIKELY) if asks else found


def _offered(
    text: str, mentions: Sequence[Mention], grounding: Grounding, at: int
) -> Iterator[tuple[Mention, tuple[Wish, ...], str]]:
    """Yield each item that a reply offers without warning or comparison, the wishes it breaks and its
    sentence. Beside a fitting item, another counts only after words of offering, or joined to one."""
    broken = [grounding.violations(Card(one.item.id or one.item.title, None), at) for one in mentions]
    for place, (mention, wishes) in enumerate(zip(mentions, broken, strict=True)):
        between = text[mentions[place - 1].end if place else 0 : mention.start]
        offered = all(broken) or OFFERS.search(between) or (place and _JOINED.fullmatch(between))
        line = sentence_at(text, mention.start)
        start, end = mention.start - line.start, mention.end - line.start
        said = line.of(text)
        if offered and not rules_out(said, start, end) and not _COMPARES.search(said[:start]):
            yield mention, wishes, said


_JOINED = re.compile(r"[\s,/*\d.)-]*(?:or|and|&)?[\s*]*(?:the )?", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:like|similar to|reminds? (?:me|you) of|fans of|than|unlike|instead of|same (?:director|author)|(?:author|director|makers?|creators?|writer|band|team|people) (?:of|behind)|sequel to|loved|liked|enjoyed|bought)\b[^.]{0,20}\Z",
    re.IGNORECASE,
)


_HAVE_YOU = re.compile(r"\W{0,5}(?:\w{1,20}\W{1,3}){0,2}(?:have|did|do) you\b", re.IGNORECASE)
"""The head of a question about a title, which may offer it or only ask for the user's taste."""


def _broken(log: ConversationLog, at: int, wish: Wish, shown: str) -> DetectedFault:
    if wish.kind is Kind.ATTRIBUTE:
        return DetectedFault("list-mismatch", at, LIKELY, quotes=(wish.text, shown))
    said = (
        excerpt(log.messages[wish.message].content)
        if wish.message is not None and wish.message >= 0
        else wish.text
    )
    if wish.kind is Kind.EXCLUDED:
        return _certain("ignores-exclusion", at, said, shown)
    of_kind = wish.kind is Kind.WANTED and bool(wish.dimensions & KIND_DIMENSIONS)
    return _certain("wrong-kind" if of_kind else "breaks-constraint", at, said, shown)


def _over_budget(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    """Yield replies in which every price is above the user's limit, and that do not say so."""
    bare: tuple[Amount, int] | None = None
    heard: list[tuple[int, str]] = []
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            heard.append((at, text))
            if match := _BARE_LIMIT.search(text):
                bare = Amount(number(match["before"] or match["after"])), at
        asked = heard[-1] if heard and ASKS_PRICE.search(heard[-1][1]) else None
        stated = _limit(grounding, asked[0] if asked else at, bare) if message.is_reply else None
        if stated is None or _OWNS_UP.search(text):
            continue
        bound, said, certain = stated
        certain = certain and _is_plain(log.messages[said].content, heard[-1], said)
        if asked and said != asked[0]:
            later = [text for index, text in heard if index >= said]
            if not _ITS_PRICE.search(asked[1]) or any(map(_RAISES.search, later)):
                continue
            certain = False
        prices = [one for one in amounts(text) if _is_price(text, one) and one.comparable(bound)]
        same = next((one for one in prices if _same_unit(one, bound, text)), None)
        if same and min(one.value for one in prices) > bound.value:
            sure = certain and same.per == bound.per and _is_asked(text, same)
            quotes = (excerpt(log.messages[said].content), _sentence(text, same.start))
            yield DetectedFault("breaks-constraint", at, 1.0 if sure else LIKELY, certain=sure, quotes=quotes)


_ITS_PRICE = re.compile(
    r"\b(?:how much|what|expensive)(?:'s| does| do| is| are| would| will)* (?:it|that|this|they|these|those|the (?:price|cost))\b|\b(?:price|how much)\W{0,3}\Z",
    re.IGNORECASE,
)
"""A question for the price of what was just offered."""
_RAISES = re.compile(
    r"\b(?:(?:what|how) about|tell me (?:more )?about|(?:is|are|does|do|has) (?:the|your)|and (?:the|your))\b",
    re.IGNORECASE,
)
"""Words by which a user brings up an item."""


def _is_plain(limit: str, latest: tuple[int, str], said: int) -> bool:
    """Return whether a limit in message `said` surely holds for the reply behind the latest message of the user."""
    return not _SEVERAL.search(limit) and (said == latest[0] or not latest[1].rstrip().endswith("?"))


_SEVERAL = re.compile(
    r"\b(?:also|as well|another|plus)\b|\bfor (?:the|my|an?|his|her)\b[^\n]{0,200}\bfor (?:the|my|an?|his|her)\b|\?\W{0,3}\w",
    re.IGNORECASE,
)
"""Words of a message that asks for more than the item with the limit."""


def _is_asked(text: str, price: Amount) -> bool:
    """Return whether a text surely asks this price for one item."""
    line = sentence_at(text, price.start)
    before, after = text[line.start : price.start], text[price.end : line.end]
    said = f"{before} {after}"
    direct = _ASKED.search(before) and _NOT_FOR_IT.search(said) is None and not _FOR_SEVERAL.search(said)
    return bool(price.currency and direct and not _NOUN.match(after))


_ASKED = re.compile(
    r"(?:\b(?:costs?|is|are|it's|that's|at|for|only|just|comes to|kostet|kosten|liegt bei|für|cuesta|vale|por|coûte|est à|pour)|[:(,\u2013\u2014-]) ?(?:only |just |about |nur |solo )?\Z",
    re.IGNORECASE,
)
"""Words right before an amount that is a price."""
_NOUN = re.compile(
    r" (?!(?:an?|per|each|for|and|or|in|on|with|at|but|right|now|today|so|here|both|is|which|that|incl\w*|und|y|et|pro|por|par|la|le)\b)[a-z]{3,}"
)
"""A noun behind an amount that is its measure: "a 980 euro bike"."""
_ELSE = re.compile(
    r"\b(?:shipping|ships?|(?:your|last) order|orders (?:over|from|of|above)|prizes?|awards?|insur\w+)\b",
    re.IGNORECASE,
)
"""Words of a sentence whose amount is for something else than an item."""
_NOT_FOR_IT = re.compile(
    r"\b(?:delivery|starts? at|voucher|discount|coupon|deposit|as \w+ as|like|phones|those|others?|yours|last|launch|class|with)\b",
    re.IGNORECASE,
)
"""Words of a sentence whose amount may be for something else than the item."""


def _same_unit(price: Amount, bound: Amount, text: str) -> bool:
    """Return whether price and limit share a unit: a night, a month, a bottle."""
    if bound.per and not price.per:
        return not _FOR_SEVERAL.search(text)
    return price.per == bound.per or (not bound.per and price.per != "year")


def _is_price(text: str, one: Amount) -> bool:
    enclosed = text[one.start - 1 : one.start] == "(" and text[one.end : one.end + 1] == ")"
    line = sentence_at(text, one.start).of(text)
    other = (
        line.rstrip("\"') ").endswith("?")
        or _ELSE.search(line)
        or _COVERED.search(text[max(0, one.start - BESIDE) : one.start])
        or _NO_PRICE.match(text[one.end :])
    )
    return bool(one.currency or enclosed) and not other


def _limit(grounding: Grounding, at: int, bare: tuple[Amount, int] | None) -> tuple[Amount, int, bool] | None:
    """Return the user's latest limit of price before a reply, its message, and whether it names money."""
    wish = next((one for one in reversed(grounding.wishes_before(at)) if one.kind is Kind.AT_MOST), None)
    if wish and wish.limit and wish.message is not None and (bare is None or wish.message >= bare[1]):
        return (wish.limit, wish.message, True) if wish.message >= 0 else None
    return (*bare, False) if bare else None


_BARE_LIMIT = re.compile(
    r"\b(?:under|below|at most|less than|up to|cheaper than|max(?:imum)?(?: is)?|budget(?: is| of)?:?|(?:no|not) more than|not over) (?P<before>\d{2,5})(?![\d.,:%]?\d)(?!\s?[-/x])"
    r"(?=\W*\Z|[,.;!)]|\s(?:for|and|but|or|pls|please|not|incl\w*|total|all|so|is|as|with|no|if|max|warm|he|she|i|we|my|the)\b"
    r"|\s(?:an?|per|each|every) (?:night|day|week|month|year|person|head|piece|pair|bottle|ticket|item|adult)\b)"
    r"|(?<![\d.,$€£])\b(?P<after>\d{2,5}) (?:max(?:imum)?|tops|is (?:my|the|our) (?:limit|max\w*|budget|absolute))\b",
    re.IGNORECASE,
)
"""A limit of price without a currency: "under 700", "300 is the limit"."""


def _lists(log: ConversationLog, grounding: Grounding) -> Iterator[DetectedFault]:
    titles = grounding.sources.titles if log.has_lists else None
    variants = wants_new = False
    heard: set[str] = set()
    for at, message in enumerate(log.messages):
        named = list(titles.find(message.content)) if titles is not None and message.content.strip() else []
        if message.role is Role.USER:
            variants |= _VARIANTS.search(message.content) is not None
            wants_new |= _WANTS_NEW.search(straight(message.content)) is not None
        elif message.is_reply and message.cards:
            cards = message.cards[:MOST_COMPARED]
            names = [grounding.title_of(card, at) for card in cards]
            if len(names) >= FEWEST and not variants and _all_alike(names):
                yield DetectedFault("near-duplicates", at, LIKELY, quotes=(names[0], names[1]))
            known = [grounding.popularity_of(card) for card in cards]
            if wants_new and len(known) > 1 and all(one is not None and one >= WELL_KNOWN for one in known):
                yield DetectedFault("only-obvious", at, LIKELY, quotes=(names[0],))
            shown = {title_key(grounding.title_of(card, at)) for card in message.cards}
            fresh = [
                mention
                for mention in named
                if mention.item.title not in heard and not _aside(straight(message.content), mention.start)
            ]
            if fresh and not any(_same_title(title_key(m.item.title), name) for m in named for name in shown):
                yield _certain("list-mismatch", at, _sentence(message.content, fresh[0].start), names[0])
        heard |= {mention.item.title for mention in named}


def _aside(text: str, at: int) -> bool:
    """Return whether a reply names the item at a position without offering it, or offers something to go with it."""
    line = sentence_at(text, at)
    return bool(
        _LEFT_OUT.search(line.of(text)) or _COMPARES.search(text[line.start : at]) or _TO_GO_WITH.search(text)
    )


_TO_GO_WITH = re.compile(
    r"\b(?:as well|too|also|alongside|along with|go(?:es)? with|to match|accessor\w+|bundle|(?:customers|people|others|readers|fans|everybody|everyone) (?:who|of|also)|related|similar)\b",
    re.IGNORECASE,
)
"""Words of a reply whose list may add to the item of its text."""
_LEFT_OUT = re.compile(
    r"\b(?:skip(?:ped)?|left out|leave out|not|n't|no longer|sold out|out of stock|instead|rather than|without)\b",
    re.IGNORECASE,
)
"""Words of a sentence that names an item and does not offer it."""


def _same_title(one: str, other: str) -> bool:
    """Return whether two titles are one, or one begins with the other."""
    return one.startswith(other) or other.startswith(one)


def _all_alike(names: Sequence[str]) -> bool:
    plain = [" ".join(words(name)) for name in names]
    if not all(plain):
        return False
    return all(
        token_set_ratio(one, other) >= ALIKE or _differ_little(one, other)
        for one, other in combinations(plain, 2)
    )


def _differ_little(one: str, other: str) -> bool:
    """Return whether two titles begin with the same two words or more, and differ in at most two words behind these."""
    first, second = one.split(), other.split()
    shared = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return shared >= 2 and max(len(first), len(second)) - shared <= 2


def _sentence(text: str, at: int) -> str:
    """Return the sentence around a position, cut to a readable length."""
    return excerpt(straight(sentence_at(text, at).of(text)))


def _certain(fault: str, at: int, *quotes: str) -> DetectedFault:
    return DetectedFault(fault, at, 1.0, certain=True, quotes=quotes)
