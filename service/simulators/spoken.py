"""Replies of a recommender under test as it sends them."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..domain.parts import Card, ImagePart, Item, ItemLayout, ItemsPart, Part, ToolCall, ToolResult
from .recommender import Failure, RecommenderFailed, Reply

LONGEST_LABEL = 2_000
"""Characters of an id or title: no log may hold a longer one."""

Label = Annotated[str, Field(max_length=LONGEST_LABEL)]


def _as_object(value: object) -> object:
    return {"reference": value} if isinstance(value, str) else value


def _as_lists(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: [one] if isinstance(one, str) else one for name, one in value.items()}


class Wire(BaseModel):
    """Fields that we do not know are the system's own business."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _Item(Wire):
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


class _Part(Wire):
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

    def value(self) -> Part | None:
        """Return the part as a value; None for an unknown type, and for a text: `content` holds it."""
        match self.type:
            case "items":
                layout = ItemLayout(self.layout) if self.layout else None
                return ItemsPart(tuple(item.card() for item in self.items), layout)
            case "image":
                return ImagePart(self.alt, self.url)
            case "tool_call" if self.name:
                return ToolCall(self.name, self.arguments or "", self.id)
            case "tool_result":
                return ToolResult(self.content or "", self.call, self.name, bool(self.error))
        return None


class Spoken(Wire):
    """A reply on the wire."""

    content: str | None = None
    recommendations: list[Label] | None = None
    parts: list[_Part] | None = None

    def reply(self, recommendations: list[str] | None = None) -> Reply:
        """The reply as a value. Raises ValueError for a list beside parts that show other items."""
        items = self.recommendations if self.recommendations is not None else recommendations
        cleaned = None if items is None else tuple(item.strip() for item in items if item.strip())
        parts = tuple(value for part in self.parts or () if (value := part.value()) is not None)
        if lists := [part.cards for part in parts if isinstance(part, ItemsPart)]:
            shown = tuple(card.reference for cards in lists for card in cards)
            if cleaned is not None and shown != cleaned:
                raise ValueError("`recommendations` and the items of `parts` differ")
            cleaned = shown
        return Reply((self.content or "").strip(), cleaned, parts)


def reply_from(said: object) -> Reply:
    """Read a reply `{content, recommendations, parts}`. Raises ValueError for any other value."""
    return Spoken.model_validate(said).reply()


def unreadable(wrong: ValueError) -> RecommenderFailed:
    """The failure of a reply that cannot be read: its first wrong field, and none of its text."""
    detail = str(wrong)
    if isinstance(wrong, ValidationError):
        first = wrong.errors()[0]
        matter = "should be an object" if first["type"] == "model_type" else first["msg"]
        detail = f"{'.'.join(str(part) for part in first['loc']) or 'the body'}: {matter}"
    return RecommenderFailed(Failure.UNREADABLE, f"its answer cannot be read: {detail}")
