"""Statements of replies about items, on cards and in their text, each held against its source."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..catalogue.catalogue import folded
from ..catalogue.index import Mention
from ..domain.conversation import Message
from ..domain.parts import Card
from ..text.words import Span, sentences, straight, words
from .facts import Facts, Origin, facts_of
from .money import Amount, amounts
from .quantities import Quantity, measured, quantities, stated_in
from .sources import Sources

MOST_READ = 20_000
"""Characters of a message that are read."""


BESIDE = 25
"""Characters before an item that may name a part of it: "half a loaf"."""
MOST_UNITS = 14
"""Hours, nights or pieces whose total a reply may state."""


class Of(StrEnum):
    """The kind of data that a statement is about."""

    PRICE = "price"
    RATING = "rating"
    STOCK = "stock"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a reply about an item, of which a source says whether it holds. `said` and `actual` put both into words;
    `start` and `end` place it in the message's content, None where a card makes it."""

    message: int
    title: str
    of: Of
    said: str
    actual: str
    source: Facts
    holds: bool
    start: int | None = None
    end: int | None = None


def of_cards(message: int, cards: Sequence[Card], sources: Sources) -> Iterator[Statement]:
    """The statements of a reply's cards, where a source answers it."""
    for card in cards:
        if card.item is not None:
            shown = facts_of(card.item, Origin.CARD)
            known = [*sources.of(card, message)]
            title = next(
                (one.title for one in known if one.title and card.item.title == card.reference), None
            )
            for compared in compare(shown, known):
                yield Statement(message, title or card.item.title, *compared)


Compared = tuple[Of, str, str, Facts, bool]


def compare(said: Facts, known: Sequence[Facts], *, rounded: bool = False) -> Iterator[Compared]:
    """Compare what is said of an item with the first kind of source that knows it; a value holds where any result
    of a tool has it. `rounded`: an amount without cents may stand for one with them."""
    for price in said.prices[:1]:
        yield from _price(price, known, rounded)
    for rating in said.ratings[:1]:
        yield from _rating(rating, known)
    if said.available is not None:
        yield from _stock(said, known)
    for name, values in said.attributes.items():
        yield from _attribute(name, values, known)


def _price(price: Amount, known: Sequence[Facts], rounded: bool) -> Iterator[Compared]:
    tellers = _tellers([one for one in known if any(price.comparable(other) for other in one.prices)])
    if tellers:
        others = [other for one in tellers for other in one.prices if price.comparable(other)]
        near = 1.0 if rounded and price.value.is_integer() else 0.005
        holds = any(abs(price.value - other.value) < near for other in others)
        if not holds and any(_is_multiple(price.value, other.value) for other in others):
            return  # four hours, or two of them
        if not holds and _is_given_otherwise(price.value, tellers):
            return
        yield Of.PRICE, _money(price), _money(others[0]), tellers[0], holds


def _is_multiple(total: float, single: float) -> bool:
    """Return whether an amount may be the price of several: from twice to `MOST_UNITS` times another."""
    times = total / single if single else 0.0
    return 1.5 < times <= MOST_UNITS and abs(times - round(times)) < 0.02


def _is_given_otherwise(price: float, tellers: Sequence[Facts]) -> bool:
    """Return whether a source has an amount under another name ("price with tax"), or its price in cents."""
    written = {folded(f"{price:g}"), folded(f"{price:.2f}")}
    values = (value for one in tellers for named in one.attributes.values() for value in named)
    in_cents = (abs(other.value - 100 * price) < 0.5 for one in tellers for other in one.prices)
    return any(in_cents) or not written.isdisjoint(values)


def _rating(rating: float, known: Sequence[Facts]) -> Iterator[Compared]:
    tellers = _tellers([one for one in known if one.ratings])
    if tellers:
        others = [other for one in tellers for other in one.ratings]
        digits = len(f"{rating:g}".partition(".")[2])
        # 4.5 of 5 and 9 of 10, or 90 %, may be the same.
        other_scale = any(max(rating, other) > 5 >= min(rating, other) for other in others)
        if not other_scale:
            holds = any(abs(other - rating) <= 0.5001 * 10**-digits for other in others)
            yield Of.RATING, f"{rating:g}", f"{others[0]:g}", tellers[0], holds


