"""A conversation between a user and a recommender: messages, turns, items, lists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

NO_METADATA: Mapping[str, str] = MappingProxyType({})


class Role(StrEnum):
    """Who wrote a message: the person looking for items, or the recommender."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Item:
    """What is known of an item. `attributes` maps a dimension (genre, director) to its values;
    `popularity` is the item's percentile in its catalogue, 0-1, 1 the best known."""

    title: str
    id: str | None = None
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    popularity: float | None = None
    description: str | None = None

    @property
    def values(self) -> frozenset[tuple[str, str]]:
        """All (dimension, value) pairs, lower-cased: what similarity compares."""
        return frozenset(
            (dimension, value.casefold()) for dimension, values in self.attributes.items() for value in values
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `recommendations` is the ordered list of items that the system showed with
    it, apart from its text: None where the log records no list, empty where it showed none."""

    role: Role
    content: str
    recommendations: tuple[str, ...] | None = None
    id: str | None = None
    thoughts: str | None = None
    created_at: str | None = None
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)


@dataclass(frozen=True, slots=True)
class Seen:
    """An item that the user knows already, with the user's review of it where there is one."""

    item: str
    review: str | None = None


@dataclass(frozen=True, slots=True)
class User:
    """What is known of the user; `attributes` are the wanted ones, `preferences` a narrative."""

    persona: str | None = None
    age_group: str | None = None
    attributes: tuple[str, ...] = ()
    preferences: str | None = None
    seen: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the user accepted a recommendation, and in which message (index in `messages`)."""

    accepted: bool
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A maximal run of assistant messages with the run of user messages before it, possibly
    none. Both fields hold indices in `messages`."""

    user: tuple[int, ...]
    assistant: tuple[int, ...]


@dataclass(frozen=True)
class ConversationLog:
    """One session between a user and a recommender. `history` is context and never rated;
    `ground_truth` None means unknown; `complete` False means still going on."""

    messages: tuple[Message, ...]
    id: str | None = None
    system: str | None = None
    domain: str = "movie"
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
        """Indices of the assistant's messages."""
        return tuple(i for i, message in enumerate(self.messages) if message.role is Role.ASSISTANT)

    @property
    def has_lists(self) -> bool:
        """Whether any reply carries a non-empty recommendation list."""
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
        if message.role is Role.USER:
            if assistant:
                yield Turn(tuple(user), tuple(assistant))
                user, assistant = [], []
            user.append(index)
        else:
            assistant.append(index)
    if assistant:
        yield Turn(tuple(user), tuple(assistant))
