"""Results of tools: the items in their results, wherever those stand in the JSON, and whether a result is an error."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import Any

from ..catalogue.catalogue import folded
from ..domain.parts import ToolResult
from .facts import NO, YES, Facts, Origin, fold_all
from .money import Amount, amounts, currency

MOST_RECORDS = 2_000
"""Items that are read from one result."""
DEEPEST = 12
LONGEST_VALUE = 60
"""Characters of a value; longer texts are no attribute."""
_TITLES = ("title", "name", "product name", "item name", "display name", "movie title", "label")
_IDS = ("id", "item id", "product id", "sku", "asin", "uid", "movie id", "code")
_PRICES = frozenset({"price", "current price", "sale price", "unit price", "offer price", "final price", "cost", "price per night",
                     "nightly price", "nightly rate", "price eur", "price usd", "price gbp"})  # fmt: skip
_RATINGS = frozenset({"rating", "average rating", "avg rating", "review score"})
"""Not `score`, by which searches rank, and not `stars`, which hotels have beside their rating."""
_STOCKS = frozenset(
    {"stock", "in stock", "stock quantity", "available", "availability", "is available", "units left"}
)
_PLAIN = frozenset({"description", "url", "image", "link", "thumbnail", "currency", "image url", "summary"})
_WRAPPERS = frozenset(
    {"data", "result", "results", "response", "payload", "output", "items", "products", "hits"}
)
_INSIDE = frozenset({"attributes", "features", "properties", "specs", "facets", "details"})
_FAILED = re.compile(
    r"\A\W{0,9}(?:error\b|exception\b|traceback \(|timed? ?out|(?:internal )?server error|service unavailable|bad gateway"
    r"|(?:http|status)\W{0,3}[45]\d\d\b|[45]\d\d (?:error|bad|not|internal|service|gateway|too|forbidden|unauthorized)"
    r"|failed to |request failed|rate limit)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Result:
    """One answer of a tool, in the message `message` (an index of `messages`; -1 for history). `records` are its items."""

    message: int
    tool: str | None
    said: str
    """All that it says, error or not: the part's content."""
    failed: bool
    records: tuple[Facts, ...] = ()

    @property
    def holds_items(self) -> bool:
        """Return whether it surely offers items: several, or one with a price, a rating or a stock."""
        data = any(one.prices or one.ratings or one.available is not None for one in self.records)
        return not self.failed and (data or len(self.records) > 1)


def read_result(message: int, part: ToolResult, tool: str | None) -> Result:
    """Read one result; what is no JSON has no records."""
    said = part.content
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        return Result(message, tool, said, part.error or bool(_FAILED.match(said)))
    failed = part.error or _is_error(value)
    records = () if failed else islice(_records(value, None, 0), MOST_RECORDS)
    return Result(message, tool, said, failed, tuple(_facts(one, message, tool) for one in records))


def _is_error(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_FAILED.match(value))
    if not isinstance(value, dict):
        return False
    known = {folded(str(key)): one for key, one in value.items()}
    status = next((known[key] for key in ("status code", "status") if key in known), None)
    error = known.get("error") or known.get("errors")
    has_error = bool(error) and not (isinstance(error, str) and folded(error) in NO)
    bad = isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600
    named = isinstance(status, str) and folded(status) in {"error", "failed", "failure"}
    unsuccessful = known.get("success") is False or known.get("ok") is False
    return bad or named or unsuccessful or has_error


def _records(value: Any, key: str | None, depth: int) -> Iterator[dict[str, Any]]:
    """Objects that describe an item: by a title, or by an id beside data of an item (in a list, by an id alone; the key of the
    object around it may be the id). An object with a title around a list of items is no item."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            yield from _records(one, None, depth + 1)
    elif isinstance(value, dict):
        record = {folded(str(name)): one for name, one in value.items()}
        data = any(name in record for name in (*_PRICES, *_RATINGS, *_STOCKS))
        titled, named = _first(record, _TITLES), _first(record, _IDS)
        within = [one for name, one in record.items() if isinstance(one, list) or name in _WRAPPERS]
        inner = [found for one in within for found in _records(one, None, depth + 1)]
        if (titled and (data or not inner)) or (named and (data or (key is None and not inner))):
            yield record
        elif data and key:
            yield {**record, "id": key}
        elif not titled:
            for name, one in value.items():
                if isinstance(one, dict) and folded(str(name)) not in _WRAPPERS:
                    yield from _records(one, str(name), depth + 1)
        yield from inner


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return unescape(str(value)).strip()
    return None


def _facts(record: Mapping[str, Any], message: int, tool: str | None) -> Facts:
    written = dict(_attributes(record))
    unit = _first(record, ("currency",))
    prices = [one for name in _PRICES if name in record for one in _amounts(record[name], unit, name)]
    stock, in_stock = None, None
    for name in _STOCKS & record.keys():
        count, any_left = _stock(record[name])
        stock = count if count is not None else stock
        in_stock = any_left if any_left is not None else in_stock
    return Facts(
        Origin.TOOL,
        _first(record, _TITLES),
        _first(record, _IDS),
        tuple(prices),
        tuple(one for name in _RATINGS if (one := _rating(record.get(name))) is not None),
        stock,
        in_stock,
        {name: words for name, values in written.items() if (words := fold_all(values))},
        message,
        tool,
        written,
    )


def _amounts(value: Any, unit: str | None, name: str) -> Iterator[Amount]:
    if isinstance(value, dict):
        inner = {folded(str(key)): one for key, one in value.items()}
        for key in ("amount", "value", "price", "current"):
            if key in inner:
                yield from _amounts(inner[key], _first(inner, ("currency", "unit")) or unit, key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        last = name.rpartition(" ")[2]
        yield Amount(float(value), currency(unit or (last if last in {"eur", "usd", "gbp"} else None)))
    elif isinstance(value, str):
        for one in amounts(value):
            yield Amount(one.value, one.currency or currency(unit))
            return


def _rating(value: Any) -> float | None:
    if isinstance(value, dict):
        inner = {folded(str(key)): one for key, one in value.items()}
        value = next((inner[key] for key in ("value", "average", "rate", "score") if key in inner), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return float(value.split("/")[0]) if isinstance(value, str) and len(value) < 12 else None
    except ValueError:
        return None


def _stock(value: Any) -> tuple[int | None, bool | None]:
    if isinstance(value, bool):
        return None, value
    if isinstance(value, int):
        return value, None
    word = folded(value) if isinstance(value, str) else ""
    if word in {"in stock", *YES}:
        return None, True
    return None, (False if word in {"out of stock", "sold out", *NO} else None)


def _attributes(record: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    known = {*_TITLES, *_IDS, *_PRICES, *_RATINGS, *_STOCKS, *_PLAIN}
    for name, value in record.items():
        if name in _INSIDE and isinstance(value, dict):
            yield from _attributes({folded(str(key)): one for key, one in value.items()})
        elif name not in known:
            values = value if isinstance(value, list) else [value]
            written = [str(one) for one in values if isinstance(one, str | bool | int | float)]
            if written and all(len(one) <= LONGEST_VALUE for one in written):
                yield name, written
