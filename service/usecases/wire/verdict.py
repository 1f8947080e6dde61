"""Verdicts and usage on the wire: one flat object with a status."""

from dataclasses import replace
from enum import StrEnum
from functools import cache
from typing import Any, Self

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, TypeAdapter, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...domain import verdict as domain
from ...domain.calibration import Calibrated
from ...domain.completion import Usage
from ...domain.rubric import Scale
from ...domain.verdict import Severity, TurnScore
from . import examples
from .model import MANY, MOST, Figure, Incoming, Whole


class Status(StrEnum):
    """The outcome of a question."""

    SCORED = "scored"
    NOT_ASSESSABLE = "not_assessable"
    FAILED = "failed"


class JudgeRef(Incoming):
    """The judge of a verdict: the judge's name and the model that answered, as its provider names it."""

    name: str = Field(examples=["builtin"])
    model: str | None


class Evidence(Incoming):
    """A place in the log that a verdict rests on."""

    message: Whole | None = Field(description="Index in `messages`.")
    message_id: str | None
    quote: str | None = Field(description="Words that occur in that message.")
    effect: Figure | None = Field(description="Change of the score by this, in points of the scale.")


class Reason(Incoming):
    """The reason why there is no score."""

    code: str = Field(description="From a published list that may grow.", examples=["missing_popularity"])
    detail: str
    missing: list[str] = Field(max_length=MANY)
    """The inputs that would make the factor assessable."""


class Flag(Incoming):
    """A remark that a reader must not miss."""

    code: str = Field(description="From a published list that may grow.", examples=["no_occasion"])
    message: Whole | None = Field(description="Index in `messages`, where it concerns one.")
    detail: str


class VerdictFault(Incoming):
    """A fault that lowers the verdict's factor. `GET /faults` describes each."""

    fault: str = Field(description="Slug of the fault.", examples=["ignores-question"])
    message: Whole | None
    """Index in `messages`; of a missing reply that of the last unanswered message."""
    probability: Figure = Field(description="0-1; 1 where the quotes prove the fault.")
    certain: bool = Field(description="True where code proves the fault.")
    severity: Severity | None = Field(description="Stated by a model that lists faults; null otherwise.")
    quotes: list[str] = Field(max_length=MANY)
    """The one or two spans of text that show the fault."""


class SampleInfo(Incoming):
    """Repeated draws: how many were asked for, how many could be read, and how far they lie apart. Of a panel's verdict
    these are its members' scores."""

    requested: Whole
    n: Whole
    scores: list[Figure] = Field(max_length=MANY)
    spread: Figure | None


USAGE = TypeAdapter(Usage)
MOST_MEMBERS = 9
"""Judges of a panel: each is asked about every factor."""


