"""Bodies and answers of `/simulate` and `/simulate/profile`."""

from typing import Any

from pydantic import ConfigDict, Field

from ...domain import conversation as values
from ...domain.completion import CacheMode, Usage
from ...scoring.summary import Summary
from ...simulators.kinds import paraphrase
from ...simulators.kinds.paraphrase import Rewording
from ...simulators.profile import ItemTaste, Review
from .log import Item, Log, Message, User
from .metrics import ReplyPair
from .model import MOST, Incoming, Outgoing
from .parts import part_of
from .score import JudgeText, Notice, WayOfScoring
from .simulator import Simulator
from .verdict import Flag, JudgeRef, Verdict

_BEGUN: dict[str, Any] = {
    "simulator": {"type": "scripted", "seed": 7},
    "log": {
        "domain": "movie",
        "user": {"persona": "curiosity", "age_group": "adults", "attributes": ["mystery", "playful"]},
        "messages": [],
    },
}
_SESSION: dict[str, Any] = {**_BEGUN, "crs": "our-crs", "score": ["coherence"]}
_REVIEWS: dict[str, Any] = {
    "domain": "movie",
    "reviews": [
        {"item": "Paper Comets (2015)", "rating": 5, "text": "The birds made of letters stay with me."},
        {"item": "Glass Harvest (2018)", "rating": 4, "text": "Tense to the end.", "held_out": True},
    ],
}


class SessionLog(Log):
    """A log that may still be empty: a session that begins."""

    messages: list[Message] = Field(max_length=MOST, description="Messages so far; empty to begin.")

    @classmethod
    def of(cls, value: values.ConversationLog, /, **others: Any) -> "SessionLog":
        user = value.user
        return super().of(
            value,
            **others,
            history=[wire_message(message) for message in value.history] or None,
            messages=[wire_message(message) for message in value.messages],
            ground_truth=value.ground_truth or None,
            user=User.of(user, attributes=user.attributes or None, seen=user.seen or None) if user else None,
            items=[Item.of(item, attributes=item.attributes or None) for item in value.items] or None,
            metadata=value.metadata or None,
        )

    def to_log(self) -> Log:
        """The same as the log that judges read; it must hold a message."""
        return Log.model_validate(self.model_dump(exclude_none=True))


class SimulateRequest(Incoming):
    """A user to simulate, and what was said so far."""

    model_config = ConfigDict(json_schema_extra={"examples": [_BEGUN, _SESSION]})

    simulator: Simulator
    log: SessionLog
    crs: str | None = Field(None, examples=["our-crs"])
    """A recommender that the operator configured: the whole session is run with it."""
    score: list[str] | None = Field(None, min_length=1, max_length=200, examples=[["core"]])
    """With `crs`: factors or protocols to judge the session by."""
    scoring: WayOfScoring | None = None
    """With `score`: who judges the session and how, as in a request to `/score`."""
    catalog: str | None = Field(None, examples=["films"])
    """Name of a catalogue that the operator provides."""
    cache: CacheMode | None = Field(None, description="`use` by default.")


class SaidMessage(Outgoing):
    """A message of a running session, as it was said."""

    index: int = Field(description="Its place in the log's `messages`.")
    message: Message
    removed: list[str] = Field(description="Sentences that a guard took out of it.")
    flags: list[Flag]
    rationale: str | None


class WordedReply(Outgoing):
    """The recommender's answer to one wording."""

    text: str
    content: str | None = Field(description="Null where it gave no usable reply.")
    recommendations: list[str] | None
    failure: str | None = Field(description="Kind of failure.", examples=["crs_timeout"])
    detail: str | None

    @classmethod
    def of(cls, value: paraphrase.WordedReply, /, **others: Any) -> "WordedReply":
        reply = value.reply
        said = {"content": reply.content, "recommendations": reply.recommendations} if reply else {}
        return super().of(value, **others, **{"content": None, "recommendations": None} | said)


class SimulateAnswer(Outgoing):
    """The next user message, or a whole session, or rewordings. Fields that do not apply are null."""

    message: str | None
    """The user's next or last message; null where the session ends in silence."""
    done: bool = Field(description="True where the session is over.")
    outcome: str | None = Field(examples=["accepted"])
    """Reason for its end: `accepted`, `found`, `gave_up`, `turn_limit`, `already_ended`; with `crs` also
    `crs_error`, `crs_timeout`, `crs_silent`, `crs_flood`, `crs_unreadable`, `deadline`, `round_cap`,
    `simulator_failed`. The list may grow."""
    detail: str | None = Field(description="More on an outcome that went wrong.")
    thoughts: str | None = Field(description="The user's feelings about the items; no message says them.")
    satisfaction: int | None = Field(description="1-5, at the end, where the user knows it.")
    rationale: str | None
    removed: list[str] = Field(description="Sentences that a guard took out of the user's messages.")
    item: str | None = Field(description="The item that was accepted or found.")
    flags: list[Flag]
    judge: JudgeRef | None = Field(description="The model that played the user; null where there was none.")
    usage: Usage
    log: SessionLog | None = Field(description="With `crs`: the session, ready for the other routes.")
    verdicts: list[Verdict] | None = Field(description="With `crs` and `score`.")
    summaries: list[Summary] | None
    comparison_key: str | None
    paraphrases: list[Rewording] | None = Field(description="`paraphrase`: the wordings.")
    replies: list[WordedReply] | None
    """`paraphrase` with `crs`: the reply to the message as it was, then to each wording."""
    reply_pairs: list[ReplyPair] | None
    """The same as pairs with the first, as `/computational-metrics` takes them."""
    warnings: list[Notice]


class ProfileRequest(Incoming):
    """Reviews to make a user's profile from."""

    model_config = ConfigDict(json_schema_extra={"examples": [_REVIEWS]})

    reviews: list[Review] = Field(min_length=1, max_length=500)
    domain: str | None = Field(None, examples=["movie"])
    """Null is unknown: the model is asked about items."""
    catalog: str | None = None
    """A catalogue. The model also sees its attributes of the reviewed items."""
    judge: JudgeText = None
    cache: CacheMode | None = Field(None, description="`use` by default.")


class ProfileAnswer(Outgoing):
    """A profile for the `target-free` simulator."""

    seen: list[ItemTaste]
    preferences: str = Field(description="The user's general likes and dislikes, addressed to it.")
    targets: list[str] = Field(description="Held-out items that the user rated highly: what should be found.")
    flags: list[Flag]
    judge: JudgeRef
    usage: Usage


def wire_message(message: values.Message) -> Message:
    """A message on the wire."""
    return Message.of(
        message,
        recommendations=None if message.parts else message.recommendations,
        parts=[part_of(part) for part in message.parts] or None,
        metadata=message.metadata or None,
    )
