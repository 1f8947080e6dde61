"""`POST /behavior-alignment`."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...alignment.pair import Pair, Side
from ...alignment.score import Alignment, Denominator, LeftOut, align
from ...alignment.sessions import Session, session
from ...alignment.stages import StageWeights
from ...alignment.wording import bleu, wording
from ...catalogue.catalogue import Catalogue
from ...domain.completion import NO_USAGE
from ..answers import digest, hit_rate, json_response
from ..body import read, unless_gone
from ..openapi_parts import posted
from ..plans.alignment import Found, judge_pairs, pairs_of
from ..services import Here
from ..wire.alignment import (
    AlignmentAnswer,
    AlignmentEstimate,
    AlignmentRequest,
    Distribution,
    PairAlignment,
    SideFigures,
)
from ..wire.log import Log
from ..wire.score import Notice
from ..wire.verdict import JudgeRef

router = APIRouter(tags=["alignment"])


@router.post(
    "/behavior-alignment",
    summary="Compare a recommender's strategies with people's",
    **posted(AlignmentRequest, AlignmentAnswer, 502, 504),
)
async def behavior_alignment(request: Request, here: Here) -> Response:
    """Says for each pair whether the system's reply uses the same strategy as the human recommender's, and counts over all
    pairs. The first turn of a dialogue is left out, and
    so are pairs in which a reply uses no strategy."""
    body = await read(request, AlignmentRequest, here.limits)
    pairs = pairs_of(body, here)
    body = body.model_copy(update={"pairs": None})  # as they came they take twice as much
    found = await unless_gone(request.receive, judge_pairs(body, pairs, here))
    return json_response(alignment_answer(body, pairs, found, here.stages), _cache_status(found))


def alignment_answer(
    body: AlignmentRequest, pairs: Sequence[Pair], found: Found, stages: StageWeights
) -> AlignmentAnswer:
    """The answer of `/behavior-alignment`; its `pairs` are made as they are read."""
    denominator = body.denominator or Denominator.PAIRS
    alignment = align(pairs, found.judged, denominator, stages)
    both = ((pair.candidate.text, pair.reference.text) for pair in pairs if pair.candidate and pair.reference)

    def figures(side: Side, log: Log | None) -> SideFigures:
        held = _session(log)
        return SideFigures.of(
            wording(reply.text for pair in pairs if (reply := pair.reply(side))),
            turns_before_recommendation=held.turns_before_recommendation,
            success=held.success,
        )

    return AlignmentAnswer(
        method=body.method,
        denominator=denominator,
        score=alignment.score.value,
        interval=AlignmentEstimate.over(alignment.units, alignment.score).interval,
        any_strategy=AlignmentEstimate.over(alignment.units, alignment.any_strategy),
        stage_weighted=AlignmentEstimate.over(alignment.units, alignment.stage_weighted),
        counted=alignment.counted,
        left_out=dict(alignment.left_out),
        pairs=(PairAlignment.of(one) for one in alignment.pairs),
        distributions=Distribution.model_validate(alignment.distributions),
        confusions=list(alignment.confusions),
        bleu=list(bleu(both)),
        candidate=figures(Side.CANDIDATE, body.candidate_log),
        reference=figures(Side.REFERENCE, body.reference_log),
        judge=JudgeRef.of(found.judge) if found.judge else None,
        evaluator_revision=found.revision,
        comparison_key=digest(
            body.method.value, denominator.value, found.revision, str(found.judge) if found.judge else None
        ),
        usage=found.labelling.usage if found.labelling else NO_USAGE,
        warnings=_warnings(pairs, alignment),
    )


def _session(log: Log | None) -> Session:
    if log is None:
        return Session(None, None)
    value = log.value()
    return session(value, Catalogue.of_log(value, None))


def _warnings(pairs: Sequence[Pair], alignment: Alignment) -> list[Notice]:
    found: list[Notice] = []
    if unplaced := sum(pair.turn is None for pair in pairs):
        detail = (
            f"{unplaced} of {len(pairs)} pairs do not say their turn: the first turns among them count too."
        )
        found.append(Notice(code="first_turns_unknown", detail=detail))
    if alignment.units == "pairs":
        detail = "Not every pair names its dialogue: those that do not were resampled one by one."
        found.append(Notice(code="dialogues_unknown", detail=detail))
    if failed := alignment.left_out[LeftOut.FAILED]:
        detail = f"{failed} of {len(pairs)} pairs could not be labelled; they are no part of the score."
        found.append(Notice(code="failed_pairs", detail=detail))
    if unequal := alignment.left_out[LeftOut.NO_COUNTERPART]:
        detail = f"{unequal} turns of one log have no counterpart in the other."
        found.append(Notice(code="unequal_logs", detail=detail))
    return found


def _cache_status(found: Found) -> dict[str, str]:
    return hit_rate(found.labelling.hits, found.labelling.calls) if found.labelling else {}
