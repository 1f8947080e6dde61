"""Kinds of items (genres, cuisines, styles): named in a text, known of an item, alike or not; and what a request asks of items beside
their kind: a time, people, a series, a number of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from .....catalogue.catalogue import Catalogue, people_of
from .....catalogue.titles import Weight, weigh
from .....domain.conversation import Item
from .....text.patterns import Finder, Lexicon
from .....text.words import Span, sentences, straight, tokenise, word_spans, words
from ..acts.acts import UserAct

if TYPE_CHECKING:
    from ..reading import Named, Read

LEXICON = Lexicon(__package__, "topics")

#: Dimensions whose values say what kind of thing an item is.
KIND_DIMENSIONS = frozenset({"genre", "genres", "theme", "themes", "cuisine", "style", "styles", "category", "type",
                             "kind", "mood", "diet", "dietary restriction", "product type"})  # fmt: skip

#: Values up to so many characters are shared by many items and read once.
SHORT = 60
#: Characters that may stand between the words of one phrase: "sci - fi".
CLOSE = 3

_NEGATION = Finder(
    r"\b(?:not|no|nothing|stop|avoid|enough|n't|isn't|aren't|wasn't|don't|dont|doesn't|didn't|never|without|hate|dislike|neither|nor|except|"
    r"instead of|rather than|less|isnt|thats not|sick of|tired of|too)\b[^.!?;\n]{0,30}\Z"
)


@cache
def _names() -> dict[tuple[str, ...], frozenset[str]]:
    """Every phrase for a kind, as words, with the kinds that it can mean."""
    kinds: dict[tuple[str, ...], set[str]] = {}
    for kind, phrases in LEXICON.tables["kinds"].items():
        for phrase in [kind, *phrases]:
            kinds.setdefault(tuple(words(phrase)), set()).add(kind)
    return {phrase: frozenset(meant) for phrase, meant in kinds.items()}


@cache
def _lengths() -> dict[str, tuple[int, ...]]:
    """For the first word of a phrase, the lengths of the phrases that it opens, longest first."""
    lengths: dict[str, set[int]] = {}
    for phrase in _names():
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    return {first: tuple(sorted(known, reverse=True)) for first, known in lengths.items()}


def find_kinds(text: str, tokens: Sequence[Span] | None = None) -> list[tuple[Span, frozenset[str], bool]]:
    """The kinds that a text names: where, which, and whether it wants them (False after a
    negation in the same clause). `tokens` are the text's word spans where the caller has them."""
    found = []
    if tokens is None:
        # Most texts name no kind, which shows before it is known where their words stand.
        tokens = () if _lengths().keys().isdisjoint(words(text)) else word_spans(text)
    for span, kinds in _phrases(tokens):
        before = straight(text[max(0, span.start - 45) : span.start])
        found.append((span, kinds, not _NEGATION.search(before)))
    return found


def _phrases(tokens: Sequence[Span]) -> Iterator[tuple[Span, frozenset[str]]]:
    lengths, names = _lengths(), _names()
    reached = 0
    for position in [place for place, token in enumerate(tokens) if token.kind in lengths]:
        for length in lengths[tokens[position].kind] if position >= reached else ():
            run = tokens[position : position + length]
            kinds = names.get(tuple([token.kind for token in run]))
            if kinds and all(after.start - before.end <= CLOSE for before, after in pairwise(run)):
                yield Span(run[0].start, run[-1].end, "kind"), kinds
                reached = position + length
                break


def kinds_of(item: Item) -> frozenset[str]:
    """The kinds that an item's attributes say it is of; empty where they do not say."""
    values = [value for dimension, values in item.attributes.items() if dimension.casefold() in KIND_DIMENSIONS
              for value in values]  # fmt: skip
    return kinds_named(values)


def kinds_named(values: Iterable[str]) -> frozenset[str]:
    """The kinds that these values name."""
    return frozenset().union(
        *(_known_kinds(value) if len(value) <= SHORT else _kinds_in(value) for value in values)
    )


