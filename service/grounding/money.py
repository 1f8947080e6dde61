"""Amounts of money in a text with their currencies, and the most or the least that somebody wants to pay."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

DOLLARS = "dollars"
"""A dollar of which it is not said whose."""
_NAMES = {
    "$": DOLLARS, "dollar": DOLLARS, "dollars": DOLLARS, "bucks": DOLLARS,
    "us$": "USD", "ca$": "CAD", "c$": "CAD", "au$": "AUD", "a$": "AUD", "nz$": "NZD", "s$": "SGD", "hk$": "HKD", "r$": "BRL", "mx$": "MXN",
    "€": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "pound": "GBP", "pounds": "GBP", "quid": "GBP",
    "¥": "JPY", "yen": "JPY", "₹": "INR", "rupees": "INR", "rs": "INR", "rs.": "INR", "swiss francs": "CHF", "francs": "CHF", "kr": "kr", "zł": "PLN", "reais": "BRL",
    "₩": "KRW", "₺": "TRY", "lira": "TRY", "rand": "ZAR", "yuan": "CNY", "rmb": "CNY", "pesos": "MXN", "dirhams": "AED",
}  # fmt: skip
_CODES = "usd eur gbp chf jpy inr cad aud nzd sek nok dkk pln czk sgd hkd cny krw brl mxn zar try".split()  # noqa: SIM905 - a list of words reads best as prose
_FAMILIES = ({DOLLARS, "USD", "CAD", "AUD", "NZD", "SGD", "HKD"}, {"kr", "SEK", "NOK", "DKK"})

_WORDS = "|".join([*(name for name in _NAMES if name[0].isalpha() and name[-1].isalpha()), r"rs\.", *_CODES])
_UNIT = rf"(?:(?:us|ca?|au?|nz|s|hk|r|mx)?\$|[€£¥₹₩₺]|(?:{_WORDS})(?!\w))"
_NUMBER = (
    rf"\d{{1,3}}(?:[\u00a0\u202f]\d{{3}}){{1,3}}|\d{{1,3}} (?:\d00(?= ?-?{_UNIT})|000\b)"
    r"|\d{1,3}(?:[.,]\d{3}){1,3}(?:[.,]\d{1,2})?|\d{1,7}(?:[.,]\d{1,2})?"
)
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?:(?P<before>{_UNIT}) ?)?(?P<number>{_NUMBER})(?![\d%])(?P<times>(?: ?k| grand| thousand| lakhs?| crores?| ?m(?:illions?|n)?)\b)?(?P<after> ?-?{_UNIT})?",
    re.IGNORECASE,
)

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_SPELLED = re.compile(
    rf"\b(?:(?P<hundreds>an?|{'|'.join(_ONES[:9])}) hundred(?: and)?(?: |(?= ?-?{_UNIT})))?(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<one>{'|'.join(_ONES[:9])}))?|(?P<ones>{'|'.join(_ONES)}))?"
    rf"(?P<after> ?-?{_UNIT})",
    re.IGNORECASE,
)
"""An amount in words: "a hundred and twenty euros"."""
_TIMES = {"k": 1000, "grand": 1000, "thousand": 1000, "lakh": 100_000, "crore": 10_000_000}
"""Multiples of an amount; all others are millions."""
_SHORT = frozenset({2, 4, 5, 8, 10})
"""Thousands that are no money where no currency is named: a 4K screen, a run of 10k."""

BESIDE = 100
"""Characters before and after an amount or a value that say how it is meant."""

_MOST = re.compile(
    r"(?:\b(?:under|below|less than|cheaper than|up to|at most|within|not over|not above|spend(?: only)?|only (?:have|got)|(?:go|stretch) to"
    r"|(?:no|not|never|nothing|without)(?: [\w']{1,12}){0,4} (?:more than|over|above|exceed(?:ing)?))|n't(?: [\w']{1,12}){0,4} (?:more than|over|above|exceed)"
    r"|\b(?:budget|limit|ceiling|max(?:imum)?(?: price)?)(?:'s| of| is|:| tops out at)?(?: only)?|\b(?:tops out at|caps? (?:is|at|of))"
    r"|\b(?:höchstens|maximal|bis zu|unter|weniger als|nicht (?:mehr als|über|teurer als)|budget (?:von|ist|sind|liegt bei|beträgt)"
    r"|como (?:máximo|mucho)|máximo(?: de)?|menos de|hasta|(?:no|sin) (?:más de|(?:gastar|pasar|superar)\w*(?: más)?(?: de)?)|presupuesto(?: \w+)? (?:es(?: de)?|de)"
    r"|au (?:maximum|plus)|moins de|jusqu'à|pas plus de|budget (?:est )?de|maximum de)|[<≤]) ?(?:my budget of |about |around )?\Z",
    re.IGNORECASE,
)
_MOST_AFTER = re.compile(
    r"\A ?(?:max\b|maximum\b|maximal\b|höchstens\b|(?:como )?máximo\b|como mucho\b|au (?:maximum|plus)\b|oder weniger\b|o menos\b|ou moins\b|tops\b|at (?:the (?:very )?)?most\b|is all (?:i|we)\b|to spend\b|or (?:less|fewer|under|below|cheaper|shorter|lighter|smaller)\b|is (?:the|my|our) (?:limit|max\w*|ceiling|cap\b)|budget\b(?!\W{0,3}(?:is |of )?\W{0,2}\d))",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:at least|no less than|not less than|not (?:under|below)|min(?:imum)?(?: of)?|mindestens|al menos|como mínimo|mínimo(?: de)?|au moins|minimum de) \Z",
    re.IGNORECASE,
)
_LEAST_AFTER = re.compile(
    r"\A ?(?:at least|min(?:imum)?|mindestens|(?:como )?mínimo|au (?:moins|minimum)|and (?:up|above|over)|upwards?|or (?:more|longer|bigger|larger|higher|above|over|better|up)|oder mehr|o más|ou plus)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween \Z", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:budget|spend|pay|price|cost|costs)\b", re.IGNORECASE)
_OTHER_UNIT = re.compile(r"\A ?-?(?:(?:min(?:ute)?s?|h(?:ou)?rs?|days?|nights?|weeks?|years?|people|persons|guests|players|pages|km|kilomet\w+|miles|met(?:er|re)s|inch(?:es)?|kg|gb)\b|off\b|in total\b|altogether\b)", re.IGNORECASE)  # fmt: skip
_EXTRAS = r"(?:delivery|shipping|postage|deposit|tips?|fees?|discount|voucher|coupon|tax(?:es)?)"
_FOR_ELSE = re.compile(rf"\b{_EXTRAS}\b[^,.;]{{0,25}}\Z", re.IGNORECASE)
_FOR_ELSE_AFTER = re.compile(rf"\A (?:for |of |on |in )?(?:the |an? )?{_EXTRAS}\b", re.IGNORECASE)
"""Words around an amount that is for something beside the item."""
_ONE_OF_SEVERAL = re.compile(r"\b(?:one|another|the other)\b", re.IGNORECASE)
_PER = re.compile(
    r" ?(?:/ ?|(?:per|an?|each|every|for an?) )(?P<unit>night|day|week|month|year|hour|person|head|guest|adult|child|user|seat|piece|pair|bottle|glass|ticket|lesson|session|class|kilo|kg|litre|unit|visit)\b"
    r"|,? ?(?:(?P<month>pcm|monthly)|(?P<year>yearly|annually|p\.?a\.?)|(?P<week>weekly)|(?P<person>pp|p\.p\.)|(?P<piece>each|apiece))(?!\w)",
    re.IGNORECASE,
)
"""The unit that an amount pays for."""
_ASKS_WHETHER = re.compile(r"\W{0,5}(?:and |so )?(?:is|are|does|do|was) (?:it|that|this|they|these|those|the)\b", re.IGNORECASE)  # fmt: skip
_VAGUE = re.compile(r"\b(?:ideally|preferably|if possible|would be nice|roughly|around|about|maybe|perhaps|approximately|or so|ungefähr|etwa|circa|am liebsten|wenn möglich|más o menos|alrededor de|si es posible|environ|à peu près|de préférence)\b", re.IGNORECASE)  # fmt: skip
_APPROXIMATE = frozenset({"about", "around", "roughly", "approximately"})
_PARTED = re.compile(r"\w\W*, *\w")
_PAST = re.compile(
    r"\b(?:(?:had|seen)(?! enough)|was|were|bought|paid|spent|saw|watched|own|owned|used to|last (?:year|week|month|time)|my (?:old|current|last)"
    r"|(?:already|(?<!all )i) have(?! (?:got |only )?(?:only )?[\d$€£]| (?:no|zero|an? (?:\w+ )?(?:budget|limit|max\w*)|had enough|seen enough)\b)|i've(?! (?:had|seen) enough\b| got (?:only )?[\d$€£])|bezahlt|gekauft|gekostet|pagué|compré|costó|payé|acheté|coûté)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be money: `text[start:end]`. `currency` is a code of ISO 4217 or `DOLLARS`, None where none is named.
    `per` is what it pays for, such as "night", empty where that is not said."""

    value: float
    currency: str | None = None
    start: int = 0
    end: int = 0
    per: str = ""

    def comparable(self, other: "Amount") -> bool:
        """Return whether both are, or may be, of one currency: one that is not named may be any."""
        one, two = self.currency, other.currency
        return one is None or two is None or one == two or any({one, two} <= family for family in _FAMILIES)


