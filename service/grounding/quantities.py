"""Quantities with units, in texts and in the data of items, and the most or the least that somebody wants of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..text.negation import rules_out
from .money import BESIDE, bounds, number

_UNITS = {
    "minutes": (r"min(?:ute|uto)?s?|minuten", 1), "hours": (r"hours?|hrs?|h|stunden?|horas?|heures?", 60), "days": (r"days?|tagen?|d[ií]as?|jours?", 1),
    "nights": (r"nights?|nächten?|noches?|nuits?", 1), "weeks": (r"weeks?", 1), "millimetres": (r"mm|millimet(?:er|re)s?", 0.1),
    "centimetres": (r"cm|centimet(?:er|re)s?", 1), "metres": (r"m|met(?:er|re)s?|metros?|mètres?", 100), "inches": (r"inch(?:es)?|zoll|pulgadas", 1),
    "kilometres": (r"km|kilomet(?:er|re)s?|kilómetros?|kilomètres?", 1), "miles": (r"miles?", 1), "kilos": (r"kg|kilos?|kilograms?|kilogramm", 1000),
    "grams": (r"g|gr|grams?|gramm|gramos|grammes?", 1), "pounds": (r"lbs?", 1), "ounces": (r"oz|ounces?", 1),
    "gigabytes": (r"gb|gigs?|gigabytes?", 1), "terabytes": (r"tb|terabytes?", 1000), "litres": (r"l|lit(?:er|re|ro)s?", 1), "millilitres": (r"ml", 0.001),
    "pages": (r"pages?|pp|seiten|páginas", 1), "players": (r"players?|spielern?|jugadores|joueurs", 1), "watts": (r"w|watts?", 1),
    "people": (r"people|persons?|guests?|personen|personas|personnes", 1), "decibels": (r"db|decibels?", 1), "milliampere hours": (r"mah", 1),
    "hertz": (r"hz|hertz", 1), "megapixels": (r"mp|megapixels?", 1), "calories": (r"k?cal|calories", 1), "stars": (r"[- ]?stars?|sternen?|estrellas|étoiles", 1),
}  # fmt: skip
"""Units, as they are written, with their size in the unit of their dimension."""
_DIMENSION = {
    "hours": "minutes", "metres": "centimetres", "millimetres": "centimetres", "kilos": "grams", "terabytes": "gigabytes", "millilitres": "litres",
}  # fmt: skip
_WRITTEN = "|".join(f"(?P<{name.replace(' ', '_')}>{pattern})" for name, (pattern, _) in _UNITS.items())
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = r"\d{1,3}(?:,\d{3})+|\d{1,5}(?:[.,]\d{1,2})?"
_MINUTES = re.compile(r",? ?(?:and )?(?P<number>[1-5]?\d) ?m(?:in(?:ute)?s?)?\b", re.IGNORECASE)
"""Minutes after hours, as part of one amount."""
_AMOUNT = re.compile(
    rf"(?<![\w.,$€£-])(?:(?P<low>{_DIGITS}) ?(?:-|\u2013|to) ?)?(?P<number>{_DIGITS}|{'|'.join(_WORDS)})[ -]?(?:{_WRITTEN})(?!\w)(?! ?[²³])",
    re.IGNORECASE,
)
_WALK = 100
"""Metres from which on a length is a distance."""
_THAN = re.compile(
    r"\b(?:(?P<less>less|shorter|lighter|smaller|fewer|quieter|thinner|nearer|closer)|more|longer|heavier|bigger|larger|wider|taller|higher|further|farther|louder|thicker|better) than \Z", re.IGNORECASE
)  # fmt: skip
"""A comparison. Negation reverses it: "nothing longer than two hours" is a limit."""
_ASIDE = re.compile(
    r"\A ?(?:wide|long|tall|high|deep|thick|away|of [\w-]{1,20}|ram|storage)(?= (?:at (?:the )?most|max|or|tops|at least|min))",
    re.IGNORECASE,
)
_FOR_ALL = re.compile(r"\b(?:for|with)(?: (?:all|up to))? \Z", re.IGNORECASE)
_ABOUT = {
    "wide": "width", "tall": "height", "high": "height", "long": "length", "deep": "depth", "thick": "thickness", "memory": "ram", "ssd": "storage", "disk": "storage",
    "weighs": "weight", "weigh": "weight", "light": "weight", "lighter": "weight", "heavier": "weight", "quieter": "noise",
}  # fmt: skip
"""The name of an attribute for words that speak of it."""
_USUAL = {
    "minutes": {"runtime", "duration", "length", "playtime", "playing time", "run time", "time", "total time", "cooking time"}, "grams": {"weight"}, "pounds": {"weight"}, "ounces": {"weight"},
    "kilometres": {"length", "distance"}, "miles": {"length", "distance"}, "inches": {"screen", "screen size", "display", "display size", "size", "diagonal"},
    "litres": {"capacity", "volume"}, "pages": {"pages", "page count", "length", "number of pages"}, "players": {"players", "player count", "number of players"},
    "people": {"people", "guests", "sleeps", "seats", "capacity", "persons"}, "decibels": {"noise", "noise level", "volume", "loudness", "sound"},
    "milliampere hours": {"battery", "battery capacity", "capacity"}, "hertz": {"refresh rate"}, "megapixels": {"camera", "resolution", "sensor"},
    "year": {"year", "release year", "released", "release date", "published", "publication year", "first published", "year of release"},
    "size": {"size", "sizes", "shoe size", "available sizes"}, "stars": {"stars", "star rating", "category", "hotel stars"}, "calories": {"calories", "energy"}, "watts": {"power"},
}  # fmt: skip
"""Attributes that a quantity is about where its sentence names none, by dimension."""
_RATED = re.compile(
    r"\b(?:rat(?:ed|ings?)|scor\w+|reviews?)(?: (?:is|of|with|on|an?|average|at least|over|above|higher than|better than|no less than|must be|should be)){0,4} (?P<value>[1-9](?:\.\d)?)(?= stars?\b|\W*\Z|[,;!)]| or (?:more|better|higher|above)\b)",
    re.IGNORECASE,
)
"""The least rating that somebody wants."""
_YEAR = re.compile(
    r"\b(?:(?P<after>after|newer than|later than|younger than)|(?P<since>since|from)(?= \d{4} (?:on|onwards?|or (?:later|newer))\b)|(?P<before>before|older than|earlier than|pre))[ -](?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_DECADE = re.compile(
    r"\b(?:from|(?:made|released|filmed|recorded|written|published) in) the (?:early |late |mid )?'?(?P<decade>(?:19|20)?[0-9]0)'?s\b(?P<rest>\W{1,3}(?:(?:or|and|to|through|till|until|amp)\W{1,2})?(?:the )?(?:(?P<later>later|newer|after|onwards?|up)\b|(?:early |late )?'?\d{2,4}|earlier|older|before))?",
    re.IGNORECASE,
)
_ANY_DECADE = re.compile(r"\b(?:19|20)?\d0'?s\b", re.IGNORECASE)
_SIZE = re.compile(
    r"\b(?:size|größe|talla|taille|pointure) (?:eu |is )?(?P<size>\d{1,2}(?:[.,]5)?)(?![\d.,]?\d|\s?(?:cm|inch|mb|gb))",
    re.IGNORECASE,
)
_SCALE = 1.5
"""Sizes that differ by a larger factor are of different countries."""
_LIKES = re.compile(
    r"\b(?<!would )(?<!'d )(?:love|like|liked|loved|enjoy|enjoyed|fans? of|grew up|born|about|set in)\b",
    re.IGNORECASE,
)
"""Words of a sentence in which a year is a taste or a topic."""
_OWN = re.compile(
    r"\b(?:my|our|his|her|their|the|this|it|they) ?(?!(?:limit|max\w*|ceiling)\b)(?:[\w-]{1,20} ){0,2}(?:is|are|was|were|(?<!must )(?<!should )(?:has|have|had)(?! to)|weighs|takes?|lasts?|starts?|runs?|holds?)\b[^,;]{0,100}\Z",
    re.IGNORECASE,
)
"""Words before a quantity of something that the user has."""
_HABIT = re.compile(
    r"\b(?:i|we|he|she|they)(?: \w+ly| usually| often| always)? (?:leave|arrive|live|stay|drive|walk|read|wash|run|start|work|sit|fly|travel|carry|deliver|wait)s?\b[^,;]{0,100}\Z",
    re.IGNORECASE,
)
"""Words before a quantity of what somebody does."""
_REQUEST = re.compile(
    r"\b(?:can|could|do|does|any\w*|is there|are there|have|show|find|what|which|something|need|want|like)\b",
    re.IGNORECASE,
)
_STARTS = re.compile(r"(?:19|20)\d\d\b")
NEAR = 0.12
"""Share by which a rounded quantity may differ."""
LONGEST_STATEMENT = 80
_STATES = re.compile(
    r"\A\W{0,2}\s?(?:only |just )?(?:weighs|has|runs(?: for)?|lasts|is|takes|wiegt|hat|dauert|pesa|tiene|dura|pèse|dure)(?: only| just)?\s\Z",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\A(?:\s(?:long|wide|tall|high|deep|thick|of (?:ram|memory|storage)|ram))?(?:\s?\Z|[.,;!)](?!\d)|\s(?:and|but|so|und|y|et)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_PART_ENDS = re.compile(r"[,;.:()]|\b(?:and|or|but|plus|und|y|et)\b", re.IGNORECASE)
_PLAIN = re.compile(rf"(?:(?P<low>{_DIGITS}) ?(?:-|\u2013|to) ?)?(?P<high>{_DIGITS})")
"""A number or a range without a unit."""


class Quantity(NamedTuple):
    """An amount of a dimension, from `low` to `high` in its unit, at its place in a text."""

    dimension: str
    low: float
    high: float
    start: int
    end: int

    def is_near(self, other: "Quantity") -> bool:
        """Return whether another quantity may be the same, rounded."""
        return self.low * (1 - NEAR) <= other.high and other.low <= self.high * (1 + NEAR)


class Bound(NamedTuple):
    """The most or the least of a dimension that somebody accepts, and the words in its part of the sentence."""

    dimension: str
    value: float
    is_most: bool
    about: frozenset[str]
    said: str

    def allows(self, one: Quantity) -> bool:
        """Return whether a quantity, in part at least, is within the limit."""
        return one.low <= self.value if self.is_most else one.high >= self.value


def quantities(text: str) -> Iterator[Quantity]:
    """Find the quantities of a text."""
    reached = 0
    for match in _AMOUNT.finditer(text):
        if match.start() < reached:
            continue
        name = next(one for one in _UNITS if match[one.replace(" ", "_")])
        size = _UNITS[name][1]
        high = _number(match["number"]) * size
        low = _number(match["low"]) * size if match["low"] else high
        minutes = _MINUTES.match(text, match.end()) if name == "hours" else None
        more = int(minutes["number"]) if minutes else 0
        reached = minutes.end() if minutes else match.end()
        yield _of_dimension(
            Quantity(_DIMENSION.get(name, name), low + more, high + more, match.start(), match.end())
        )


def _of_dimension(one: Quantity) -> Quantity:
    if one.dimension == "centimetres" and one.low >= 100 * _WALK:
        return one._replace(dimension="kilometres", low=one.low / 100_000, high=one.high / 100_000)
    return one


def _number(written: str) -> float:
    small = written.lower()
    return float(_WORDS.index(small) + 1) if small in _WORDS else number(small)


def bounds_in(line: str) -> Iterator[Bound]:
    """Yield the most and the least that a sentence of a user's accepts."""
    yield from _years(line)
    if match := _RATED.search(line):
        yield Bound("rating", float(match["value"]), False, frozenset(), match["value"])
    if (match := _SIZE.search(line)) and not _OWN.search(line[: match.start()]):
        yield from (
            Bound("size", number(match["size"]), most, frozenset(), match["size"]) for most in (False, True)
        )
    for one in quantities(line):
        before, after = line[max(0, one.start - BESIDE) : one.start], line[one.end : one.end + BESIDE]
        about, said = frozenset(_about(before, after)), line[one.start : one.end]
        if one.dimension == "players" and _FOR_ALL.search(before):
            yield Bound(one.dimension, one.high, False, about, said)
            yield Bound(one.dimension, one.low, True, about, said)
        elif (is_most := _is_most(line, one, before, after)) is not None:
            yield Bound(one.dimension, one.high, is_most, about, said)


