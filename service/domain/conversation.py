"""A conversation between a user and a recommender: messages, turns, items, lists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, StringConstraints

from .parts import UNSEEN, Card, ItemsPart, Part, ToolCall
from .parts import Item as Item  # noqa: PLC0414 - items are among the names of a conversation
from .rounding import WHOLE

NO_METADATA: Mapping[str, str] = MappingProxyType({})


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


UNKNOWN_DOMAIN = "unknown"
"""The domain of a log that names none. What is said by domain falls back to what holds in any."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `recommendations` is the ordered list of items that the system showed with
    it, apart from its text: None where the log records no list, empty where it showed none. Where `parts` show items,
    it holds their references. `content` is all of the text, that of parts included."""

    role: Role
    content: str
    recommendations: tuple[str, ...] | None = None
    id: str | None = None
    thoughts: str | None = None
    created_at: str | None = None
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)
    parts: tuple[Part, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Return whether the user wrote or saw anything of it. Results of tools are not seen, nor replies that only call one."""
        if self.role is Role.TOOL:
            return False
        only_calls = bool(self.parts) and all(isinstance(part, UNSEEN) for part in self.parts)
        return bool(self.content.strip() or self.recommendations) or not only_calls

    @property
    def is_reply(self) -> bool:
        """Return whether it is a reply of the recommender that the user saw."""
        return self.role is Role.ASSISTANT and self.is_seen

    @property
    def cards(self) -> tuple[Card, ...]:
        """The items shown with it, in order."""
        shown = tuple(card for part in self.parts if isinstance(part, ItemsPart) for card in part.cards)
        return shown or tuple(map(Card, self.recommendations or ()))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of tools that it makes."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


@dataclass(frozen=True, slots=True)
class SeenItem:
    """An item that the user knows already."""

    item: Annotated[str, StringConstraints(pattern=r"\S", max_length=2000)]
    review: str | None = None


@dataclass(frozen=True, slots=True)
class User:
    """The user with their known properties; `attributes` are the wanted ones, `preferences` a narrative.
    `persona_description` says who the persona is, where it is the caller's own."""

    persona: str | None = None
    age_group: str | None = None
    attributes: tuple[str, ...] = ()
    preferences: str | None = None
    seen: tuple[SeenItem, ...] = ()
    persona_description: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of the session."""

    accepted: bool
    """True where the user accepted a recommendation."""
    message: Annotated[int, Field(ge=0), WHOLE] | None = None
    """The accepting message, as an index in `messages`; by default the user's last one after a reply."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A maximal run of replies with the run of user messages before it, possibly none. Both fields hold indices in
    `messages`. Messages of tools, and those that only call one, open no turn and belong to neither."""

    user: tuple[int, ...]
    assistant: tuple[int, ...]


@dataclass(frozen=True)
class ConversationLog:
    """One session between a user and a recommender. `history` is context and never rated;
    `ground_truth` None means unknown; `complete` False means still going on."""

    messages: tuple[Message, ...]
    id: str | None = None
    system: str | None = None
    domain: str = UNKNOWN_DOMAIN
    history: tuple[Message, ...] = ()
    ground_truth: tuple[str, ...] | None = None
    user: User | None = None
    items: tuple[Item, ...] = ()
    outcome: Outcome | None = None
    complete: bool = True
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The log cut into turns. User messages after the last reply belong to none."""
        return tuple(_turns(self.messages))

    @cached_property
    def replies(self) -> tuple[int, ...]:
        """Indices of the recommender's messages that the user saw."""
        return tuple(i for i, message in enumerate(self.messages) if message.is_reply)

    @cached_property
    def card_items(self) -> tuple[Item, ...]:
        """Return what cards say of items, each item once, as it was first shown."""
        found: dict[str, Item] = {}
        for message in (*self.history, *self.messages):
            for card in message.cards if message.parts else ():
                if card.item is not None:
                    found.setdefault(card.reference, card.item)
        return tuple(found.values())

    @property
    def has_lists(self) -> bool:
        """Return whether any reply carries a non-empty recommendation list."""
        return any(message.recommendations for message in self.messages)

    def reply_text(self, turn: Turn) -> str:
        """The text of a turn's assistant messages, one a line."""
        return "\n".join(self.messages[i].content for i in turn.assistant)

    def session_list(self, cutoff: int) -> tuple[str, ...]:
        """The per-reply lists, each cut to its first `cutoff` items, joined in order, repeats
        dropped. `protocols.md` leaves CoRE's two versions at odds; this is the choice made."""
        shown: dict[str, None] = {}
        for message in self.messages:
            shown.update(dict.fromkeys((message.recommendations or ())[:cutoff]))
        return tuple(shown)


def _turns(messages: tuple[Message, ...]) -> Iterator[Turn]:
    user: list[int] = []
    assistant: list[int] = []
    for index, message in enumerate(messages):
        if message.role is Role.USER and message.is_seen:
            if assistant:
                yield Turn(tuple(user), tuple(assistant))
                user, assistant = [], []
            user.append(index)
        elif message.is_reply:
            assistant.append(index)
    if assistant:
        yield Turn(tuple(user), tuple(assistant))
