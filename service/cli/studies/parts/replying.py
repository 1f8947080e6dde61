"""A recommender's next reply to a conversation that somebody else had."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...inputs import Json
from ...records import Record
from ...run import Job
from ..steps import StudyRun


@dataclass(frozen=True)
class OpenTurn:
    """A conversation that waits for a reply: its name, the dialogue that it is of, its messages, the user's last."""

    id: str
    dialogue: str
    messages: Sequence[Json]
    log: Mapping[str, object]
    """Further fields of the log: domain, items."""


@dataclass(frozen=True)
class Replied:
    """A recommender's reply, and how it failed where it gave none."""

    content: str
    recommendations: Sequence[str] | None
    failure: str | None

    @property
    def text(self) -> str:
        """Return what it says; of a reply that only shows items, which."""
        if self.content.strip() or not self.recommendations:
            return self.content
        return f"[shows: {', '.join(self.recommendations)}]"


async def next_replies(
    asking: StudyRun, contexts: Sequence[OpenTurn], systems: Sequence[str], step: str = "replies"
) -> dict[tuple[str, str], Replied]:
    """The reply of every system to every context, by system and context."""
    planned = [(system, context) for system in systems for context in contexts]
    records = await asking.step(step, [_job(system, context) for system, context in planned])
    return {
        (system, context.id): _replied(record)
        for (system, context), record in zip(planned, records, strict=True)
    }


def _job(system: str, context: OpenTurn) -> Job:
    log = {**context.log, "id": f"{system}/{context.dialogue}", "messages": list(context.messages)}
    # Without rewordings the recommender hears the conversation as it was.
    body = {"simulator": {"type": "paraphrase", "count": 0}, "log": log, "crs": system}
    return Job(f"{system}/{context.id}", system, "/simulate", body)


def _replied(record: Record) -> Replied:
    if record.answer is None:
        return Replied("", None, "no answer")
    (said,) = record.answer["replies"]
    return Replied(said["content"] or "", said["recommendations"], said["failure"])
