"""Lines of a batch and events of a stream, with their models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..generated.models import (
    AgreementAnswer,
    AlignmentAnswer,
    AuditAnswer,
    BatchResult,
    CalibrateAnswer,
    CompareAnswer,
    DebateAnswer,
    EvaluateAnswer,
    ExamAnswer,
    ImportAnswer,
    Message,
    MetricsAnswer,
    ProfileAnswer,
    Round,
    ScoreAnswer,
    SimulateAnswer,
    Verdict,
)
from .lines import RawEvent
from .problems import CrsEvalError

Answer = (
    AgreementAnswer
    | AlignmentAnswer
    | AuditAnswer
    | CalibrateAnswer
    | CompareAnswer
    | DebateAnswer
    | EvaluateAnswer
    | ExamAnswer
    | ImportAnswer
    | MetricsAnswer
    | ProfileAnswer
    | ScoreAnswer
    | SimulateAnswer
    | Verdict
)
ANSWERS: dict[str, Any] = {
    "/score": ScoreAnswer,
    "/debate": DebateAnswer,
    "/evaluate": EvaluateAnswer,
    "/simulate": SimulateAnswer,
    "/simulate/profile": ProfileAnswer,
    "/simulate/audit": AuditAnswer,
    "/computational-metrics": MetricsAnswer,
    "/agreement": AgreementAnswer,
    "/import": ImportAnswer,
    "/calibrate": CalibrateAnswer,
    "/compare": CompareAnswer,
    "/behavior-alignment": AlignmentAnswer,
    "/exam": ExamAnswer,
}
EVENTS: dict[str, Any] = {
    "verdict": Verdict.from_dict,
    "round": Round.from_dict,
    "message": lambda data: Message.from_dict(data["message"]),
}


def answer_of(path: str, body: Mapping[str, Any]) -> Answer | None:
    """The answer of a route as its model; None for a route that this version does not know."""
    model = Verdict if path.startswith("/score/") else ANSWERS.get(path)
    found: Answer | None = model.from_dict(body) if model else None
    return found


@dataclass(frozen=True)
class Event:
    """One event of a stream: `verdict`, `round`, `message`, `progress` or `done`. `data` is its JSON; `value` the same as a
    model, None for events that this version does not know."""

    id: str | None
    name: str
    data: Any
    value: Answer | Round | Message | None

    @classmethod
    def of(cls, raw: RawEvent, path: str) -> "Event":
        """The event of a stream from the route at `path`."""
        if raw.name == "done":
            return cls(raw.id, raw.name, raw.data, answer_of(path, raw.data))
        model = EVENTS.get(raw.name)
        return cls(raw.id, raw.name, raw.data, model(raw.data) if model else None)


@dataclass(frozen=True)
class Result:
    """The outcome of a line of a batch: `answer` where its status is 200, else `error`. `body` is its JSON."""

    line: int
    custom_id: str
    status: int
    body: dict[str, Any]
    answer: Answer | None
    error: CrsEvalError | None

    @classmethod
    def of(cls, result: BatchResult, path: str) -> "Result":
        """The result of a line to the route at `path`."""
        found: dict[str, Any] = result.body.to_dict()
        done = result.status == 200
        return cls(
            result.line,
            result.custom_id or "",
            result.status,
            found,
            answer_of(path, found) if done else None,
            None if done else CrsEvalError.of_problem(result.status, found),
        )


@dataclass(frozen=True)
class Scored:
    """One log of many: its place, and its answer or the error."""

    index: int
    answer: ScoreAnswer | None
    error: CrsEvalError | None

    @classmethod
    def of(cls, result: Result) -> "Scored":
        """Return what a line of a batch came to."""
        answer = result.answer if isinstance(result.answer, ScoreAnswer) else None
        return cls(int(result.custom_id), answer, result.error)