def _kinds_in(value: str) -> frozenset[str]:
    return frozenset(kind for _, kinds in _phrases(word_spans(value)) for kind in kinds)


_known_kinds = lru_cache(maxsize=2_000)(_kinds_in)


def akin(wanted: Iterable[str], kinds: frozenset[str]) -> bool:
    """Return whether something of these kinds can pass for one of the wanted ones, or for a neighbour."""
    near = LEXICON.tables["near"]
    return any(kind in kinds or not kinds.isdisjoint(near.get(kind, ())) for kind in wanted)


def comparable(wanted: Iterable[str], kinds: frozenset[str]) -> bool:
    """Return whether the two can rule one another out: some of both are of one sort, as genres are, or
    cuisines."""
    wished = frozenset(wanted)
    return any(not (wished.isdisjoint(sort) or kinds.isdisjoint(sort)) for sort in _sorts())


@cache
def _sorts() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(sort) for sort in LEXICON.tables["sorts"].values())


#: Words of a person's name.
_MOST_NAME, _LEAST_NAME = 3, 2
_PERSON = re.compile(
    r"\b(?:with|starring|stars?|featuring|by|actors?|actress(?:es)?|director) (?P<name>(?:[^\W\d_][\w.'-]{0,30}\W{1,2}){0,3}[^\W\d_][\w.'-]{0,30})",
    re.IGNORECASE,
)
_OF_SERIES = re.compile(
    r"(?P<name>(?:[\w'&-]{1,30} ){1,4})(?:movies?|films?|franchise|series|saga|trilogy|books?|games?)\b",
    re.IGNORECASE,
)
#: Without any of these no people, series or age is asked for.
_MAYBE = Finder(
    r"\b(?:with|star|featuring|by|act(?:or|ress)|director|movie|film|franchise|series|saga|trilogy|book|game|recent|new|latest|modern"
    r"|contemporary|old|classic|vintage)"
)
#: Signs that a name in a sentence is no wish: the user wants something alike or something else, or only tells.
_NO_WISH = Finder(
    r"\b(?:like|as|similar|than|not|without|except|besides|other than|outside|seen|watched|fan|loved?|liked?|enjoy(?:ed)?|favou?rites?|was|were)\b"
    r"|n't\b|\w no\b"
)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MANY = rf"(?:1\d|20|[2-9]|{'|'.join(_NUMBERS)})"
_THINGS = r"(?:movies|films|books|shows|songs|series|titles|items|games|places|restaurants|recommendations|suggestions|options|ones)"
_ONE = Finder(
    r"\b(?:just|only) (?:one|1|a single)\b(?! (?:of|that|i)\b)|\b(?:a single|one single) (?:movie|film|book|item|title|recommendation|suggestion)\b"
)
_SOME = Finder(
    rf"\b(?:list of|list|(?<!my )top|at least|best|give me|recommend(?: me)?|suggest(?: me)?|name(?: me)?|show me|find me) (?:the |your |best |top |some ){{0,3}}(?P<many>{_MANY})(?! ?(?:years?|stars?|hours?|minutes?|/|%))\b"
    rf"|(?:\A\W*|\b(?:me|us|recommend|suggest|list|give|need|want|find|name|show|least|another|other|best|exactly|only|just|get|for) )(?P<few>{_MANY}) (?:\w+ ){{0,3}}?{_THINGS}\b"
)


_YEAR = r"(?:1[89]|20)\d\d"
_DECADES = {"twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960,
            "seventies": 1970, "eighties": 1980, "nineties": 1990}  # fmt: skip