def has_several_decades(text: str) -> bool:
    """Return whether a text names two decades, of which it may want either: "from the 60s? No, the 70s"."""
    return len(_ANY_DECADE.findall(text)) > 1


def _years(line: str) -> Iterator[Bound]:
    if _LIKES.search(line):
        return
    for match in _YEAR.finditer(line):
        year, is_most = int(match["year"]), match["before"] is not None
        if rules_out(line, *match.span()):
            is_most = not is_most  # "nothing older than 2010" may be from 2010
        elif match["before"] or match["after"]:
            year += -1 if is_most else 1
        yield Bound("year", year, is_most, frozenset(), match["year"])
    for match in _DECADE.finditer(line):
        if not rules_out(line, *match.span()) and not _OWN.search(
            line[max(0, match.start() - BESIDE) : match.start()]
        ):
            decade = int(match["decade"])
            first = decade if decade > 100 else decade + (1900 if decade > 20 else 2000)
            if match["later"] or not match["rest"]:
                yield Bound("year", first, False, frozenset(), match.group())
            if not match["rest"]:
                yield Bound("year", first + 9, True, frozenset(), match.group())


def stated_in(stretch: str) -> Iterator[tuple[Quantity, Bound]]:
    """Yield the quantities that the words after an item's name say that it has."""
    for one in quantities(stretch[:LONGEST_STATEMENT]):
        before, after = stretch[: one.start], stretch[one.end : one.end + BESIDE]
        if (verb := _STATES.search(before)) and _STATED.match(after):
            about = frozenset(_about(verb.group(), after))
            yield one, Bound(one.dimension, one.high, True, about, stretch[one.start : one.end])


