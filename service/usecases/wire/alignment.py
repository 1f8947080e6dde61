"""Body and answer of `/behavior-alignment`."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator

from ...alignment import pair as domain
from ...alignment import score
from ...alignment.score import Denominator, LeftOut, StrategyConfusion
from ...alignment.strategies import ALL, StrategyName
from ...domain.completion import CacheMode, Usage
from .log import Log, Message
from .model import MANY, WHOLE, Figure, Incoming, Outgoing
from .score import JudgeText, Notice
from .verdict import JudgeRef

MOST_PAIRS = 20_000

_MEANINGS = " ".join(f"`{s.slug.value}`: {s.definition} Like: “{s.example}”" for s in ALL)

_REQUEST: dict[str, Any] = {
    "method": "explicit",
    "pairs": [
        {
            "candidate": "You should watch Glass Harvest.",
            "reference": "What did you like about the last one you saw?",
            "dialogue": "d1",
            "turn": 2,
            "candidate_strategy": "encouragement",
            "reference_strategy": "opinion_inquiry",
        },
        {
            "candidate": "It won two prizes for its music.",
            "reference": "It was filmed in one long take.",
            "dialogue": "d1",
            "turn": 3,
            "candidate_strategy": "credibility",
            "reference_strategy": "credibility",
        },
    ],
}


class AlignmentMethod(StrEnum):
    """The source of the strategies: given with the pairs (`explicit`), or assigned by a language model (`llm`).
    With `implicit` a trained classifier says whether two replies share a strategy, without naming it."""

    EXPLICIT = "explicit"
    LLM = "llm"
    IMPLICIT = "implicit"


class AlignmentPair(Incoming):
    """A system's reply beside a human recommender's to the same context."""

    candidate: str = Field(description="The system's reply.", examples=["You should watch Glass Harvest."])
    reference: str = Field(description="The person's reply.", examples=["What kind of films do you like?"])
    dialogue: str | None = Field(None, min_length=1, max_length=500, examples=["d1"])
    """The conversation that it is from."""
    turn: Annotated[int, Field(ge=1), WHOLE] | None = Field(None, examples=[2])
    """The turn in it; 1 is its first, which is left out."""
    candidate_strategy: StrategyName | None = Field(
        None, description=f"The candidate's strategy; for `explicit`. {_MEANINGS}"
    )
    reference_strategy: StrategyName | None = Field(None, description="The reference's strategy, likewise.")
    context: list[Message] | None = Field(None, max_length=MANY)
    """The messages before, oldest first; only `llm` reads them."""


class AlignmentRequest(Incoming):
    """Pairs of replies, or two logs to be paired turn by turn. For `explicit`, each reply of a log
    carries its label in `metadata.strategy`."""

    model_config = ConfigDict(json_schema_extra={"examples": [_REQUEST]})

    method: AlignmentMethod
    pairs: list[AlignmentPair] | None = Field(None, min_length=1, max_length=MOST_PAIRS)
    candidate_log: Log | None = Field(None, description="The system's conversation.")
    reference_log: Log | None = Field(None, description="The human recommender's conversation.")
    denominator: Denominator | None = None
    """`pairs` by default; `paper` counts first turns too, as its formula does."""
    judge: JudgeText = None
    samples: Annotated[int, Field(ge=1, le=20), WHOLE] | None = None
    """For `llm`: number of times that the model labels each reply, at temperature 1. The most frequent label counts, the first of
    equal ones. 1 by default."""
    cache: CacheMode | None = Field(None, description="For `llm`, as with `/score`; `use` by default.")

    @model_validator(mode="after")
    def _pairs_or_logs(self) -> Self:
        logs = (self.candidate_log is not None) + (self.reference_log is not None)
        if logs == 1 or (self.pairs is None) == (logs == 0):
            raise ValueError("send either `pairs`, or both `candidate_log` and `reference_log`")
        return self


class AlignmentInterval(Outgoing):
    """A percentile bootstrap interval."""

    low: Figure
    high: Figure
    level: Figure
    units: str = Field(description="Units that were resampled: `dialogues` or `pairs`.")


class AlignmentEstimate(Outgoing):
    """A share of pairs."""

    value: Figure | None = Field(description="Null where no pair counts.")
    interval: AlignmentInterval | None

    @classmethod
    def over(cls, units: str, estimate: score.Estimate) -> "AlignmentEstimate":
        """The estimate, whose interval is over such units."""
        found = estimate.interval
        return cls(value=estimate.value, interval=AlignmentInterval.of(found, units=units) if found else None)


class UsedStrategy(Outgoing):
    """A strategy that a reply was found to use."""

    strategy: StrategyName
    probability: Figure | None = Field(
        description="Probability of the strategy, where the method gives one; with `samples`, its share of them."
    )


class PairStrategies(Outgoing):
    """Strategies of either reply, the one that counts first; null where a reply is missing or could not be
    labelled."""

    candidate: list[UsedStrategy] | None
    reference: list[UsedStrategy] | None


class PairAlignment(Outgoing):
    """One pair."""

    dialogue: str | None
    turn: int | None
    counted: bool
    left_out: LeftOut | None = Field(description="Reason for leaving the pair out of the score.")
    aligned: bool | None = Field(description="True where the replies share a strategy; null where unknown.")
    aligned_any: bool | None
    """True where any strategy of one turn is also one of the other's; null where unknown."""
    probability: Figure | None
    """That of a shared strategy at even odds; `implicit` alone. Aligned from 0.5."""
    strategies: PairStrategies
    stage_weight: Figure | None
    """Weight of a deviation here, 1 on average; null without dialogue and turn."""
    rationale: str

    @classmethod
    def of(cls, value: score.Weighed, /, **others: Any) -> "PairAlignment":
        judged = value.judged
        return super().of(
            judged,
            **others,
            dialogue=value.pair.dialogue,
            turn=value.pair.turn,
            counted=value.left_out is None,
            left_out=value.left_out,
            strategies={"candidate": _used(judged.candidate), "reference": _used(judged.reference)},
            stage_weight=value.stage_weight,
        )