def amounts(text: str) -> Iterator[Amount]:
    """Find all numbers of a text, each with the currency next to it. Numbers in words count only if a currency follows."""
    yield from sorted((*_in_digits(text), *_in_words(text)), key=lambda one: one.start)


def _in_words(text: str) -> Iterator[Amount]:
    for match in _SPELLED.finditer(text):
        hundreds, tens, one = match["hundreds"], match["tens"], match["one"] or match["ones"]
        value = 0
        if hundreds:
            value += 100 * (1 + _ONES.index(hundreds.lower()) if hundreds.lower() in _ONES else 1)
        if tens:
            value += 20 + 10 * _TENS.index(tens.lower())
        if one:
            value += 1 + _ONES.index(one.lower())
        if value:
            yield Amount(
                float(value), currency(match["after"]), match.start(), match.end(), _unit(text, match.end())
            )


def _unit(text: str, at: int) -> str:
    """Return what an amount that ends at a position pays for, empty where that is not said."""
    per = _PER.match(text, at)
    return (per["unit"] or per.lastgroup or "").lower() if per else ""


def _in_digits(text: str) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        unit = match["before"] or match["after"]
        value, times = number(match["number"]), (match["times"] or "").strip().lower()
        if unit is None and (
            (times == "k" and value in _SHORT) or times == "m"
        ):  # 4k is a screen, 3 m a length
            continue
        value *= _TIMES.get(times.removesuffix("s"), 1_000_000) if times else 1
        yield Amount(value, currency(unit), match.start(), match.end(), _unit(text, match.end()))


