"""Money in words: what something costs, and the most that somebody wants to pay."""

import re

from .....text.patterns import Finder

_SIGN = r"[$\u20ac\u00a3]"
_UNIT = r"(?:dollars?|euros?|pounds?|bucks|quid|usd|eur|gbp|\$|\u20ac|\u00a3)"
_NUMBER = r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,2})?|\d{1,7}(?:\.\d{1,2})?"
_PRICE = rf"(?:{_SIGN} ?(?P<signed>{_NUMBER})(?![\d%])|(?P<named>{_NUMBER}) ?{_UNIT}(?!\w))"
#: Without any of these no money is spoken of.
_MAYBE = Finder(rf"\d[^.!?\n]{{0,3}}{_UNIT}|{_SIGN} ?\d")
_STATED = re.compile(_PRICE, re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:under|below|less than|cheaper than|up to|at most|(?:no|not) more than|within|max(?:imum)?(?: of)?|(?:budget|limit)(?: of| is|:)?(?: about| around)?)"
    rf" {_PRICE}"
    rf"|{_PRICE.replace('signed', 'before').replace('named', 'ahead')} ?(?:max(?:imum)?|tops|at most|or (?:less|under|below|cheaper))\b",
    re.IGNORECASE,
)


def prices(text: str) -> list[float]:
    """All amounts of money in a text, in whatever currency, in order."""
    return [_amount(match) for match in _STATED.finditer(text)] if _MAYBE.search(text) else []


def price_limit(text: str) -> float | None:
    """The most that somebody wants to pay, in the currency that they speak of; the last one told. None where no amount of
    money is a limit."""
    found = list(_LIMIT.finditer(text)) if _MAYBE.search(text) else []
    return _amount(found[-1]) if found else None


def _amount(match: re.Match[str]) -> float:
    number = next(part for part in match.groups() if part)
    return float(number.replace(",", ""))
