"""The conversation log as callers send it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from ...domain import conversation as values
from ...domain.conversation import Outcome, Role, SeenItem
from ...domain.parts import TextPart
from .chat_messages import as_contract
from .model import MANY, MOST, PLENTY, Incoming, NonBlank
from .parts import ItemData, Part, PartType

Metadata = Annotated[
    dict[str, str],
    Field(description="Labels of the caller's own, string to string: echoed, never shown to a judge."),
]

_OTHER_NAMES = {
    **dict.fromkeys(
        ("bot", "chatbot", "agent", "ai", "model", "recommender", "crs", "system", "gpt", "seller"),
        "assistant",
    ),
    **dict.fromkeys(
        ("human", "customer", "client", "seeker", "shopper", "visitor", "guest", "person", "buyer"), "user"
    ),
    "function": "tool",
}
"""Roles by the names that other formats give them."""


def _known_role(value: object) -> object:
    """Say which role another name stands for."""
    name = value.strip().casefold() if isinstance(value, str) else ""
    role = _OTHER_NAMES.get(name, name)
    if role in list(Role) and value != role:
        expected = f"'{role}' in place of '{name}'" if name != role else f"'{role}', in small letters"
        template = "Input should be 'user', 'assistant' or 'tool'"
        raise PydanticCustomError("enum", template, {"expected": expected})
    return value


class Message(Incoming):
    """One message of the conversation."""

    id: str | None = Field(None, examples=["m1"])
    """The caller's name for this message; verdicts cite it."""
    role: Annotated[Role, BeforeValidator(_known_role)]
    """`user` for the person, `assistant` for the recommender, `tool` for what a tool answered: that
    belongs to the recommender's turn, and is never rated."""
    content: str = Field(examples=["Something like Inception, please."])
    """The text; may be empty, and is where `parts` hold it."""
    recommendations: list[NonBlank] | None = Field(
        None, max_length=PLENTY, examples=[["Paper Lanterns (2009)", "The Glass Orchard (2014)"]]
    )
    """Items that the system showed with this reply, best first: ids of `items` or of the catalogue, else
    titles."""
    parts: list[Part] | None = Field(
        None,
        max_length=MANY,
        description="Contents of the message beside text: items shown as cards, images, calls of tools and their results.",
        examples=[
            [
                {
                    "type": "items",
                    "layout": "carousel",
                    "items": [{"id": "f17", "price": 24.9, "currency": "EUR"}],
                }
            ]
        ],
    )
    thoughts: str | None = None
    """A simulated user's feelings; read by `concept-user-satisfaction` alone."""
    created_at: str | None = Field(None, description="Time at which it was written; echoed, never read.")
    metadata: Metadata | None = None

    @model_validator(mode="before")
    @classmethod
    def _as_apis_write_it(cls, raw: Any) -> Any:
        return raw if _is_usual(raw) else as_contract(raw)

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        shown = self._shown()
        if shown is not None and self.recommendations is not None and shown != self.recommendations:
            raise ValueError("`recommendations` and the parts of type `items` differ: leave one of them out")
        text = self._text()
        if self.content and text and self.content.split() != text.split():
            raise ValueError("`content` and the parts of type `text` differ: leave one of them out")
        return self

    def _shown(self) -> list[str] | None:
        """The references of the items that parts show; None where no part shows any."""
        lists = [part.items or [] for part in self.parts or () if part.type is PartType.ITEMS]
        return [item.reference or "" for items in lists for item in items] if lists else None

    def _text(self) -> str:
        return "\n".join(part.text or "" for part in self.parts or () if part.type is PartType.TEXT)

    def value(self) -> values.Message:
        shown = self._shown() if self.parts else self.recommendations
        listed = self.recommendations if shown is None else shown
        parts = tuple(part.value() for part in self.parts or ())
        return self.to(
            values.Message,
            content=self.content or self._text(),
            recommendations=None if listed is None else tuple(listed),
            metadata=_frozen(self.metadata),
            parts=parts if any(not isinstance(part, TextPart) for part in parts) else (),
        )


_USUAL = frozenset(Message.model_fields)


def _is_usual(raw: Any) -> bool:
    return (
        isinstance(raw, dict)
        and raw.get("role") in ("user", "assistant")
        and isinstance(raw.get("content"), str)
        and raw.keys() <= _USUAL
    )