class MemberVerdict(Incoming):
    """One factor judged on one log by one judge. `status` says which fields carry something."""

    factor: str = Field(examples=["coherence"])
    status: Status
    score: Figure | None = Field(description="On `scale`; null unless scored. The mean over readable draws.")
    level: Whole | None = Field(description="The level nearest to `score`, halves down.")
    scale: Scale
    rationale: str | None
    evidence: list[Evidence] = Field(max_length=MOST)
    turns: list[TurnScore] | None = Field(max_length=MOST)
    confidence: Figure | None = Field(
        description="0-1; null where the judge gives none. Of a model, it is the closeness of its samples. With one sample it is "
        "the spread of the levels' probabilities, and without these the share of its quotations that were found."
    )
    reason: Reason | None = Field(description="Set unless scored.")
    flags: list[Flag] = Field(max_length=MOST)
    judge: JudgeRef
    evaluator_revision: str = Field(description="Changes whenever the same log could get another score.")
    samples: SampleInfo
    cached: bool
    prompt_hash: str | None
    usage: Usage
    method: str | None = Field(None, examples=["rating"])
    """Way in which a model was asked: `rating`, `itemised`, `expected` or `faults`; null for the embedded
    judge."""
    counts: dict[str, Figure] | None = None
    """Counts that code made. Of an itemised verdict: the instances, `quotes_found` and `quotes_not_found`.
    Of faults: `replies_read`, `quotes_found`, `quotes_not_found` and `faults_dropped`, each a mean over
    the samples. Of the embedded judge's `coherence`: `replies`, `misses`, and shares from 0 to 1.
    `belonging` is the mean probability that a reply is sound, `kept` the points left after faults.
    `accepted`, `rejected` and `objected` count later messages of the user. `content` is how content they
    sound, `repeated` how much of them was said before. Null otherwise."""
    scale_share: Figure | None = None
    """The sum of the levels' probabilities, where the score is weighted by them; null otherwise."""
    faults: list[VerdictFault] = Field([], max_length=MANY)
    """The reported faults that lower the factor, costliest first. Empty where the judge lists none."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema of an answer, where every field is present."""
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        whole = handler.resolve_ref_schema(schema)
        whole["required"] = list(whole["properties"])
        for described in whole["properties"].values():
            described.pop("default", None)
        return schema

    @model_validator(mode="after")
    def _status_fits(self) -> Self:
        if self.status is Status.SCORED and (self.score is None or self.rationale is None):
            raise ValueError("a scored verdict has a score and a rationale")
        if self.status is not Status.SCORED and self.reason is None:
            raise ValueError("a verdict that is not scored has a reason")
        return self

    def value(self) -> domain.Verdict:
        """A verdict that a caller hands back, as the rest of the service reads it. What it cost is not counted again."""
        given = self.model_dump(exclude={"usage", "panel"})
        given |= given["reason"] or {}
        if self.score is not None:
            given["level"] = domain.nearest_level(self.score)
        verdict: domain.Verdict = _adapter(self.status).validate_python(given)
        return verdict


@cache
def _adapter(status: Status) -> TypeAdapter[Any]:
    kinds = {Status.SCORED: domain.Scored, Status.NOT_ASSESSABLE: domain.NotAssessable}
    return TypeAdapter(kinds.get(status, domain.Failed))


class Verdict(MemberVerdict):
    """One factor judged on one log, by one judge or by a panel. `status` says which fields carry something."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.VERDICT]})

    # Verdicts that callers kept from before there were calibrations, or panels, lack these.
    calibrated: Calibrated | None = Field(None, description="Set where the request's calibration has a map.")
    panel: list[MemberVerdict] | None = Field(None, max_length=MOST_MEMBERS)
    """Verdicts of the members of a panel, in the order asked; null for a single judge. `score` is then the
    mean or median of the members' scores. `rationale`, `evidence` and `turns` are those of the member
    nearest to it. `samples` has the members' scores and their spread, `confidence` their closeness,
    `usage` the sum."""
    comparison_key: str | None = Field(None, examples=["9c4e0f6d2ab81357"])
    """Set in the answer of `/score/{factor}`, which compares only with answers of the same key. Answers
    with several verdicts have one key for all."""

    def value(self) -> domain.Verdict:
        """A verdict that a caller hands back, with its members'."""
        return replace(super().value(), panel=tuple(member.value() for member in self.panel or ()))

    @classmethod
    def on_scale(
        cls, verdict: domain.Verdict, scale: Scale, calibrated: Calibrated | None = None
    ) -> "Verdict":
        """The domain's verdict, flattened, with its score on people's scale."""
        panel = [MemberVerdict.of(member, **_flat(member, scale)) for member in verdict.panel]
        return cls.of(
            verdict, **_flat(verdict, scale), calibrated=calibrated, panel=panel or None, comparison_key=None
        )


_OF_SCORED = ("score", "level", "rationale", "turns", "confidence", "counts", "scale_share")


def _flat(verdict: domain.Verdict, scale: Scale) -> dict[str, Any]:
    """The fields of a verdict that depend on its status, and its scale."""
    missing: tuple[str, ...] = ()
    match verdict:
        case domain.Scored():
            return {"status": Status.SCORED, "scale": scale, "reason": None}
        case domain.NotAssessable():
            status, missing = Status.NOT_ASSESSABLE, verdict.missing
        case domain.Failed():
            status = Status.FAILED
    reason = {"code": verdict.code, "detail": verdict.detail, "missing": missing}
    return {"status": status, "scale": scale, "reason": reason, "evidence": (), **dict.fromkeys(_OF_SCORED)}