def currency(name: str | None) -> str | None:
    """The currency of a sign, a word or a code; None for none."""
    if not name or not name.strip(" -"):
        return None
    folded = name.strip(" -").lower()
    return _NAMES.get(folded, folded.upper())


def number(written: str) -> float:
    """A number in either style: "1,299.00" and "1.299,00" are the same, and "1,299" is no fraction. A space may part thousands."""
    written = re.sub(r"\s", "", written)
    last = max(written.rfind("."), written.rfind(","))
    whole, fraction = (written[:last], written[last + 1 :]) if last >= 0 else (written, "")
    if len(fraction) == 3 or not fraction:
        whole, fraction = whole + fraction, "0"
    return float(f"{whole.replace('.', '').replace(',', '')}.{fraction}")


def vague(line: str) -> bool:
    """Return whether a sentence only leans to what it names: "ideally", "about"."""
    return _VAGUE.search(line) is not None


def _leans(before: str, after: str) -> bool:
    """Return whether a vague word belongs to the amount between these words: "ideally under 30 euros", but not "ideally a red one,
    under 30 euros"."""
    joints = [(match, before[match.end() :]) for match in _VAGUE.finditer(before)]
    joints += [(match, after[: match.start()]) for match in _VAGUE.finditer(after)]
    return any(
        not _PARTED.search(joint) and (match[0].lower() not in _APPROXIMATE or len(joint.split()) < 2)
        for match, joint in joints
    )


def _beside(line: str, amount: Amount) -> tuple[str, str]:
    return line[max(0, amount.start - BESIDE) : amount.start], line[amount.end : amount.end + BESIDE]


def of_the_past(line: str) -> bool:
    """Return whether a sentence tells what was: "I paid 300 dollars for my old one"."""
    return past_end(line) is not None


def past_end(line: str) -> int | None:
    """Return where the first words of a sentence end that tell what was; None if there are none."""
    match = _PAST.search(line)
    return match.end() if match else None


def bounds(before: str, after: str) -> bool | None:
    """Return whether an amount between these words is the most that somebody wants, or else the least; None if it is no limit."""
    if _LEAST.search(before) or _LEAST_AFTER.match(after):
        return False
    return True if _MOST.search(before) or _MOST_AFTER.match(after) else None


def limits(line: str, most: Amount | None = None) -> Iterator[tuple[Amount, bool]]:
    """Yield the bounds of what somebody wants to pay, each with whether it is an upper one. A vague amount is none, nor is one
    in a sentence about several items. After a limit `most`, an amount of its size needs no currency."""
    leaning = vague(line)
    found = [one for one in amounts(line) if not (leaning and _leans(*_beside(line, one)))]
    asks = line.rstrip("\"') ").endswith("?") and _ASKS_WHETHER.match(line)
    if not found or asks or len(_ONE_OF_SEVERAL.findall(line)) > 1:
        return
    money = _MONEY.search(line) is not None
    for amount, following in zip_longest(found, found[1:]):
        before, after = _beside(line, amount)
        joint = line[amount.end : following.start].strip() if following else ""
        between = _BETWEEN.search(before) and joint in {"and", "-", "to"}
        if following and (between or joint in {"-", "\u2013", "to"}):
            unit = amount.currency or following.currency
            if between and (unit or money):
                yield replace(amount, currency=unit, per=following.per), False
            if unit or money:
                yield replace(following, currency=unit), True
            return
        like_most = most is not None and most.value <= 2 * amount.value <= 4 * most.value
        named = amount.currency is not None or money or like_most
        if not named or _OTHER_UNIT.match(after) or _FOR_ELSE.search(before) or _FOR_ELSE_AFTER.match(after):
            continue
        if (upper := bounds(before, after)) is not None:
            yield amount, upper
