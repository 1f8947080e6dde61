"""The conversations that a model judges beside the embedded judge: a sample by the hash of the id, and those that show a reason."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ..domain.idle import Sampling
from ..store.conversations.protocol import Conversations, change
from ..text.acts import UserAct, user_acts
from .result import LiveVerdict, mean_of

LOW: Final = 0.4
"""A mean on 0-1 below which a conversation is always judged by the model."""

FLAGS: Final = frozenset({"steering_attempt", "tool_error_passed_over"})
"""Flags for problems of the conversation, not of the judge."""

HOUR: Final = 3600.0


class Why(StrEnum):
    """The reasons to ask the model."""

    SAMPLE = "sample"
    LOW = "low"
    FLAGGED = "flagged"
    COMPLAINT = "complaint"
    TOOL_FAILED = "tool_failed"


class Outcome(StrEnum):
    """The outcome of a conversation that is over: judged by the model, or the reason that it was not."""

    JUDGED = "judged"
    LEFT_OUT = "left_out"
    OVER_BUDGET = "over_budget"
    FAILED = "failed"


@dataclass(frozen=True)
class Sampler:
    """Asks `judge` for the conversations that `sampling` takes and for those with a reason, `budget` conversations an hour at
    the most (None: all), for at most `seconds` each. Workers share the budget through `conversations`."""

    judge: str
    sampling: Sampling
    budget: int | None
    seconds: float
    conversations: Conversations

    def reasons(self, log: Mapping[str, Any], verdicts: Sequence[LiveVerdict]) -> list[Why]:
        """Return why the model should judge a log that has these verdicts."""
        system = log.get("system")
        mean = mean_of(verdicts)
        flags = {code for one in verdicts for code in one.flags}
        found = {
            Why.SAMPLE: self.sampling.takes(str(log["id"]), system),
            Why.LOW: mean is not None and mean < LOW,
            Why.FLAGGED: bool(flags & FLAGS),
            Why.COMPLAINT: any(map(_complains, log["messages"])),
            Why.TOOL_FAILED: any(map(_failed, log["messages"])),
        }
        return [why for why, holds in found.items() if holds]

    async def affords(self) -> bool:
        """Take one conversation out of this hour's budget. Raises Unreachable."""
        if self.budget is None:
            return True
        now = int(time.time() // HOUR)

        def add(kept: bytes | None) -> bytes:
            hour, number = json.loads(kept or b"[0, 0]")
            return json.dumps([now, number + 1 if hour == now else 1]).encode()

        _, number = json.loads(await change(self.conversations, "asked-of-model", add))
        return bool(number <= self.budget)


def _complains(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return message["role"] == "user" and isinstance(content, str) and UserAct.COMPLAIN in user_acts(content)


def _failed(message: Mapping[str, Any]) -> bool:
    parts = message.get("parts") or ()
    return any(part.get("type") == "tool_result" and part.get("error") is True for part in parts)
