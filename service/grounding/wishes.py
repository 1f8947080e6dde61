"""The user's wishes that data can answer: a price limit, values named or excluded, wanted attributes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..catalogue.catalogue import PEOPLE_DIMENSIONS, folded
from ..catalogue.kinds import same_kind
from ..catalogue.title_guesses import guess_titles
from ..domain.conversation import ConversationLog, Role
from ..text.negation import REACH, clause_before, is_plain, rules_out
from ..text.words import (
    FUNCTION_WORDS,
    Span,
    blank,
    sentence_at,
    sentences,
    split_year,
    straight,
    tokenise,
    words,
)
from .facts import NO, Facts
from .money import BESIDE, Amount, amounts, limits, of_the_past, past_end, vague
from .quantities import Bound, bounds_in, has_several_decades, measured, quantities
from .sources import Sources

MOST_READ = 20_000
"""Characters of a message that are read."""
FIVE = 5
"""The best rating of one scale, which larger ones do not use."""


class Kind(StrEnum):
    """The kind of a wish."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    WANTED = "wanted"
    EXCLUDED = "not wanted"
    ALLOWED = "allowed"
    ATTRIBUTE = "attribute"
    HAS = "has"
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish said in message `message` (None: the log's `user.attributes`, which hold from the start). `value` is a folded word
    of the attributes `dimensions`, `limit` an amount of money, or `bound` a limit of another quantity."""

    kind: Kind
    message: int | None
    value: str = ""
    dimensions: frozenset[str] = frozenset()
    limit: Amount | None = None
    bound: Bound | None = None

    @property
    def text(self) -> str:
        """The wish in words."""
        if self.bound is not None:
            return f"{Kind.AT_MOST if self.bound.is_most else Kind.AT_LEAST} {self.bound.said}"
        if self.limit is not None:
            unit = f" {self.limit.currency}" if self.limit.currency else ""
            return f"{self.kind} {self.limit.value:g}{unit}"
        return self.value if self.kind in (Kind.WANTED, Kind.ATTRIBUTE) else f"{self.kind} {self.value}"

    def answered(self, known: Sequence[Facts]) -> bool | None:
        """Return whether an item of these facts, the most trusted first, is as wished; None where they do not say."""
        if self.limit is not None:
            return self._affordable(known)
        if self.bound is not None:
            return _within(self.bound, known)
        if self.kind is Kind.ATTRIBUTE:
            return self._has_attribute(known)
        for one in known:
            values = frozenset().union(*(one.attributes.get(name, frozenset()) for name in self.dimensions))
            if values:
                if self.kind is Kind.HAS:
                    return not values <= NO
                return (self.value in values) is (self.kind is Kind.WANTED)
        return None

    def _affordable(self, known: Sequence[Facts]) -> bool | None:
        assert self.limit is not None
        if self.limit.per not in ("", "night"):  # the data of items seldom say that a price is for a month
            return None
        for one in known:
            prices = [price.value for price in one.prices if price.comparable(self.limit)]
            if prices:
                bound = self.limit.value
                return min(prices) <= bound if self.kind is Kind.AT_MOST else max(prices) >= bound
        return None

    def _has_attribute(self, known: Sequence[Facts]) -> bool | None:
        relevant = [one for one in known if any(one.attributes.get(name) for name in self.dimensions)]
        if not relevant:
            return None
        return any(self.value in values for one in relevant for values in one.attributes.values())


def _within(bound: Bound, known: Sequence[Facts]) -> bool | None:
    for one in known:
        if found := measured(one.written, bound):
            return any(map(bound.allows, found))
        year = split_year(one.title or "")[1] if bound.dimension == "year" else None
        if year is not None:
            return year <= bound.value if bound.is_most else year >= bound.value
        if bound.dimension == "rating" and one.ratings:
            same_scale = all((rating > FIVE) is (bound.value > FIVE) for rating in one.ratings)
            return max(one.ratings) >= bound.value if same_scale else None
    return None


_OPEN = re.compile(
    r"\b(?:price|money|budget|cost) (?:doesn't matter|does not matter|is no (?:issue|object|problem)|isn't (?:an issue|a problem))"
    r"|\b(?:more expensive|pricier|dearer|priciest|(?:go|spend|pay) (?:a bit |a little )?(?:higher|more|over|extra))\b|\bregardless of (?:the )?(?:price|cost)\b"
    r"|\b(?:whatever|no matter what|no matter how much) (?:it|they|that) costs?\b|\b(?:whatever|no matter) the (?:price|cost)\b|\bbudget is (?:flexible|open)\b"
    r"|\b(?:forget|ignore) (?:about )?(?:the|my|our) (?:budget|price|limit)\b|\b(?:can|could|might|will) stretch\b|\b(?:splurge|upgrade|luxur\w+|premium|fanc(?:y|ier|iest))\b"
    r"|\b(?:he|she|they|boss|company|parents|wife|husband|dad|mum|mom)(?:'ll| will| would)? (?:pays?|chips? in|covers?)\b"
    r"|\b(?:one|size|model) up\b|\bnext (?:bigger|larger|better)\b|\btop of the (?:range|line)\b|\bbest (?:\w+ )?(?:you have|there is|money can buy)\b",
    re.IGNORECASE,
)
_LOOSENS = re.compile(
    r"\b(?:longer|shorter|bigger|smaller|larger|heavier|lighter|older|newer|more|less|wider|further|tomorrow|all (?:evening|night|day|weekend)|any (?:size|length|weight|year|age|rating))\b",
    re.IGNORECASE,
)
"""Words after which a limit of a size or a length may no longer hold."""
_ANEW = re.compile(
    r"\b(?:forget|scrap|ignore) (?:what i said|everything|all that|it all)\b|\bchanged my mind\b|\bstart (?:over|afresh)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\W{0,5}(?:(?:no|wait|oh|ok|sorry|hm+|well),? ){0,3}(?:actually|make (?:it|that)|(?:let's )?say|rather)\b",
    re.IGNORECASE,
)
_POINT = re.compile(r"(?:(?<=\b[Mm]ax)|(?<=\b[Mm]in))\.(?= ?\W?\d)|(?<=\b[A-HJ-Z])\.(?= [A-Z])")
"""A point that ends no sentence: "max. 30 euros", "by A. Author"."""
_STATES = re.compile(
    r"\A\W*(?i:and |but |because |why )?(?:(?i:it|this|that|they|these|those|there|the [\w-]{1,20}(?: [\w-]{1,20})?)|(?!I\b|We\b|My\b|She\b|He\b|Our\b)[A-Z]\w+(?: [A-Z]\w+){0,3})"
    r"(?:'s|'re| is| are| was| were|isn't| looks?| sounds?| seems?)(?:n't)?(?! (?:not )?(?:into|allowed|able|fond|fans?|a fan|in the mood|out))"
    r"|\A\W*(?i:is|isn't|are|aren't|was|does|doesn't) (?:(?i:it|that|this|they|these|those|the) |[A-Z])"
    r"|\b(?:which|that|who) \w+ (?:is|are|was|were)(?: not|n't)",
)
"""The head of a clause that says or asks how something is, and not how it should be: "Up is not horror", "is it not horror?"."""
_NOT_AS_SHOWN = re.compile(
    r"\b(?:is|are|was|were|looks?|says?|said|shows?|came|sent|got|photo|picture)\s\w[^.!?]{0,40}?[,;]? (?:and )?not(?: \w+)?\s\Z",
    re.IGNORECASE,
)
"""Words before a value that say how an item turned out: "the photo is black, not blue"."""
_ASKED = re.compile(
    r"\b(?:want|need|looking for|look for|searching for|would like|i'd like|show me|find me|get me|give me|make it|must be|should be|has to be"
    r"|have to be|needs to be|something|anything|(?<!not )only)(?P<gap>(?: [\w'-]{1,20}){0,4}) \Z",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\b(?:needs?|wants?|must have|requires?|with|(?<!n't )(?<!not )(?:must|should|needs? to|ha(?:s|ve) to) (?:be|have)) (?:(?:an?|free) ){0,2}(?P<what>\w{3,20}(?:[ -]\w{2,20}){0,2})",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"(?:n't|\bnot) (?:have to|need|necess\w+|mind|care)\b|\boptional\b|\bno need\b", re.IGNORECASE
)
_ELSEWHERE = frozenset("for my to like as than from similar instead with match matching besides not no without more less".split())  # fmt: skip # noqa: SIM905
_COMPLAINS = re.compile(r"\b(?:i|we) (?:said|told|asked|wrote|meant|wanted)\b|\byou (?:keep|gave|showed|suggested|recommended|offered|sent|put)\b|\b(?:why|wrong|mistake|still)\b", re.IGNORECASE)  # fmt: skip
"""Words of a sentence that names a value to complain of it."""
_TOO_MUCH = re.compile(r"\b(?:too (?:much|high|dear)|over|above|beyond|more than|expensive|pricey|limit|budget|max\w*|instead|not|no)\b|n't\b", re.IGNORECASE)  # fmt: skip
"""Words of a sentence that names an amount without accepting it."""
ASKS_PRICE = re.compile(
    r"\b(?:how much|costs?|prices?|expensive|what about|how about|and the)\b[^.!?]{0,80}\?", re.IGNORECASE
)
"""A question whose answer is a price, whatever the limit."""
_NEXT = re.compile(
    r"\b(?:(?:also|now|next|then) (?:i |we |i'll |we'll |i'd |we'd |do you |to )?(?:also )?(?:need|want|looking for|look for|like|have|find|for)|(?:need|want|looking for)(?=[^.!?]{1,60} (?:too|as well)\b)|(?:and|also|plus|now|next)(?: what about| how about| for| do you have)?,?)"
    r" (?:an?|some|my) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2})"
    r"|\b(?:where|what) (?:can|could|should|shall|do) (?:i|we) (?P<does>\w+)"
    r"|\bdo you (?:also )?(?:have|sell|do|carry|offer|stock) (?:any )?(?P<several>[a-z][\w-]{2,20}s)\b",
    re.IGNORECASE,
)
"""Words that may begin a new need: "I also need a sleeping bag", "and a flight?"."""
_NEXT_PERSON = re.compile(
    r"\b(?:and|also|now|then|plus) (?:i (?:also )?(?:need|want) )?(?:one |something |another |another one )?for (?:me|us|him|them|my|our|his|her|their|tomorrow|next|(?-i:[A-Z][a-z]\w+)(?= ?\?))\b",
    re.IGNORECASE,
)
"""Words by which a user goes on to what somebody else needs, or another day."""
_MORE_OF_IT = frozenset("one ones bit cheaper bigger smaller larger better warmer lighter different other few pair couple nicer newer".split())  # fmt: skip # noqa: SIM905
"""Words after an article with which a user goes on about the same item."""
_ALSO = re.compile(r"\A ?(?:,|or|and|nor|/) ?(?:or |and |an? |in )?\Z", re.IGNORECASE)
_LIST_ENDS = re.compile(r"(?!\W{0,3}\Z)(?!.{0,40}\b(?:is|are|would|please|pls|instead|rather|fine|ok(?:ay)?|alone|only)\b)\W{0,3}(?:,|or|and|nor|/)", re.IGNORECASE)  # fmt: skip
"""The rest of a list after a value that only a comma joins: "no horror, war or crime", not "no horror, drama please"."""


def wishes_of(log: ConversationLog, sources: Sources) -> tuple[tuple[int, tuple[Wish, ...]], ...]:
    """For each of the user's messages the wishes that hold from there on: a later limit replaces an earlier one, a value that is
    wanted again is no longer excluded. Ahead of all, at -1, what history and `user.attributes` say."""
    attributes = tuple(_attributes(log, sources))
    held: list[Wish] = []
    heard: set[str] = set()
    found: list[tuple[int, tuple[Wish, ...]]] = []
    for index, message in enumerate((*log.history, *log.messages), -len(log.history)):
        if message.role is Role.USER and message.content.strip():
            text = straight(message.content[:MOST_READ])
            if _is_next(text, heard, sources):
                held = [wish for wish in held if wish.kind is Kind.EXCLUDED]
            held = [] if _ANEW.search(text) or _NEXT_PERSON.search(text) else held
            held = _after(held, text, index, sources)
            priced = ASKS_PRICE.search(text)
            answered = [wish for wish in held if not priced or wish.limit is None or wish.message == index]
            found.append((index, (*attributes, *answered)))
            heard |= set(words(text))
    return ((min(-len(log.history), 0) - 1, attributes), *found)


def _is_next(text: str, heard: set[str], sources: Sources) -> bool:
    """Return whether a message asks for another item than those before it, of which no word was said."""
    for match in _NEXT.finditer(text):
        said = set(words(match["what"] or match["does"] or match["several"] or "")) - FUNCTION_WORDS
        of_it = not _MORE_OF_IT.isdisjoint(words(match.group())) or sources.switch(" ".join(said))
        if said and heard.isdisjoint(said) and not of_it:
            return True
    return False


def _after(held: Sequence[Wish], text: str, index: int, sources: Sources) -> list[Wish]:
    most = next((wish.limit for wish in held if wish.kind is Kind.AT_MOST), None)
    said = [*_said(text, index, sources, most)]
    if said:  # a title may hold words of a wish
        named = [*(sources.titles.find(text) if sources.titles is not None else ()), *guess_titles(text)]
        plain = blank(text, (Span(one.start, one.end, "title") for one in named))
        said = [*_said(plain, index, sources, most)]
    opened = max((match.start() for match in _OPEN.finditer(text)), default=-1)
    if said and opened > 0:
        later = [*_said(text[sentence_at(text, opened).start :], index, sources, most)]
        said = [wish for wish in said if wish.limit is None or wish in later]
    kept = [wish for wish in held if wish.limit is None or opened < 0]
    if kept and any(wish.bound for wish in kept):
        said_again = {one.dimension for one in quantities(text)}
        free = _LOOSENS.search(text) is not None
        kept = [one for one in kept if not one.bound or not (free or one.bound.dimension in said_again)]
    for wish in said:
        kept = _with(kept, wish)
    return kept


def _with(held: Sequence[Wish], wish: Wish) -> list[Wish]:
    """Return the wishes after another: it replaces those in its place. A value that is only named lifts its exclusion, and
    is an alternative to what was wanted of its attribute. Of two limits in one message the wider one counts."""
    others = [one for one in held if _place(one) != _place(wish)]
    if wish.kind is Kind.ALLOWED:
        rivals = (one for one in held if one.kind is Kind.WANTED and one.dimensions & wish.dimensions)
        rival = next(rivals, None)
        return [*others, replace(wish, kind=Kind.WANTED, dimensions=rival.dimensions)] if rival else others
    if wish.kind is Kind.AT_MOST:
        at_once = (one for one in held if one.kind is Kind.AT_MOST and one.message == wish.message)
        wish = max((*at_once, wish), key=lambda one: one.limit.value if one.limit else 0)
    return [*others, wish]


def _said(text: str, index: int, sources: Sources, most: Amount | None) -> Iterator[Wish]:
    text = _POINT.sub("", text)
    own: Amount | None = None
    several = has_several_decades(text)
    for sentence in sentences(text):
        line = sentence.of(text)
        if not of_the_past(line):
            for amount, upper in limits(line, most):
                yield Wish(Kind.AT_MOST if upper else Kind.AT_LEAST, index, limit=amount)
                own = amount if upper else own
            corrected = _CORRECTS.match(line) if own else None
            most = own if corrected else most
            if most and not _TOO_MUCH.search(line, corrected.end() if corrected else 0):
                raised = [
                    one
                    for one in amounts(line)
                    if most.value < one.value <= 2 * most.value and one.comparable(most)
                ]
                yield from (
                    Wish(Kind.AT_MOST, index, limit=replace(one, currency=most.currency)) for one in raised
                )
            yield from _switched(line, index, sources)
            for bound in () if vague(line) else bounds_in(line):
                if bound.dimension != "year" or not several:
                    yield Wish(Kind.MEASURED, index, bound=bound)
        yield from _values(line, index, sources)


def _place(wish: Wish) -> tuple[object, ...]:
    """Return what a later wish must share to replace an earlier one."""
    if wish.bound is not None:
        return wish.bound.dimension, wish.bound.is_most
    return (wish.kind,) if wish.limit is not None else (wish.value, wish.dimensions)


def _attributes(log: ConversationLog, sources: Sources) -> Iterator[Wish]:
    for attribute in log.user.attributes if log.user else ():
        value = folded(attribute)
        dimensions = sources.dimensions(value)
        if sources.catalogue is not None and sources.catalogue.knows_person(value):
            dimensions |= PEOPLE_DIMENSIONS
        if dimensions:
            yield Wish(Kind.ATTRIBUTE, None, value, dimensions)


def _values(line: str, index: int, sources: Sources) -> Iterator[Wish]:
    """Values that a sentence wants or excludes. Items may have several values of an attribute, as films have genres. Then one
    that is wanted rules none out, so only the excluded ones count."""
    tokens = tokenise(line)
    open_ended, complains, past = vague(line), _COMPLAINS.search(line) is not None, past_end(line)
    last: tuple[int, Kind] | None = None
    place = 0
    while place < len(tokens):
        length, value, dimensions = _value_at(tokens.words, place, sources)
        if not length:
            place += 1
            continue
        start, end = tokens.starts[place], tokens.ends[place + length - 1]
        place += length
        if past is not None and past <= end:
            continue
        kind = _polarity(line, start, end, open_ended=open_ended, complains=complains)
        if kind in (None, Kind.ALLOWED) and last is not None and _goes_on(line, last[0], start, end):
            kind = last[1]
        if kind is None:
            continue
        last = (end, kind)
        single = frozenset(name for name in dimensions if sources.has_one_value(name))
        if kind is Kind.WANTED and single:
            yield Wish(kind, index, value, single)
        else:
            yield Wish(Kind.ALLOWED if kind is Kind.WANTED else kind, index, value, dimensions)


def _goes_on(line: str, last: int, start: int, end: int) -> bool:
    """Return whether a value at `line[start:end]` belongs to the list of the value that ends at `last`."""
    joint = line[last:start]
    return _ALSO.match(joint) is not None and (
        joint.strip() != "," or _LIST_ENDS.match(line, end) is not None
    )


def _value_at(words: Sequence[str], place: int, sources: Sources) -> tuple[int, str, frozenset[str]]:
    for length in (3, 2, 1) if words[place] not in FUNCTION_WORDS else ():
        value = " ".join(words[place : place + length])
        if (
            place + length <= len(words)
            and len(value) > 2
            and not value.isdecimal()
            and value not in _EVERYDAY
        ):
            # A plural of the value is the value: "no thrillers". So is another word for it: "nothing scary".
            kind = same_kind(value)
            # "Horror that isn't gory" is horror.
            stands_for = kind if _ends_phrase(words, place + length) and kind not in words else value
            for spelled in (value, value.removesuffix("s"), f"{value}s", stands_for):
                if dimensions := sources.dimensions(spelled):
                    return length, spelled, dimensions
    return 0, "", frozenset()


_NOUNS = frozenset("movie movies film films show shows book books one ones stuff thing things please pls tonight for or and either".split())  # fmt: skip # noqa: SIM905


def _ends_phrase(words: Sequence[str], place: int) -> bool:
    """Return whether an adjective is the wish itself ("nothing scary", "scary films"), not part of another ("scary prices")."""
    return place >= len(words) or words[place] in _NOUNS


_EVERYDAY = frozenset(
    """the and all new old one any yes not for true false none other more less good best great nice small large big
    medium light easy hard standard normal regular general classic free full open high low long short unknown available""".split()  # noqa: SIM905
)
"""Values that a sentence may hold without meaning them."""


def _polarity(line: str, start: int, end: int, *, open_ended: bool, complains: bool) -> Kind | None:
    before = line[max(0, start - REACH) : start]
    states = _STATES.search(clause_before(line, start)) or _NOT_AS_SHOWN.search(before)
    if rules_out(line, start, end):
        return None if states or not is_plain(line, start, end) else Kind.EXCLUDED
    asked = _ASKED.search(line[max(0, start - BESIDE) : start])
    if asked is None or open_ended:
        return None if states or complains else Kind.ALLOWED
    return None if _ELSEWHERE & set(asked["gap"].lower().split()) else Kind.WANTED


def _switched(line: str, index: int, sources: Sources) -> Iterator[Wish]:
    """Features that an item must have ("needs a lift"), where results say of items whether they have it."""
    if not sources.switches or vague(line) or _OPTIONAL.search(line):
        return
    for match in _NEEDED.finditer(line):
        name = sources.switch(match["what"])
        if name and not rules_out(line, *match.span("what")):
            yield Wish(Kind.HAS, index, name, frozenset({name}))


def wanted_together(wishes: Sequence[Wish]) -> Iterator[tuple[Wish, ...]]:
    """Wishes as items answer them: values wanted of one attribute are alternatives, every other wish stands alone."""
    alternatives: dict[frozenset[str], list[Wish]] = {}
    for wish in wishes:
        if wish.kind is Kind.WANTED:
            alternatives.setdefault(wish.dimensions, []).append(wish)
        else:
            yield (wish,)
    yield from map(tuple, alternatives.values())
