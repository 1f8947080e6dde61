"""The conversation log as callers send it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from ...domain import conversation as values
from .model import MANY, MOST, PLENTY, WHOLE, Incoming

NonBlank = Annotated[str, StringConstraints(pattern=r"\S", max_length=2000)]
Metadata = Annotated[
    dict[str, str],
    Field(description="Labels of the caller's own, string to string: echoed, never shown to a judge."),
]


class Role(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Message(Incoming):
    """One message of the conversation."""

    id: str | None = Field(
        None, description="The caller's name for this message; verdicts cite it.", examples=["m1"]
    )
    role: Role = Field(description="`user` for the person, `assistant` for the recommender.")
    content: str = Field(
        description="The text; may be empty.", examples=["Something like Inception, please."]
    )
    recommendations: list[NonBlank] | None = Field(
        None,
        max_length=PLENTY,
        description="Items that the system showed with this reply, best first: ids of `items` or of the catalogue, else titles.",
        examples=[["Paper Lanterns (2009)", "The Glass Orchard (2014)"]],
    )
    thoughts: str | None = Field(
        None, description="A simulated user's feelings; read by `concept-user-satisfaction` alone."
    )
    created_at: str | None = Field(None, description="When it was written; echoed, never read.")
    metadata: Metadata | None = None

    def value(self) -> values.Message:
        """The value that the rest of the service reads."""
        return values.Message(
            role=values.Role(self.role),
            content=self.content,
            recommendations=None if self.recommendations is None else tuple(self.recommendations),
            id=self.id,
            thoughts=self.thoughts,
            created_at=self.created_at,
            metadata=_frozen(self.metadata),
        )


class Item(Incoming):
    """What is known of an item."""

    id: str | None = Field(
        None, description="The name that `recommendations` and `ground_truth` may use.", examples=["f17"]
    )
    title: NonBlank = Field(examples=["Paper Lanterns (2009)"])
    attributes: dict[str, Annotated[list[str], Field(max_length=MANY)]] | None = Field(
        None,
        description="Values by dimension.",
        examples=[{"genre": ["drama"], "director": ["A. Lindqvist"]}],
    )
    popularity: float | None = Field(
        None, ge=0, le=1, description="Percentile in its catalogue; 1 is the best known."
    )
    description: str | None = None

    def value(self) -> values.Item:
        """The value that the rest of the service reads."""
        return values.Item(
            title=self.title,
            id=self.id,
            attributes=MappingProxyType({name: tuple(values) for name, values in self.attributes.items()})
            if self.attributes
            else NO_ATTRIBUTES,
            popularity=self.popularity,
            description=self.description,
        )


NO_ATTRIBUTES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType({})


class SeenItem(Incoming):
    """An item that the user knows already."""

    item: NonBlank
    review: str | None = None


class User(Incoming):
    """What is known of the user."""

    persona: str | None = Field(
        None, description="One of CONCEPT's personas, in any case.", examples=["curiosity"]
    )
    age_group: str | None = Field(
        None, description="children, teens, adults or seniors, in any case.", examples=["adults"]
    )
    attributes: list[str] | None = Field(
        None, max_length=MANY, description="What the wanted items must be like.", examples=[["drama", "slow"]]
    )
    preferences: str | None = Field(None, description="General likes and dislikes, as a narrative.")
    seen: list[SeenItem] | None = Field(None, max_length=PLENTY)

    def value(self) -> values.User:
        """The value that the rest of the service reads."""
        return values.User(
            persona=self.persona.casefold() if self.persona else None,
            age_group=self.age_group.casefold() if self.age_group else None,
            attributes=tuple(self.attributes or ()),
            preferences=self.preferences,
            seen=tuple(values.Seen(seen.item, seen.review) for seen in self.seen or ()),
        )


class Outcome(Incoming):
    """How the session ended."""

    accepted: bool = Field(description="Whether the user accepted a recommendation.")
    message: Annotated[int, Field(ge=0), WHOLE] | None = Field(
        None,
        description="The accepting message, as an index in `messages`; unless said, the user's last one after a reply.",
    )


class Log(Incoming):
    """One session between a user and a conversational recommender."""

    id: str | None = Field(
        None, description="The caller's name for this conversation.", examples=["session-4711"]
    )
    system: str | None = Field(None, description="Which recommender spoke.", examples=["our-crs-2.3"])
    domain: str | None = Field(
        None,
        description="movie (default), book, music, restaurant, shopping, sport, travel, health, or any word.",
        examples=["movie"],
    )
    history: list[Message] | None = Field(
        None, max_length=MOST, description="Earlier messages: context only, never rated."
    )
    messages: list[Message] = Field(
        min_length=1, max_length=MOST, description="The interaction that is rated, in order."
    )
    ground_truth: list[NonBlank] | None = Field(
        None, max_length=PLENTY, description="Items that the user really wanted, where known."
    )
    user: User | None = None
    items: list[Item] | None = Field(
        None, max_length=PLENTY, description="Metadata of items that the conversation is about."
    )
    outcome: Outcome | None = None
    complete: bool | None = Field(
        None, description="False for a conversation that still goes on; true unless said."
    )
    metadata: Metadata | None = None

    @model_validator(mode="after")
    def _outcome_points_into_the_log(self) -> Self:
        index = self.outcome.message if self.outcome else None
        if index is not None and (index >= len(self.messages) or self.messages[index].role is not Role.USER):
            raise ValueError("outcome.message must be the index of a user's message")
        return self

    @model_validator(mode="after")
    def _ids_of_items_differ(self) -> Self:
        ids = [item.id for item in self.items or () if item.id is not None]
        if len(set(ids)) < len(ids):
            raise ValueError("two of `items` have the same id")
        return self

    def value(self) -> values.ConversationLog:
        """The value that the rest of the service reads."""
        return values.ConversationLog(
            messages=tuple(message.value() for message in self.messages),
            id=self.id,
            system=self.system,
            domain=(self.domain or "movie").strip().casefold() or "movie",
            history=tuple(message.value() for message in self.history or ()),
            ground_truth=tuple(self.ground_truth) if self.ground_truth else None,
            user=self.user.value() if self.user else None,
            items=tuple(item.value() for item in self.items or ()),
            outcome=values.Outcome(self.outcome.accepted, self.outcome.message) if self.outcome else None,
            complete=self.complete is not False,
            metadata=_frozen(self.metadata),
        )


def _frozen(metadata: Mapping[str, str] | None) -> Mapping[str, str]:
    return MappingProxyType(dict(metadata)) if metadata else values.NO_METADATA
