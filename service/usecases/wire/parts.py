"""Parts of a message as callers send them: one flat object with a `type`, since generators turn unions into nothing useful."""

import json
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from ...domain import parts as values
from .model import MANY, WHOLE, Incoming, NonBlank

Attributes = dict[str, Annotated[list[str], Field(max_length=MANY)]]

MOST_MONEY = 1e12


class ItemData(Incoming):
    """Known properties of an item beside its title."""

    attributes: Attributes | None = Field(None, examples=[{"genre": ["drama"], "director": ["A. Lindqvist"]}])
    """Values by dimension."""
    popularity: float | None = Field(None, ge=0, le=1)
    """Percentile in its catalogue; 1 is the best known."""
    description: str | None = None
    price: float | None = Field(None, ge=0, lt=MOST_MONEY, description="The item's price.", examples=[24.9])
    currency: str | None = Field(None, description="The currency of the price.", examples=["EUR"])
    rating: float | None = Field(None, ge=0, lt=MOST_MONEY, description="Its mean rating.", examples=[4.5])
    stock: Annotated[int, Field(ge=0), WHOLE] | None = Field(None, examples=[3])
    """Number of items left; 0 means sold out."""
    url: str | None = Field(None, description="Its address; echoed, never fetched.")
    image: str | None = Field(None, description="The address of its picture; echoed, never fetched.")

    def known(self, title: str, name: str | None) -> values.Item:
        """The item that all of this is known of."""
        attributes = NO_ATTRIBUTES
        if self.attributes:
            attributes = MappingProxyType({each: tuple(texts) for each, texts in self.attributes.items()})
        return self.to(values.Item, title=title, id=name, attributes=attributes)


NO_ATTRIBUTES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType({})


class ShownItem(ItemData):
    """An item as a reply shows it: a reference (an id, a title), or all that the card says."""

    id: str | None = Field(None, description="Its id, as in `items` or the catalogue.", examples=["f17"])
    title: NonBlank | None = Field(None, examples=["Paper Lanterns"])
    """Its title, or a reference as in `recommendations`."""

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if self.reference is None:
            raise ValueError("an item that is shown needs an `id` or a `title`")
        return self

    @property
    def reference(self) -> str | None:
        """The name that `recommendations` would use."""
        return self.id if self.id is not None and self.id.strip() else self.title

    def value(self) -> values.Card:
        """The value that the rest of the service reads. A name alone says nothing of the item."""
        reference = self.reference
        assert reference is not None
        bare = len(self.model_dump(exclude_none=True)) == 1
        return values.Card(reference, None if bare else self.known(self.title or reference, self.id))


ItemOrTitle = Annotated[
    ShownItem, BeforeValidator(lambda value: {"title": value} if isinstance(value, str) else value)
]


class PartType(StrEnum):
    """The kind of a part."""

    TEXT = "text"
    ITEMS = "items"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    IMAGE = "image"


JSONText = Annotated[
    str,
    BeforeValidator(
        lambda value: value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)
    ),
]
"""JSON as text, and nothing as it is."""


class Part(Incoming):
    """A part of a message. Its `type` says which of the other fields it has."""

    type: PartType
    """`text`; `items`, which the user sees as cards; `tool_call`, `tool_result`; or `image`."""
    text: str | None = Field(None, description="`text`: the text.")
    items: list[ItemOrTitle] | None = Field(None, max_length=MANY)
    """`items`: what was shown, in order."""
    layout: values.ItemLayout | None = Field(None, examples=["carousel"])
    """`items`: `list`, `carousel` or `grid`."""
    id: str | None = Field(None, description="`tool_call`: its id.", examples=["call_1"])
    name: str | None = Field(None, examples=["search"])
    """`tool_call`, `tool_result`: the tool's name."""
    arguments: JSONText | None = Field(None, examples=['{"genre": "drama"}'])
    """`tool_call`: its arguments, as JSON text."""
    call: str | None = Field(None, description="`tool_result`: the id of the call.", examples=["call_1"])
    content: JSONText | None = None
    """`tool_result`: what the tool answered, as text or JSON text."""
    error: bool | None = Field(None, description="`tool_result`: true if the tool failed.")
    alt: str | None = None
    """`image`: what the picture shows. No judge sees the picture itself."""
    url: str | None = Field(None, description="`image`: its address; echoed, never fetched.")

    @model_validator(mode="after")
    def _has_its_own_fields_only(self) -> Self:
        needed, allowed, _ = FIELDS[self.type]
        given = {name for name, value in self if value is not None} - {"type"}
        if missing := needed - given:
            raise ValueError(f"a part of type {self.type} needs `{min(missing)}`")
        if foreign := given - needed - allowed:
            raise ValueError(f"a part of type {self.type} has no `{min(foreign)}`")
        return self

    def value(self) -> values.Part:
        if self.items is not None:
            return values.ItemsPart(tuple(item.value() for item in self.items), self.layout)
        given: dict[str, Any] = {name: field for name, field in self if field is not None and name != "type"}
        return FIELDS[self.type][-1](**given)


FIELDS: dict[PartType, tuple[set[str], set[str], type[values.Part]]] = {
    PartType.TEXT: ({"text"}, set(), values.TextPart),
    PartType.ITEMS: ({"items"}, {"layout"}, values.ItemsPart),
    PartType.TOOL_CALL: ({"name"}, {"id", "arguments"}, values.ToolCall),
    PartType.TOOL_RESULT: (set(), {"call", "name", "content", "error"}, values.ToolResult),
    PartType.IMAGE: (set(), {"alt", "url"}, values.ImagePart),
}
"""The fields that a part of each type needs, those that it may have, and its value."""


def part_of(value: values.Part) -> Part:
    """A part on the wire."""
    given: dict[str, Any] = {name: getattr(value, name, None) for name in Part.model_fields}
    if isinstance(value, values.ItemsPart):
        given["items"] = [_shown(card) for card in value.cards]
    # Nothing stands for no arguments, and for a tool that did not fail.
    given |= {"arguments": given["arguments"] or None, "error": given["error"] or None}
    return Part(
        **given | {"type": next(name for name, (*_, kind) in FIELDS.items() if isinstance(value, kind))}
    )


def _shown(card: values.Card) -> ShownItem:
    item = card.item
    if item is None:
        return ShownItem(title=card.reference)
    title = None if item.title == item.id else item.title
    return ShownItem.of(item, title=title, attributes=item.attributes or None)