def _used(finding: domain.StrategyFinding | None) -> list[dict[str, Any]] | None:
    if finding is None:
        return None
    shares = finding.shares or (None,) * len(finding.strategies)
    return [
        {"strategy": name, "probability": share}
        for name, share in zip(finding.strategies, shares, strict=True)
    ]


class Distribution(Outgoing):
    """The use of each strategy, `no_strategy` included, left-out pairs too."""

    candidate: dict[str, int]
    reference: dict[str, int]


class SideFigures(Outgoing):
    """One side's words, and its conduct of the session where a log tells it."""

    words: int
    distinct_1: Figure | None = Field(description="Different words over all words of its replies.")
    distinct_2: Figure | None = Field(description="The same for pairs of neighbouring words.")
    turns_before_recommendation: int | None
    """Turns before the first that recommends; null with `pairs`, or where none does."""
    success: bool | None
    """The user accepted, or else a wanted item was shown; null where that is unknown."""


class AlignmentAnswer(Outgoing):
    """The extent to which a system's strategies are those of people in the same place."""

    method: AlignmentMethod
    denominator: Denominator
    score: Figure | None = Field(description="Share of aligned pairs, 0-1; null where no pair counts.")
    interval: AlignmentInterval | None
    any_strategy: AlignmentEstimate
    """The same where one shared strategy among all of a turn's is enough."""
    stage_weighted: AlignmentEstimate
    """The same with `stage_weight`; null without dialogues and turns."""
    counted: int = Field(description="Pairs that the score's numerator runs over.")
    left_out: dict[str, int] = Field(description="Pairs that it does not, by reason.")
    #: Made and written one by one: together they take thirty times as much as their text.
    pairs: Iterable[PairAlignment] = Field(description="In the order sent.")
    distributions: Distribution
    confusions: list[StrategyConfusion] = Field(description="Commonest first.")
    bleu: list[Figure | None]
    """Corpus BLEU of the replies for n-grams up to 1, 2, 3 and 4, for comparison; 0-1."""
    candidate: SideFigures
    reference: SideFigures
    judge: JudgeRef | None = Field(description="The judge that labelled; null unless `llm`.")
    evaluator_revision: str | None
    """Changes whenever the same pairs could get another score; null for `explicit`."""
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]
