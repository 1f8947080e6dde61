"""Sessions between a simulated user and a recommender that is a Python callable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..generated.models import SimulateAnswer
from .requests import plain

Reply = str | Mapping[str, Any]
"""A recommender's answer: a text, or a mapping with `content` and any of `SHOWN`."""

SHOWN = ("recommendations", "parts")

ACCEPTING = ("persona", "scripted")
"""Simulated users that say whether they accept an item; the others' logs have no outcome."""

FINISHED = ("accepted", "found", "gave_up", "turn_limit", "already_ended")
SILENT = "crs_silent"
ROUND_CAP = "round_cap"


@dataclass
class Session:
    """A session as it grows: `log` is ready for every other route once `outcome` is set."""

    simulator: Mapping[str, Any]
    log: dict[str, Any]
    outcome: str | None = None
    steps: list[SimulateAnswer] = field(default_factory=list)

    @classmethod
    def begun(cls, simulator: Mapping[str, Any], log: Mapping[str, Any] | None) -> "Session":
        """A session that goes on from `log`, which stays as it is."""
        given = dict(log or {})
        return cls(simulator, {**given, "messages": [dict(m) for m in given.get("messages") or ()]})

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All messages so far."""
        return list(self.log["messages"])

    @property
    def awaits_reply(self) -> bool:
        """Return whether the user spoke last."""
        return bool(self.messages) and self.messages[-1]["role"] == "user"

    def heard(self, step: SimulateAnswer) -> bool:
        """Take what the user did; whether the session goes on."""
        self.steps.append(step)
        if step.message is not None:
            thoughts = {"thoughts": step.thoughts} if step.thoughts else {}
            self.log["messages"].append({"role": "user", "content": step.message, **thoughts})
        if step.done:
            self._note_outcome(step)
            self.end(str(step.outcome))
        return not step.done

    def replied(self, reply: Reply) -> bool:
        """Take what the recommender answered; whether the session goes on."""
        answer: dict[str, Any] = {"content": reply} if isinstance(reply, str) else dict(reply)
        content = answer.get("content") or ""
        shown = {name: plain(list(answer[name])) for name in SHOWN if isinstance(answer.get(name), Sequence)}
        if not content.strip() and not any(shown.values()):
            self.end(SILENT)
            return False
        self.log["messages"].append({"role": "assistant", "content": content, **shown})
        return True

    def end(self, outcome: str) -> None:
        """Close the session; a log that its user did not end is not complete."""
        self.outcome = outcome
        self.log["complete"] = outcome in FINISHED

    def _note_outcome(self, step: SimulateAnswer) -> None:
        if self.simulator.get("type") in ACCEPTING and step.outcome != "already_ended":
            accepted = step.outcome == "accepted"
            at = len(self.messages) - 1 if accepted and step.message is not None else None
            self.log["outcome"] = {"accepted": accepted, "message": at}
