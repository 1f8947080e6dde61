"""The data that a source, or a card, gives of an item: price, rating, stock and attributes, in one form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ..catalogue.catalogue import folded
from ..domain.parts import Item
from .money import Amount, currency

YES, NO = (
    frozenset({"yes", "true", "available", "included"}),
    frozenset({"no", "false", "none", "not available"}),
)
_SWITCHED = {"true": "yes", "false": "no"}
SWITCHES = frozenset({*_SWITCHED, *_SWITCHED.values()})
"""Values by which items have a feature or lack it."""


class Origin(StrEnum):
    """The sources, the most trusted first."""

    TOOL = "tool result"
    LOG = "items of the log"
    CATALOGUE = "catalogue"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class Facts:
    """The data of one item in one place. `message` and `tool` tell the result that says it. Attributes are in folded words, by folded dimension;
    `written` has them as the source writes them."""

    origin: Origin
    title: str | None = None
    id: str | None = None
    prices: tuple[Amount, ...] = ()
    ratings: tuple[float, ...] = ()
    stock: int | None = None
    in_stock: bool | None = None
    attributes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    message: int | None = None
    tool: str | None = None
    written: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def available(self) -> bool | None:
        """Return whether any is left; None where that is not said."""
        return self.stock > 0 if self.stock is not None else self.in_stock


def facts_of(item: Item, origin: Origin) -> Facts:
    """The data of an item of a log, a catalogue or a card."""
    return Facts(
        origin,
        item.title,
        item.id,
        () if item.price is None else (Amount(item.price, currency(item.currency)),),
        () if item.rating is None else (item.rating,),
        item.stock,
        attributes={folded(name): fold_all(values) for name, values in item.attributes.items()},
        written={folded(name): values for name, values in item.attributes.items()},
    )


def fold_all(values: Iterable[str]) -> frozenset[str]:
    """Values in folded words, those without a word left out."""
    return frozenset(_SWITCHED.get(value, value) for value in map(folded, values) if value)