def _about(before: str, after: str) -> Iterator[str]:
    near = f"{_PART_ENDS.split(before)[-1]} {_PART_ENDS.split(after)[0]}".lower()
    yield from (_ABOUT.get(word, word) for word in _WORD.findall(near))


def _is_most(line: str, one: Quantity, before: str, after: str) -> bool | None:
    """Return True if an amount is a user's upper limit, False if a lower one, None if neither."""
    asks = line.rstrip("\"') ").endswith("?") and not _REQUEST.search(line)
    if asks or _OWN.search(before) or _HABIT.search(before):
        return None
    if than := _THAN.search(before):
        return None if line.endswith("?") else bool(than["less"]) != rules_out(line, one.start, one.end)
    return bounds(before, _ASIDE.sub("", after))


def measured(written: Mapping[str, Sequence[str]], bound: Bound) -> Sequence[Quantity]:
    """Return the quantities that an item's attributes, by folded name, give of what a limit is about; none where that is not clear."""
    found: dict[str, list[Quantity]] = {}
    for name, values in written.items():
        known = [one for value in values if (one := _value(name, value)) and _comparable(one, bound)]
        if known and len(known) == len(values):
            found[name] = known
    named = [name for name in found if not bound.about.isdisjoint(name.split())]
    usual = _USUAL.get(bound.dimension, set())
    chosen = named or [name for name in found if not usual.isdisjoint((name, name.rpartition(" ")[0]))]
    return found[chosen[0]] if len(chosen) == 1 else ()


def _comparable(one: Quantity, bound: Bound) -> bool:
    same_scale = bound.dimension != "size" or 1 / _SCALE < one.high / bound.value < _SCALE
    return one.dimension == bound.dimension and same_scale


def _value(name: str, value: str) -> Quantity | None:
    """Return the quantity that a value is; the attribute's name may hold the unit: "weight kg", "pages"."""
    if name in _USUAL["year"]:
        year = _STARTS.match(value)
        return Quantity("year", float(year[0]), float(year[0]), *year.span()) if year else None
    plain = _PLAIN.fullmatch(value.strip())
    if name in _USUAL["size"] and plain:
        return Quantity("size", number(plain["low"] or plain["high"]), number(plain["high"]), *plain.span())
    units = reversed(name.split()) if plain else [""]
    tried = (next(quantities(f"{value.strip()} {unit}"), None) for unit in units)
    return next((one for one in tried if one is not None and one.start == 0), None)