def _stock(said: Facts, known: Sequence[Facts]) -> Iterator[Compared]:
    tellers = _tellers([one for one in known if one.available is not None])
    if tellers:
        holds = any(
            said.stock == one.stock
            if said.stock is not None and one.stock is not None
            else said.available is one.available
            for one in tellers
        )
        yield Of.STOCK, _left(said), _left(tellers[0]), tellers[0], holds


def _attribute(name: str, values: frozenset[str], known: Sequence[Facts]) -> Iterator[Compared]:
    tellers = _tellers([one for one in known if one.attributes.get(name)])
    if tellers:
        others = frozenset().union(*(one.attributes[name] for one in tellers))
        # "dark blue" is blue, "jazz fusion" may be filed under jazz: only what has nothing in common contradicts.
        holds = any(f" {a} " in f" {b} " or f" {b} " in f" {a} " for a in values for b in others)
        said, actual = (f"{name}: {', '.join(sorted(one))}" for one in (values, others))
        yield Of.ATTRIBUTE, said, actual, tellers[0], holds


def _tellers(known: Sequence[Facts]) -> list[Facts]:
    """Those of the most trusted origin."""
    return [one for one in known if one.origin is known[0].origin]


def _money(amount: Amount) -> str:
    value = f"{amount.value:.0f}" if amount.value.is_integer() else f"{amount.value:.2f}"
    return f"{value} {amount.currency}" if amount.currency else value


def _left(facts: Facts) -> str:
    if facts.stock is not None:
        return f"{facts.stock} in stock" if facts.stock else "out of stock"
    return "in stock" if facts.in_stock else "out of stock"


_OTHERWISE = re.compile(
    r"\b(?:budget|limit|under|below|less|more|over|above|save|off|discount|cheaper|than|shipping|delivery|deposit|from|about"
    r"|around|approximately|roughly|nearly|almost|was|were|used to|instead|up to|not|n't|if|or|between|usually|fee|tax"
    r"|statt|ab|desde|partir|etwa|ungefähr|unter|bis|hasta|menos|moins|environ|casi|presque|fast|antes|vorher|avant|each|reduced|down|together|bundle|set|pack|suite|single|double|half|used|refurbished|second[- ]hand|ones?|version|edition|hardcover|paperback|child\w*|kids)\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:for (?:members|students|today|now|you|two|groups|online)|with(?:out)?|today|tonight|only|includ\w+|using)\b|\b(?:at|in|of|to|from|on|by|near) (?:the )?\Z|\b(?:the|an?|our) [a-z]{3,20} \Z",
    re.IGNORECASE,
)
"""Words before an item that speak of a variant, a part or a condition: "parking at", "for members the", "the white"."""
_COSTS = re.compile(r"\b(?:costs|kostet|cuesta|vale|coûte|priced at|price is|price of|goes for|sells for|is (?:only |just |now |currently )?\Z)|[(:,\u2013\u2014|-]\s?\Z|\b(?:at|for|für|por|pour)\s(?:only |just )?\Z", re.IGNORECASE)  # fmt: skip
_DIRECT = frozenset(
    "is costs at for only just now currently still priced price comes goes sells it it's and which that a an the great good of on offer sale to available here kostet cuesta vale coûte nur solo seulement aktuell für por pour".split()  # noqa: SIM905
)
"""Words from an item to an amount that it surely costs."""
_GOVERNS = re.compile(
    r"(?:,|\band|\bit|\bwhich|\bthat) (?:only |just |now |currently )?(?:costs|is priced at|goes for|sells for) ?\Z",
    re.IGNORECASE,
)
"""A verb right before an amount that belongs to the item, whatever else is said of it."""
_ENDS = re.compile(r"\s?(?:\Z|[.,;:!)\u2013\u2014-]|/ ?night\b|(?:and|but|so|which|while|und|aber|y|pero|et|mais|an?|per|right|now|today|at the moment|currently|here|apiece)\b)")  # fmt: skip
"""Text behind an amount that holds for every buyer, day and size."""
_AFTER = re.compile(
    r"\A[^.!?;]{0,30}?\b(?:with|after|if|when|using|includ\w+|incl|before|without|exclud\w+|plus|on top)\b|\A\s?(?:off|cheaper|less|more|extra|discount|shipping|deposit|or|in total|total|for (?:one|two|three|four|five|six|seven|eight|nine|ten|both|all|the|an?|\d)\b|per (?:week|month)|a (?:week|month))\b",
    re.IGNORECASE,
)
_RATED = re.compile(
    r"\b(?:rated|rating of|rating is|has a rating of|scores)\s(?P<value>\d(?:\.\d{1,2})?)(?![\d%]|\s?(?:/|out of)\s?(?!5\b)\d)"
    r"|(?<!of )(?<!/ )\b(?P<stars>\d\.\d{1,2})[ -]stars?\b",
    re.IGNORECASE,
)
_STOCKED = re.compile(
    r"(?:\b(?P<none>out of stock|sold out)|\b(?:is|are) (?:still |currently |now )?(?P<some>in stock)|\bonly (?P<few>\d{1,4}) (?:left|remaining))\b"
    r"(?! (?:(?:in|for|on|until|again|online|every|most)\b(?! (?:total|all)\b)|at (?!the moment|present|[£$€])))",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:if|not|n't|no longer|might|may|could|would|should|will|whether|until|unless|soon|nearly|almost|often|usually|was|were)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\A\W{0,3}\s(?:is|comes|is available)\s(?:only\s|also\s|all\s)?(?:in\s|made\s(?:of|from)\s)?(?:(?:a|an)\s)?\Z",
    re.IGNORECASE,
)
_VARIANT = re.compile(r"\b(?:in|as|with|for) ", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|until|whether|once|when)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:is|in|of|from|all|also|only|an?)\s(?P<value>[^\W_]{3,30})")
_HAS = re.compile(
    r"\b(?:has|with|includes|offers) (?:(?:an?|free) ){0,2}(?P<what>\w{2,20}(?:[ -]\w{2,20}){0,2})",
    re.IGNORECASE,
)
_SAME = re.compile(r"\A(?:it|this one)(?:'s)?\b", re.IGNORECASE)