class Item(ItemData):
    """An item with its known properties."""

    id: str | None = Field(None, examples=["f17"])
    """The name that `recommendations` and `ground_truth` may use."""
    title: NonBlank = Field(examples=["Paper Lanterns (2009)"])

    def value(self) -> values.Item:
        return self.known(self.title, self.id)


def _different_ids(items: list[Item] | None) -> list[Item] | None:
    ids = [item.id for item in items or () if item.id is not None]
    if len(set(ids)) < len(ids):
        raise ValueError("two of `items` have the same id")
    return items


Items = Annotated[list[Item] | None, Field(max_length=PLENTY), AfterValidator(_different_ids)]


class User(Incoming):
    """The user with their known properties."""

    persona: str | None = Field(None, examples=["curiosity"])
    """One of CONCEPT's personas, in any case; with `persona_description` any name."""
    persona_description: str | None = Field(
        None, max_length=2000, examples=["You are in a hurry, and take what sounds good enough."]
    )
    """Description of a persona of your own, addressed to it: a simulated user reads it."""
    age_group: str | None = Field(None, examples=["adults"])
    """children, teens, adults or seniors, in any case."""
    attributes: list[str] | None = Field(None, max_length=MANY, examples=[["drama", "slow"]])
    """Attributes that the wanted items must have."""
    preferences: str | None = Field(None, description="General likes and dislikes, as a narrative.")
    seen: list[SeenItem] | None = Field(None, max_length=PLENTY)

    def value(self) -> values.User:
        return self.to(
            values.User,
            persona=self.persona.casefold() if self.persona else None,
            age_group=self.age_group.casefold() if self.age_group else None,
            attributes=tuple(self.attributes or ()),
            seen=tuple(self.seen or ()),
        )


def somebody_recommends(value: Any) -> Any:
    """Refuse a log in which the recommender speaks as `system`, which is the role of instructions: nobody would be rated."""
    said = value.get("messages") if isinstance(value, Mapping) else None
    roles = (
        [one.get("role") if isinstance(one, Mapping) else None for one in said]
        if isinstance(said, list)
        else []
    )
    if "user" in roles and "assistant" not in roles and "system" in roles[roles.index("user") :]:
        expected = "'assistant' as the role in place of 'system' where the recommender speaks"
        raise PydanticCustomError(
            "enum", "The recommender speaks as 'system', the role of instructions", {"expected": expected}
        )
    return value


class Log(Incoming):
    """One session between a user and a conversational recommender."""

    id: str | None = Field(None, examples=["session-4711"])
    """The caller's name for this conversation."""
    system: str | None = Field(None, description="The recommender that spoke.", examples=["our-crs-2.3"])
    domain: str | None = Field(None, examples=["movie"])
    """movie, book, music, restaurant, shopping, sport, travel, health, or any word; null is unknown."""
    history: list[Message] | None = Field(None, max_length=MOST)
    """Earlier messages: context only, never rated."""
    messages: list[Message] = Field(min_length=1, max_length=MOST)
    """The interaction that is rated, in order."""
    ground_truth: list[NonBlank] | None = Field(None, max_length=PLENTY)
    """Items that the user really wanted, where known."""
    user: User | None = None
    items: Items = None
    """Metadata of items that the conversation is about."""
    outcome: Outcome | None = None
    complete: bool | None = None
    """False for a conversation that still goes on; true by default."""
    metadata: Metadata | None = None

    _recommends = model_validator(mode="before")(somebody_recommends)

    @model_validator(mode="after")
    def _outcome_points_into_the_log(self) -> Self:
        index = self.outcome.message if self.outcome else None
        if index is not None and (index >= len(self.messages) or self.messages[index].role is not Role.USER):
            raise ValueError("outcome.message must be the index of a user's message")
        return self

    def value(self) -> values.ConversationLog:
        return self.to(
            values.ConversationLog,
            messages=tuple(message.value() for message in self.messages),
            domain=(self.domain or "").strip().casefold() or values.UNKNOWN_DOMAIN,
            history=tuple(message.value() for message in self.history or ()),
            ground_truth=tuple(self.ground_truth) if self.ground_truth else None,
            user=self.user.value() if self.user else None,
            items=tuple(item.value() for item in self.items or ()),
            complete=self.complete is not False,
            metadata=_frozen(self.metadata),
        )


def _frozen(metadata: Mapping[str, str] | None) -> Mapping[str, str]:
    return MappingProxyType(dict(metadata)) if metadata else values.NO_METADATA
