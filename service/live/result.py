"""The result of a judgement, as outputs get it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..domain.calibration import CalibrationMap
from ..domain.conversation import UNKNOWN_DOMAIN
from ..store.conversations.protocol import ClaimedConversation, merged
from ..usecases.wire.model import Outgoing
from ..usecases.wire.score import ScoreAnswer
from ..usecases.wire.verdict import Verdict
from .conversation import Ended, written


class LiveEvidence(Outgoing):
    """A place that a verdict rests on. `quote` only where the text is kept."""

    message: int | None
    message_id: str | None
    effect: float | None
    quote: str | None


class LiveFault(Outgoing):
    """A fault of a conversation, as the judge of all conversations reports it. `rate` is the share of replies that have it, in
    `messages`. `certain`: code proves it in one of them."""

    fault: str
    replies: int
    rate: float
    certain: bool
    messages: list[int]


class LiveVerdict(Outgoing):
    """One factor of one conversation, with codes in place of texts. `calibrated` is what people would give, on 0-1 of their
    scale, where a map was made for this judge. `rationale` only where the text is kept."""

    factor: str
    status: str
    score: float | None
    level: int | None
    scale_min: int
    scale_max: int
    confidence: float | None
    reason: str | None
    flags: list[str]
    judge: str
    evaluator_revision: str
    calibrated: float | None
    rationale: str | None
    evidence: list[LiveEvidence]

    @classmethod
    def of_verdict(
        cls, verdict: Verdict, maps: Sequence[CalibrationMap] = (), *, text: bool
    ) -> "LiveVerdict":
        """The verdict, with what quotes the conversation only if `text` is kept. `maps` put its score on people's scale."""
        judge = verdict.judge
        hidden: dict[str, Any] = {} if text else {"quote": None}
        return cls.of(
            verdict,
            status=verdict.status.value,
            scale_min=verdict.scale.min,
            scale_max=verdict.scale.max,
            reason=verdict.reason.code if verdict.reason else None,
            flags=sorted({flag.code for flag in verdict.flags}),
            judge=f"{judge.name}:{judge.model}" if judge.model else judge.name,
            calibrated=_calibrated(verdict, maps),
            rationale=verdict.rationale if text else None,
            evidence=[LiveEvidence.of(one, **hidden) for one in verdict.evidence],
        )

    @property
    def share(self) -> float | None:
        if self.score is None or self.scale_max == self.scale_min:
            return None
        return (self.score - self.scale_min) / (self.scale_max - self.scale_min)


class LiveResult(Outgoing):
    """One judgement of one conversation. `mean` is the embedded judge's mean of the scored verdicts, each on 0-1. `left_out`
    counts first messages that were too many. `last_at` is when its last message was written. `failure` says why nothing could
    be judged. `model` says what came of asking a model (`judged`, `left_out`, `over_budget`, `failed`). It is null where there
    is none, or while the conversation goes on. `model_reasons` says why the model was to be asked. `user_hash` is the keyed hash
    of the user's id. For several users it holds all hashes, the latest first, with spaces between. `segment` is the entry of that
    name in `metadata`."""

    conversation: str
    revision: int
    system: str
    domain: str
    ended: Ended
    judged_at: datetime
    first_at: datetime
    last_at: datetime
    messages: int
    replies: int
    left_out: int
    mean: float | None
    failure: str | None
    model: str | None
    model_reasons: list[str]
    user_hash: str | None
    segment: str | None
    comparison_key: str | None
    verdicts: list[LiveVerdict]
    faults: list[LiveFault]
    log: dict[str, Any] | None


class LiveHead(Outgoing):
    """One of the last judgements in a line. `faults` are named, the most frequent first. `mean` is the mean of its scored verdicts, each on 0-1."""

    conversation: str
    revision: int
    system: str
    domain: str
    ended: Ended
    judged_at: datetime
    messages: int
    replies: int
    faults: list[str]
    mean: float | None
    failure: str | None


def faults_of(answer: ScoreAnswer) -> list[LiveFault]:
    """The faults of an answer, the most frequent first."""
    found = [fault for verdict in answer.verdicts for fault in verdict.faults]
    return [
        LiveFault(
            fault=count.fault,
            replies=count.replies,
            rate=count.rate,
            certain=any(one.certain for one in found if one.fault == count.fault),
            messages=sorted(
                {one.message for one in found if one.fault == count.fault and one.message is not None}
            ),
        )
        for count in answer.faults
    ]


def _calibrated(verdict: Verdict, maps: Sequence[CalibrationMap]) -> float | None:
    """Return what people would give by the map that was made for this factor, judge, model, revision and scale."""
    made_for = (verdict.factor, verdict.judge.name, verdict.judge.model, verdict.scale.min, verdict.scale.max)
    for one in maps:
        scale = one.judge_scale
        same = made_for == (one.factor, one.judge.name, one.judge.model, scale.min, scale.max)
        if (
            same
            and one.evaluator_revision in (None, verdict.evaluator_revision)
            and verdict.score is not None
        ):
            people = one.people_scale
            return (one.apply(verdict.score).score - people.min) / (people.max - people.min)
    return None


def mean_of(verdicts: Sequence[LiveVerdict]) -> float | None:
    """The mean of the scored ones, each on 0-1."""
    shares = [verdict.share for verdict in verdicts if verdict.share is not None]
    return sum(shares) / len(shares) if shares else None


def result_of(
    due: ClaimedConversation,
    ended: Ended,
    body: Mapping[str, Any],
    verdicts: Sequence[LiveVerdict],
    seconds: float,
    **more: Any,
) -> LiveResult:
    """The result of a judgement that took so many seconds. `more` are the fields that neither the log in `body` nor the verdicts tell.
    Messages that say when they were written date the conversation, else their arrival does."""
    first, last = written(body["messages"]) or (due.first, due.last)
    return LiveResult(
        conversation=due.conversation,
        revision=due.revision,
        system=str(body.get("system") or ""),
        domain=str(body.get("domain") or UNKNOWN_DOMAIN),
        ended=ended,
        judged_at=_time(due.now + seconds),
        first_at=_time(min(first, due.now)),
        last_at=_time(min(last, due.now)),
        messages=len(body["messages"]),
        replies=sum(message["role"] == "assistant" for message in body["messages"]),
        user_hash=merged(due.facts).get("user", {}).get("id"),
        segment=(body.get("metadata") or {}).get("segment"),
        verdicts=list(verdicts),
        **more,
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
