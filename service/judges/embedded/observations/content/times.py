"""The time that a user wants items to be of, in words: a decade, a year, a span of years."""

import re
from dataclasses import dataclass

from .....text.patterns import Finder

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
_THINGS = r"(?:movies?|films?|ones?|shows?|books?|novels?|series|songs?|albums?|music|games?|releases?)"
_RECENT = re.compile(
    rf"\b(?:recent|newer|newest|latest|modern|contemporary)\b(?! years)|\bnew (?:[\w-]+ ){{0,2}}{_THINGS}\b"
    r"|\b(?:too|so|quite|very|pretty) old\b",
    re.IGNORECASE,
)
_OLD = re.compile(
    rf"\b(?:old|older|classic|vintage) (?:[\w-]+ ){{0,2}}{_THINGS}\b|\ba (?:good |great )?(?:old )?classic\b|\bclassics\b",
    re.IGNORECASE,
)
#: How many years before the newest item known one is no longer recent, and from when on it is old.
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
