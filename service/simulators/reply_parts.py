"""Parts of a recommender's answer over HTTP: cards, pictures, calls of tools and their results, in the contract's form."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..domain.parts import Card, ImagePart, Item, ItemLayout, ItemsPart, Part, ToolCall, ToolResult

LONGEST_LABEL = 2_000
"""Characters of an id or title: no log may hold a longer one."""

Label = Annotated[str, Field(max_length=LONGEST_LABEL)]


def _as_object(value: object) -> object:
    return {"reference": value} if isinstance(value, str) else value


def _as_lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: [one] if isinstance(one, str) else one for name, one in value.items()}


class _Wire(BaseModel):
    """Fields that we do not know are the system's own business."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _Item(_Wire):
    reference: Label | None = None
    id: Label | None = None
    title: Label | None = None
    attributes: Annotated[dict[str, list[str]], BeforeValidator(_as_lists)] = Field(default_factory=dict)
    description: str | None = None
    price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    currency: str | None = None
    rating: Annotated[float, Field(allow_inf_nan=False)] | None = None
    stock: Annotated[int, Field(ge=0)] | None = None
    url: str | None = None
    image: str | None = None

    def card(self) -> Card:
        """The item as a card. Raises ValueError for one without a name."""
        if self.reference is not None:
            return Card(self.reference.strip())
        reference = (self.id or self.title or "").strip()
        if not reference:
            raise ValueError("an item of a part has neither `id` nor `title`")
        said = self.model_dump(exclude={"reference", "title", "attributes"})
        attributes = {name: tuple(values) for name, values in self.attributes.items()}
        return Card(reference, Item(title=self.title or reference, attributes=attributes, **said))


class PartOnWire(_Wire):
    """A part of any type, flat as in the contract."""

    type: str
    items: list[Annotated[_Item, BeforeValidator(_as_object)]] = Field(default_factory=list)
    layout: Literal["list", "carousel", "grid"] | None = None
    id: str | None = None
    name: str | None = None
    arguments: str | None = None
    call: str | None = None
    content: str | None = None
    error: bool | None = None
    alt: str | None = None
    url: str | None = None


def parts_of(given: Sequence[PartOnWire]) -> tuple[Part, ...]:
    """The parts as values. Types that we do not know are left out, and so are texts: `content` holds them."""
    return tuple(value for part in given if (value := _value(part)) is not None)


def references_of(parts: Sequence[Part]) -> tuple[str, ...] | None:
    """The items that parts show, by their references; None where no part shows any."""
    shown = [part for part in parts if isinstance(part, ItemsPart)]
    return tuple(card.reference for part in shown for card in part.cards) if shown else None


def _value(part: PartOnWire) -> Part | None:
    match part.type:
        case "items":
            layout = ItemLayout(part.layout) if part.layout else None
            return ItemsPart(tuple(item.card() for item in part.items), layout)
        case "image":
            return ImagePart(part.alt, part.url)
        case "tool_call" if part.name:
            return ToolCall(part.name, part.arguments or "", part.id)
        case "tool_result":
            return ToolResult(part.content or "", part.call, part.name, bool(part.error))
    return None
