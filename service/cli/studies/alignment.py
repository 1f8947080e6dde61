"""Answers of `/behavior-alignment`, one for each dialogue, put together as one system's Behavior Alignment."""

from collections.abc import Iterable, Sequence

from ...alignment.pair import Judged, Pair, Reading, Reply, Side
from ...alignment.score import Alignment, Denominator, LeftOut, align
from ...alignment.stages import StageWeights, estimate
from ...alignment.strategies import StrategyName
from ..inputs import Json

_SAID = Reply(("",))
"""Stands for a reply: what is put together was judged before."""


def together(answers: Iterable[Json], denominator: Denominator, stages: StageWeights) -> Alignment:
    """The alignment over the pairs of all answers, each dialogue resampled whole."""
    found = [_judged(one) for answer in answers for one in answer["pairs"]]
    return align([pair for pair, _ in found], [judged for _, judged in found], denominator, stages)


def own_stages(answers: Iterable[Json]) -> StageWeights | None:
    """Stage weights from what the human recommenders of these dialogues did, turn by turn; None where no two
    turns with a strategy follow one another."""
    dialogues = [
        [reading.strategy for pair in answer["pairs"] if (reading := human(pair)) and reading.uses_one]
        for answer in answers
    ]
    return estimate(dialogues) if any(len(dialogue) > 1 for dialogue in dialogues) else None


def human(pair: Json) -> Reading | None:
    """Return what the human recommender's reply was found to do."""
    return _reading(pair["strategies"]["reference"])


def system(pair: Json) -> Reading | None:
    """Return what the system's reply was found to do."""
    return _reading(pair["strategies"]["candidate"])


def _judged(pair: Json) -> tuple[Pair, Judged]:
    readings = {Side.CANDIDATE: system(pair), Side.REFERENCE: human(pair)}
    alone = pair["left_out"] == LeftOut.NO_COUNTERPART.value
    judged = Judged(
        candidate=readings[Side.CANDIDATE],
        reference=readings[Side.REFERENCE],
        aligned=pair["aligned"],
        aligned_any=pair["aligned_any"],
        rationale=pair["rationale"],
        probability=pair["probability"],
    )
    said = None if alone else _SAID
    return Pair(said, said, pair["dialogue"], pair["turn"]), judged


def _reading(used: Sequence[Json] | None) -> Reading | None:
    if not used:
        return None
    shares = tuple(one["probability"] for one in used)
    return Reading(
        tuple(StrategyName(one["strategy"]) for one in used),
        None if any(share is None for share in shares) else shares,
    )