_WORDS = "|".join(_DECADES)
# Without any of these no time is named.
_FIGURES, _DECADE_WORD = re.compile(rf"{_YEAR}|[3-9]0'?s", re.IGNORECASE), Finder(_WORDS)
_DECADE = rf"(?:(?P<long>(?:1[89]|20)\d0)'?s|'?(?P<short>[3-9]0)'?s|(?P<word>{_WORDS}))"
#: Ages and prices that look like decades, and what turns a wish round.
_NO_DECADE = re.compile(
    r"\b(?:my|his|her|your|our|their|in (?:the|its)? ?(?:mid|low|high)|\w+'s)(?: (?:early|mid|late))?[ -]?\Z",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:\b(?:not|no|nothing|never|except|without|than|dont|didnt)|n['\u2019]t)(?: \w+){0,4}[ -]?\Z",
    re.IGNORECASE,
)
#: Characters before a time in which what turns it round is looked for.
_LOOK_BACK = 60
_SPAN = re.compile(
    rf"\b(?:between|from)?\s?(?<!\()\b(?P<first>{_YEAR})\s?(?:-|\u2013|to|and|until|through)\s?(?P<last>{_YEAR})\b(?!\))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:before|pre|prior to|older than|earlier than)[ -]?(?:the )?(?:(?P<year>{_YEAR})\b(?!'?s)|{_DECADE}\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\b(?:after|post|since|later than|newer than)[ -]?(?:the )?(?:(?P<year>{_YEAR})\b(?!'?s)|{_DECADE}\b)"
    rf"|\b(?:from )?(?P<on>{_YEAR}) (?:on|onwards?|or (?:later|newer)|and (?:later|up|newer))\b",
    re.IGNORECASE,
)
_OF_DECADE = re.compile(rf"(?<![\w($\u00a3\u20ac]){_DECADE}\b", re.IGNORECASE)
_DATED = r"(?:movies?|films?|ones?|shows?|books?|novels?|series|songs?|albums?|music|games?|releases?)"
_RECENT = re.compile(
    rf"\b(?:recent|newer|newest|latest|modern|contemporary)\b(?! years)|\bnew (?:[\w-]+ ){{0,2}}{_DATED}\b"
    r"|\b(?:too|so|quite|very|pretty) old\b",
    re.IGNORECASE,
)
_OLD = re.compile(
    rf"\b(?:old|older|classic|vintage) (?:[\w-]+ ){{0,2}}{_DATED}\b|\ba (?:good |great )?(?:old )?classic\b|\bclassics\b",
    re.IGNORECASE,
)
#: Years before the newest item known: up to the first an item is recent, from the second on it is old.
RECENT, OLD = 10, 20
_OF_YEAR = re.compile(
    rf"\b(?:in|from|of|for|during|year|released|made|out) (?:the year )?(?P<year>{_YEAR})\b(?!'?s)(?!:)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Years:
    """A span of years, both ends within it."""

    first: int
    last: int

    def __contains__(self, year: int) -> bool:
        return self.first <= year <= self.last


_EVER = Years(0, 9999)


def wanted_years(text: str) -> tuple[Years, ...]:
    """The spans of years that a message asks items to be of, any of them; none where it names no time, or says which
    it does not want."""
    if not _FIGURES.search(text) and not _DECADE_WORD.search(text):
        return ()
    for pattern, read in _READ:
        if found := tuple(read(match) for match in pattern.finditer(text) if _is_wish(text, match)):
            return found
    return ()


def wanted_age(text: str, newest: int) -> tuple[Years, ...]:
    """The years that recent or old items are of, where a text asks for such and the newest item known is of that year."""
    ages = ((_RECENT, Years(newest - RECENT, _EVER.last)), (_OLD, Years(_EVER.first, newest - OLD)))
    return tuple(years for pattern, years in ages if any(_is_wish(text, m) for m in pattern.finditer(text)))


def _is_wish(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    return not _NOT.search(before) and not (match.groupdict().get("short") and _NO_DECADE.search(before))


def _span(match: re.Match[str]) -> Years:
    first, last = sorted((int(match["first"]), int(match["last"])))
    return Years(first, last)


def _before(match: re.Match[str]) -> Years:
    return Years(_EVER.first, (int(match["year"]) if match["year"] else _decade(match).first) - 1)


def _after(match: re.Match[str]) -> Years:
    if match["on"]:
        return Years(int(match["on"]), _EVER.last)
    named = _year(match) if match["year"] else _decade(match)
    # "since 1990" takes 1990 in, "after 1990" does not; so with decades.
    since = match[0].casefold().startswith("since")
    return Years(named.first if since else named.last + 1, _EVER.last)


def _decade(match: re.Match[str]) -> Years:
    if match["long"]:
        first = int(match["long"])
    elif match["short"]:
        first = 1900 + int(match["short"])
    else:
        first = _DECADES[match["word"].casefold()]
    return Years(first, first + (99 if first % 100 == 0 and first < 2000 else 9))


def _year(match: re.Match[str]) -> Years:
    return Years(int(match["year"]), int(match["year"]))


_READ = ((_SPAN, _span), (_BEFORE, _before), (_AFTER, _after), (_OF_DECADE, _decade), (_OF_YEAR, _year))


@dataclass(frozen=True, slots=True)
class Asked:
    """Spans of years, names of people and of series that items are asked to be of, any of each; folded."""

    years: tuple[Years, ...] = ()
    people: frozenset[str] = frozenset()
    series: frozenset[str] = frozenset()

    def then(self, later: "Asked", *, anew: bool) -> "Asked":
        """Return what is asked after a further turn: where that says nothing of a time, what was asked
        before; so with people and series, unless it is a request of its own."""
        people, series = (frozenset(), frozenset()) if anew else (self.people, self.series)
        return Asked(later.years or self.years, later.people or people, later.series or series)

    def missed_by(self, offered: Sequence["Named"]) -> Iterator[str]:
        """Keys of `LOSSES` for what none of these items is known to be, though it was asked for."""
        if self.years:
            dated = [named.year for named in offered if named.year]
            if dated and not any(year in years for year in dated for years in self.years):
                yield "wrong-time"
        if self.people:
            made = [people for named in offered if named.item and (people := people_of(named.item))]
            if made and not any(self.people & people for people in made):
                yield "wrong-people"
        if self.series:
            titles = [f" {' '.join(tokenise(named.item.title).words)} " for named in offered if named.item]
            if titles and not any(f" {name} " in title for name in self.series for title in titles):
                yield "other-series"


def read_asked(reads: Iterable["Read"], catalogue: Catalogue | None) -> Asked:
    """Return what the user's messages of one turn ask of items. People and series count where the
    catalogue knows them."""
    years: list[Years] = []
    people: set[str] = set()
    series: set[str] = set()
    for read in reads:
        years += wanted_years(read.text)
        if catalogue is None or not _MAYBE.search(read.text):
            continue
        for span in sentences(straight(read.text)):
            line = span.of(read.text)
            if _NO_WISH.search(line):
                continue
            series.update(_series(line, catalogue))
            if catalogue.newest and UserAct.REQUEST in read.does:
                years += wanted_age(line, catalogue.newest)
            if not read.named:  # "what about Blue Harbour with Tom Reyes?" speaks of the film
                people.update(_people(line, catalogue))
    return Asked(tuple(years), frozenset(people), frozenset(series))


def wanted_number(texts: Iterable[str]) -> int | None:
    """Return how many items a user wants; None where no number is named."""
    for text in texts:
        if _ONE.search(text):
            return 1
        if found := _SOME.search(text):
            many = (found["many"] or found["few"]).casefold()
            return _NUMBERS.index(many) + 2 if many in _NUMBERS else int(many)
    return None


def _people(line: str, catalogue: Catalogue) -> Iterator[str]:
    for match in _PERSON.finditer(line):
        words = tokenise(match["name"]).words
        for length in range(_MOST_NAME, _LEAST_NAME - 1, -1):
            for first in range(max(0, len(words) - length + 1)):
                name = " ".join(words[first : first + length])
                if catalogue.knows_person(name):
                    yield name


def _series(line: str, catalogue: Catalogue) -> Iterator[str]:
    for match in _OF_SERIES.finditer(line):
        words = tokenise(match["name"]).words
        for first in range(len(words)):
            name = " ".join(words[first:])
            if (
                weigh(words[first:]) is Weight.DISTINCT
                and catalogue.knows_series(name)
                and not find_kinds(name)
            ):
                yield name
                break
