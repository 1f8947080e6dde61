"""Amounts of money in a text, with their currencies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

DOLLARS = "dollars"
"""A dollar of which it is not said whose."""
_NAMES = {
    "$": DOLLARS, "dollar": DOLLARS, "dollars": DOLLARS, "bucks": DOLLARS,
    "us$": "USD", "ca$": "CAD", "c$": "CAD", "au$": "AUD", "a$": "AUD", "nz$": "NZD", "s$": "SGD", "hk$": "HKD",
    "€": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "pound": "GBP", "pounds": "GBP", "quid": "GBP",
    "¥": "JPY", "yen": "JPY", "₹": "INR", "rupees": "INR", "francs": "CHF", "kr": "kr", "zł": "PLN",
}  # fmt: skip
_CODES = "usd eur gbp chf jpy inr cad aud nzd sek nok dkk pln czk sgd hkd cny krw brl mxn zar try".split()  # noqa: SIM905 - a list of words reads best as prose
_FAMILIES = ({DOLLARS, "USD", "CAD", "AUD", "NZD", "SGD", "HKD"}, {"kr", "SEK", "NOK", "DKK"})

_UNIT = rf"(?:(?:us|ca?|au?|nz|s|hk)?\$|[€£¥₹]|(?:{'|'.join([*(name for name in _NAMES if name.isalpha()), *_CODES])})(?!\w))"
_NUMBER = r"\d{1,3}(?:[.,]\d{3}){1,3}(?:[.,]\d{1,2})?|\d{1,7}(?:[.,]\d{1,2})?"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?P<before>{_UNIT})? ?(?P<number>{_NUMBER})(?![\d%])(?P<after> ?-?{_UNIT})?", re.IGNORECASE
)

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be money: `text[start:end]`. `currency` is a code of ISO 4217 or `DOLLARS`, None where none is named."""

    value: float
    currency: str | None = None
    start: int = 0
    end: int = 0

    def comparable(self, other: "Amount") -> bool:
        """Return whether both are, or may be, of one currency: one that is not named may be any."""
        one, two = self.currency, other.currency
        return one is None or two is None or one == two or any({one, two} <= family for family in _FAMILIES)


def amounts(text: str) -> Iterator[Amount]:
    """All numbers of a text, with the currency where one stands beside them."""
    if not _DIGIT.search(text):
        return
    for match in _AMOUNT.finditer(text):
        unit = match["before"] or match["after"]
        yield Amount(number(match["number"]), currency(unit), match.start(), match.end())


def prices(text: str) -> list[float]:
    """All amounts of a text that name a currency, whichever, in order."""
    return [amount.value for amount in amounts(text) if amount.currency]


def currency(name: str | None) -> str | None:
    """The currency of a sign, a word or a code; None for none."""
    if not name or not name.strip(" -"):
        return None
    folded = name.strip(" -").lower()
    return _NAMES.get(folded, folded.upper())


def number(written: str) -> float:
    """A number in either style: "1,299.00" and "1.299,00" are the same, and "1,299" is no fraction."""
    last = max(written.rfind("."), written.rfind(","))
    whole, fraction = (written[:last], written[last + 1 :]) if last >= 0 else (written, "")
    if len(fraction) == 3 or not fraction:
        whole, fraction = whole + fraction, "0"
    return float(f"{whole.replace('.', '').replace(',', '')}.{fraction}")