def of_text(at: int, message: Message, sources: Sources) -> Iterator[Statement]:
    """The statements of a reply's text about the items that it names. Questions, conditions and rounded amounts state nothing; where
    a sentence names several items each must have its own statement."""
    text = straight(message.content[:MOST_READ])
    if not _may_state(text, sources) or sources.titles is None:
        return
    found = sources.titles.find(text)
    latest: Mention | None = None
    for sentence in sentences(text):
        inside = [one for one in found if sentence.start <= one.start and one.end <= sentence.end]
        line = sentence.of(text)
        if not line.rstrip("\"') ").endswith("?"):
            subjects = inside or ([latest] if latest is not None and _SAME.match(line) else [])
            yield from _stated(at, text, sentence, subjects, sources)
        if inside:
            latest = inside[-1] if len(inside) == 1 else None


def _may_state(text: str, sources: Sources) -> bool:
    """Return whether a text holds the words of any statement. Looking for titles takes longer."""
    return (
        any(amount.currency for amount in amounts(text))
        or bool(_RATED.search(text) or _STOCKED.search(text))
        or any(sources.dimensions(folded(match["value"])) for match in _CALLED.finditer(text))
        or any(sources.switch(match["what"]) for match in _HAS.finditer(text))
        or next(quantities(text), None) is not None
    )


def _stated(
    at: int, text: str, sentence: Span, subjects: Sequence[Mention], sources: Sources
) -> Iterator[Statement]:
    if subjects and _CONDITION.search(text[sentence.start : max(subjects[0].start, sentence.start)]):
        return
    for place, subject in enumerate(subjects):
        start = max(subject.end, sentence.start)
        end = subjects[place + 1].start if place + 1 < len(subjects) else sentence.end
        found = list(_said(text[start:end], sources))
        if not found and place + 1 < len(subjects):
            return  # "A and B cost 10 and 20": what stands behind the last may be said of any
        card = Card(subject.item.id or subject.item.title, subject.item)
        known = [*sources.of(card, at)]
        yield from _measured(at, subject.item.title, text[start:end], known, start)
        ahead = text[sentence.start : max(subject.start, sentence.start)]
        part = _OTHERWISE.search(ahead[-BESIDE:]) or _PART.search(ahead)
        for first, last, said in found:
            for compared in () if part and not said.attributes else compare(said, known, rounded=True):
                if compared[-1] or not _knows(text[sentence.start : end], said, known):
                    yield Statement(at, subject.item.title, *compared, start + first, start + last)


