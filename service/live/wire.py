"""Messages of conversations in progress, as producers send them."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from ..domain.conversation import Outcome
from ..usecases.wire.log import Items, Message, Metadata, User, somebody_recommends
from ..usecases.wire.model import PLENTY, Incoming, NonBlank

_CONTROL = re.compile("[\x00-\x1f\x7f]")


def _printable(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("contains a control character; remove it")
    return value


def is_name(text: str) -> bool:
    """Return whether a conversation can be called so."""
    return 0 < len(text) <= LONGEST_NAME and not _CONTROL.search(text)


LONGEST_NAME = 300
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable)]
Index = Annotated[int, Field(ge=0, lt=2**53)]


class LiveMessage(Message):
    """One message of a conversation in progress. With an `id` or an `index`, sending it again changes nothing; with an `id`,
    another text takes the place of the earlier one."""

    index: Index | None = Field(
        None,
        description="Its place in the conversation, from 0. Where all messages have one, it orders them; else `created_at` "
        "does where all have one; else the order of arrival.",
    )


class LiveUser(User):
    """The user with their known properties."""

    id: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST_NAME,
        description="Your id of the user, by which their data can be found and deleted. Only a keyed hash of it is kept.",
        examples=["customer-4711"],
    )


class Trace(Incoming):
    """The conversation's own trace, as OpenTelemetry names it: verdicts are told as events on it."""

    trace_id: str = Field(
        description="The trace's id: 32 hexadecimal digits.",
        pattern="^[0-9a-f]{32}$",
        examples=["4bf92f3577b34da6a3ce929d0e0e4736"],
    )
    span_id: str = Field(
        description="The id of the span that verdicts are told on: 16 hexadecimal digits.",
        pattern="^[0-9a-f]{16}$",
        examples=["00f067aa0ba902b7"],
    )


class LivePost(Incoming):
    """Messages of one conversation, and what is known of it. Fields of the conversation hold until they are sent again."""

    _recommends = model_validator(mode="before")(somebody_recommends)

    messages: list[LiveMessage] = Field(
        default_factory=list,
        max_length=PLENTY,
        description="Messages since the last post. Messages that were sent before may be among them.",
    )
    complete: bool | None = Field(
        None, description="True with the last message, or alone: the conversation is over."
    )
    system: Name | None = Field(None, description="The recommender that speaks.", examples=["our-crs-2.3"])
    domain: Name | None = Field(None, description="As in the log of `/score`.", examples=["movie"])
    history: list[Message] | None = Field(
        None, max_length=PLENTY, description="Earlier messages: context only, never rated."
    )
    user: LiveUser | None = None
    items: Items = Field(None, description="Metadata of items that the conversation is about.")
    ground_truth: list[NonBlank] | None = Field(
        None, max_length=PLENTY, description="Items that the user really wanted, where known."
    )
    accepted: bool | None = Field(None, description="True where the user accepted a recommendation.")
    metadata: Metadata | None = None
    trace: Trace | None = Field(
        None, description="Trace that gets the verdicts as events, for people who read traces."
    )


class QueuedPost(LivePost):
    """A post with the name of its conversation: what stands in a line of a file, or in an entry of the stream.

    A line may also be one message, with `conversation` among its fields; or a whole log, with its own `id`: such a
    conversation is over unless it says otherwise."""

    conversation: Name
    outcome: Outcome | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_a_line(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        if "role" in raw and "messages" not in raw:
            own = LiveMessage.model_fields.keys() - {"metadata"}
            message = {name: value for name, value in raw.items() if name in own or name in _SPELT}
            return {
                **{name: value for name, value in raw.items() if name not in message},
                "messages": [message],
            }
        if "messages" in raw and "conversation" not in raw and "id" in raw:
            rest = {name: value for name, value in raw.items() if name != "id"}
            return {**rest, "conversation": raw["id"], "complete": raw.get("complete") is not False}
        return raw


_SPELT = frozenset({"tool_calls", "tool_call_id", "refusal", "name"})
"""Fields of messages as providers' APIs write them, which `Message` reads."""
