"""Read what a request asks of items beside their kind: a time, people, a series, a number of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .....catalogue.catalogue import Catalogue, people_of
from .....catalogue.titles import Weight, weigh
from .....text.patterns import Finder
from .....text.words import sentences, straight, tokenise
from ..acts.acts import UserAct
from ..naming import Named
from ..reading import Read
from .topics import find_kinds

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

    def missed_by(self, offered: Sequence[Named]) -> Iterator[str]:
        """Keys of `LOSSES` for what none of these items is, though it was asked for, as far as that is known of them."""
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


def read_asked(reads: Iterable[Read], catalogue: Catalogue | None) -> Asked:
    """Return what the user's messages of one turn ask of items. People and series count as far as the
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