def _measured(at: int, title: str, stretch: str, known: Sequence[Facts], start: int) -> Iterator[Statement]:
    """Yield what a reply says that an item weighs, lasts or holds, where data measure that."""
    for one, bound in stated_in(stretch):
        for teller in known:
            if found := measured(teller.written, bound):
                holds = any(map(one.is_near, found))
                yield Statement(
                    at,
                    title,
                    Of.ATTRIBUTE,
                    bound.said,
                    _ranges(found, bound.dimension),
                    teller,
                    holds,
                    start + one.start,
                    start + one.end,
                )
                break


def _ranges(found: Sequence[Quantity], dimension: str) -> str:
    return f"{dimension}: {', '.join(f'{one.low:g}' if one.low == one.high else f'{one.low:g}-{one.high:g}' for one in found)}"


def _knows(text: str, said: Facts, known: Sequence[Facts]) -> bool:
    """Return whether a text holds the right value, too: what it says beside it is about a part, a variant or another day."""
    prices = {price.value for one in known for price in one.prices} if said.prices else set()
    values = {value for one in known for name in said.attributes for value in one.attributes.get(name, ())}
    told = f" {' '.join(words(text))} " if values else ""
    return any(amount.value in prices for amount in amounts(text)) or any(
        f" {value} " in told for value in values
    )


def _said(stretch: str, sources: Sources) -> Iterator[tuple[int, int, Facts]]:
    """The statements in the stretch that belongs to one item, each with its first character and the one behind it."""
    for amount in amounts(stretch):
        before = stretch[: amount.start]
        if amount.currency and len(before) <= 80 and _is_price(before, stretch[amount.end :]):
            yield amount.start, amount.end, Facts(Origin.CARD, prices=(amount,))
            break
    if match := _undoubted(_RATED, stretch):
        yield *match.span(), Facts(Origin.CARD, ratings=(float(match["value"] or match["stars"]),))
    if (match := _undoubted(_STOCKED, stretch)) and not _VARIANT.search(stretch[: match.start()]):
        stock = int(match["few"]) if match["few"] else None
        in_stock = None if match["few"] else bool(match["some"])
        yield *match.span(), Facts(Origin.CARD, stock=stock, in_stock=in_stock)
    yield from _attributes(stretch, sources)


def _undoubted(pattern: re.Pattern[str], stretch: str) -> re.Match[str] | None:
    found = pattern.finditer(stretch)
    return next(
        (one for one in found if one.start() <= 80 and not _DOUBT.search(stretch[: one.start()])), None
    )


def _is_price(before: str, after: str) -> bool:
    plain = _COSTS.search(before) and (_GOVERNS.search(before) or _DIRECT.issuperset(words(before)))
    return bool(plain and _ENDS.match(after)) and not _OTHERWISE.search(before) and not _AFTER.match(after)


def _attributes(stretch: str, sources: Sources) -> Iterator[tuple[int, int, Facts]]:
    """ "X is blue", "X comes in blue", and "X has a lift" where a result says of items whether they have one."""
    for word in re.finditer(r"[^\W_]{3,30}", stretch[:60]):
        value = folded(word.group())
        dimensions = [name for name in sources.dimensions(value) if sources.has_one_value(name)]
        if len(dimensions) == 1 and _IS.match(stretch[: word.start()]):
            yield *word.span(), Facts(Origin.CARD, attributes={dimensions[0]: frozenset({value})})
    for match in _HAS.finditer(stretch[:120]):
        name = sources.switch(match["what"])
        if name and not _DOUBT.search(stretch[: match.start()]):
            yield *match.span(), Facts(Origin.CARD, attributes={name: frozenset({"yes"})})
