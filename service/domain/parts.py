"""Parts of a message beside its text: items shown as cards, pictures, calls of tools and what tools answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class ItemLayout(StrEnum):
    """The layout in which a client shows items: one below the other, side by side, or in rows and columns."""

    LIST = "list"
    CAROUSEL = "carousel"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Item:
    """An item with its known properties. `attributes` maps a dimension (genre, director) to its values;
    `popularity` is the item's percentile in its catalogue, 0-1, 1 the best known; `stock` is how many are
    left, 0 none."""

    title: str
    id: str | None = None
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    popularity: float | None = None
    description: str | None = None
    price: float | None = None
    currency: str | None = None
    rating: float | None = None
    stock: int | None = None
    url: str | None = None
    image: str | None = None

    @property
    def values(self) -> frozenset[tuple[str, str]]:
        """All (dimension, value) pairs, lower-cased: what similarity compares."""
        return frozenset(
            (dimension, value.casefold()) for dimension, values in self.attributes.items() for value in values
        )


@dataclass(frozen=True, slots=True)
class Card:
    """An item as a reply shows it. `reference` is its id, else its title; `item` is what the card says of it, None where the
    log gives the reference alone."""

    reference: str
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text between other parts; the message's `content` holds it too."""

    text: str


@dataclass(frozen=True, slots=True)
class ItemsPart:
    """Items that the user sees, in order."""

    cards: tuple[Card, ...]
    layout: ItemLayout | None = None


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture. No judge sees it: `alt` says what it shows."""

    alt: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the recommender makes; `arguments` is JSON text. The user does not see it."""

    name: str
    arguments: str = ""
    id: str | None = None

    @property
    def body(self) -> str:
        """The text of the call."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer, as text or JSON text, to the call of this id; `error` where it failed. The user
    does not see it."""

    content: str = ""
    call: str | None = None
    name: str | None = None
    error: bool = False

    @property
    def body(self) -> str:
        """The text of the result."""
        return self.content


Part = TextPart | ItemsPart | ImagePart | ToolCall | ToolResult

UNSEEN = (ToolCall, ToolResult)
"""Parts that no user sees."""
