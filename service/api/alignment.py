"""`POST /behavior-alignment`."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from ..alignment.explicit import judge_labelled
from ..alignment.implicit import PairClassifier
from ..alignment.llm import Labelling, LLMLabeller
from ..alignment.pair import Judged, Pair, Reply, Side, pairs_of_logs
from ..alignment.score import Alignment, Denominator, LeftOut, align
from ..alignment.sessions import Session, session
from ..alignment.stages import StageWeights
from ..alignment.strategies import StrategyName
from ..alignment.wording import bleu, wording
from ..domain.completion import NO_USAGE, CacheMode, Call
from ..domain.conversation import Role
from ..domain.verdict import JudgeName
from ..errors import DeadlineExceeded, InvalidRequest, UpstreamFailed, UpstreamRefused
from ..llm.failures import CONFIGURATION_CODES, TIMEOUT_CODES, UPSTREAM_CODES
from ..text.catalogue import Catalogue
from .asking import checked_log
from .body import parse, read_body
from .contract import json_body, problems
from .encoding import encode
from .leaving import unless_gone
from .services import Here, Services
from .wire.alignment import (
    AlignmentAnswer,
    AlignmentEstimate,
    AlignmentInterval,
    AlignmentMethod,
    AlignmentPair,
    AlignmentRequest,
    Distribution,
    PairAlignment,
    SideFigures,
    StrategyConfusion,
)
from .wire.log import Log
from .wire.score import Notice
from .wire.verdict import JudgeRef, Usage

router = APIRouter(tags=["alignment"])
CHUNK = 50
"""Pairs that the classifier reads between two looks at the clock."""


@dataclass(frozen=True)
class Aligning:
    """What the route needs beside `Services`. `labeller_of` makes the labeller of a judge's name and
    is only asked for language models."""

    classifier: PairClassifier
    stages: StageWeights
    labeller_of: Callable[[JudgeName], LLMLabeller]


def _aligning(request: Request) -> Aligning:
    aligning = request.state.aligning
    assert isinstance(aligning, Aligning)
    return aligning


Aligns = Annotated[Aligning, Depends(_aligning)]


@dataclass(frozen=True)
class Found:
    """What a method made of the pairs, and what it took."""

    judged: Sequence[Judged]
    revision: str | None = None
    labelling: Labelling | None = None
    judge: JudgeName | None = None
    warnings: Sequence[Notice] = field(default_factory=tuple)


@router.post(
    "/behavior-alignment",
    summary="Compare a recommender's strategies with people's",
    response_model=AlignmentAnswer,
    responses=problems(400, 413, 415, 422, 500, 502, 504),
    openapi_extra=json_body(AlignmentRequest),
)
async def behavior_alignment(request: Request, here: Here, aligns: Aligns) -> Response:
    """Says for each pair whether the system's reply uses the strategy that a human recommender used
    in the same place, and for all of them how often. The first turn of a dialogue is left out, and
    so are pairs in which a reply uses no strategy."""
    body = parse(AlignmentRequest, await read_body(request, here.limits.body), here.limits.depth)
    pairs = _pairs(body, here)
    found = await unless_gone(request.receive, _judge(body, pairs, here, aligns))
    denominator = body.denominator or Denominator.PAIRS
    alignment = align(pairs, found.judged, denominator, aligns.stages)
    answer = _answer(body, pairs, found, alignment, denominator)
    return Response(encode(answer), headers=_cache_status(found), media_type="application/json")


def _pairs(body: AlignmentRequest, here: Services) -> list[Pair]:
    if body.candidate_log is not None and body.reference_log is not None:
        return _logs_pairs(body.candidate_log, body.reference_log, body.method, here)
    labelled = body.method is AlignmentMethod.EXPLICIT
    return [_pair(one, index, labelled) for index, one in enumerate(body.pairs or ())]


def _pair(sent: AlignmentPair, index: int, labelled: bool) -> Pair:
    before = tuple(message.value() for message in sent.context or ())

    def reply(side: Side, text: str, label: StrategyName | None) -> Reply:
        if labelled and label is None:
            raise _unlabelled(f"/pairs/{index}/{side.value}_strategy")
        return Reply((text,), (label,) if labelled and label else None, before)

    return Pair(
        candidate=reply(Side.CANDIDATE, sent.candidate, sent.candidate_strategy),
        reference=reply(Side.REFERENCE, sent.reference, sent.reference_strategy),
        dialogue=sent.dialogue,
        turn=sent.turn,
    )


def _logs_pairs(candidate: Log, reference: Log, method: AlignmentMethod, here: Services) -> list[Pair]:
    ours, theirs = (checked_log(log, here).value() for log in (candidate, reference))
    if method is not AlignmentMethod.EXPLICIT:
        return pairs_of_logs(ours, theirs)
    labels = _labels(candidate, "candidate_log"), _labels(reference, "reference_log")
    return pairs_of_logs(ours, theirs, labels)


def _labels(log: Log, name: str) -> list[StrategyName | None]:
    """The labels of a log's replies, None for the user's messages. Every reply needs one."""
    found: list[StrategyName | None] = []
    for index, message in enumerate(log.messages):
        at = f"/{name}/messages/{index}/metadata/strategy"
        label = (message.metadata or {}).get("strategy")
        if message.role.value != Role.ASSISTANT.value:
            found.append(None)
        elif label is None:
            raise _unlabelled(at)
        elif label not in set(StrategyName):
            raise InvalidRequest.at(at, f"no such strategy: {label[:80]!r}", _known())
        else:
            found.append(StrategyName(label))
    return found


def _unlabelled(pointer: str) -> InvalidRequest:
    return InvalidRequest.at(
        pointer, "`explicit` needs the strategy of every reply", f"{_known()}; or choose another method"
    )


def _known() -> str:
    return f"name one of: {', '.join(name.value for name in StrategyName)}"


async def _judge(body: AlignmentRequest, pairs: Sequence[Pair], here: Services, aligns: Aligning) -> Found:
    match body.method:
        case AlignmentMethod.EXPLICIT:
            return Found(judge_labelled(pairs))
        case AlignmentMethod.IMPLICIT:
            judged = await _classified(pairs, here, aligns.classifier)
            return Found(judged, aligns.classifier.revision)
        case AlignmentMethod.LLM:
            return await _labelled(body, pairs, here, aligns)


async def _classified(pairs: Sequence[Pair], here: Services, classifier: PairClassifier) -> list[Judged]:
    """The classifier's answers, had beside the event loop. Raises DeadlineExceeded."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + here.limits.seconds
    judged: list[Judged] = []
    for start in range(0, len(pairs), CHUNK):
        if clock.time() > deadline:
            raise DeadlineExceeded(
                f"{len(judged)} of {len(pairs)} pairs were read in {here.limits.seconds:g} s; send fewer at once."
            )
        judged += await asyncio.to_thread(classifier.judge, pairs[start : start + CHUNK])
    return judged


async def _labelled(body: AlignmentRequest, pairs: Sequence[Pair], here: Services, aligns: Aligning) -> Found:
    name = here.judges.named(body.judge, "/judge") if body.judge is not None else here.judges.default
    if name.model is None:
        raise InvalidRequest.at(
            "/judge",
            f"`llm` needs a language model to label strategies, and {name} is none",
            "name a judge of the form `name:model` that the operator allows, or choose `implicit`",
        )
    labeller = aligns.labeller_of(name)
    deadline = asyncio.get_running_loop().time() + here.limits.seconds
    labelling = await labeller.judge(pairs, Call(deadline=deadline, cache=body.cache or CacheMode.USE))
    _raise_if_upstream_failed(labelling)
    answered = JudgeName(name.name, labelling.models[0] if labelling.models else name.model)
    return Found(labelling.judged, labeller.revision, labelling, answered)


def _raise_if_upstream_failed(labelling: Labelling) -> None:
    """An upstream that answered no call at all is an error of the request."""
    codes = labelling.failures
    if not codes or len(codes) < labelling.calls or any(code not in UPSTREAM_CODES for code in codes):
        return
    detail = next(one.failure for one in labelling.judged if one.failure)
    if all(code in TIMEOUT_CODES for code in codes):
        raise DeadlineExceeded(f"No labels came in time: {detail}")
    if all(code in CONFIGURATION_CODES for code in codes):
        raise UpstreamRefused(f"The judge's upstream does not serve us: {detail}")
    raise UpstreamFailed(f"The judge could not be reached: {detail}")


def _answer(
    body: AlignmentRequest,
    pairs: Sequence[Pair],
    found: Found,
    alignment: Alignment,
    denominator: Denominator,
) -> AlignmentAnswer:
    texts = {side: [reply.text for pair in pairs if (reply := pair.reply(side))] for side in Side}
    both = [(pair.candidate.text, pair.reference.text) for pair in pairs if pair.candidate and pair.reference]
    sessions = [_session(log) for log in (body.candidate_log, body.reference_log)]
    return AlignmentAnswer(
        method=body.method,
        denominator=denominator,
        score=alignment.score.value,
        interval=AlignmentInterval.of(alignment.score.interval, alignment.units),
        any_strategy=AlignmentEstimate.of(alignment.any_strategy, alignment.units),
        stage_weighted=AlignmentEstimate.of(alignment.stage_weighted, alignment.units),
        counted=alignment.counted,
        left_out={reason.value: count for reason, count in alignment.left_out.items()},
        pairs=[PairAlignment.of(one) for one in alignment.pairs],
        distributions=Distribution(
            **{
                side.value: {name.value: count for name, count in counts.items()}
                for side, counts in alignment.distributions.items()
            }
        ),
        confusions=[
            StrategyConfusion(candidate=c.candidate, reference=c.reference, count=c.count)
            for c in alignment.confusions
        ],
        bleu=list(bleu(both)),
        candidate=SideFigures.of(wording(texts[Side.CANDIDATE]), sessions[0]),
        reference=SideFigures.of(wording(texts[Side.REFERENCE]), sessions[1]),
        judge=JudgeRef.of(found.judge) if found.judge else None,
        evaluator_revision=found.revision,
        comparison_key=_comparison_key(body.method, denominator, found),
        usage=Usage.of(found.labelling.usage if found.labelling else NO_USAGE),
        warnings=_warnings(pairs, alignment),
    )


def _session(log: Log | None) -> Session | None:
    if log is None:
        return None
    value = log.value()
    return session(value, Catalogue.over(value.items, None))


def _comparison_key(method: AlignmentMethod, denominator: Denominator, found: Found) -> str:
    judge = str(found.judge) if found.judge else None
    canonical = json.dumps([method.value, denominator.value, found.revision, judge], separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


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
    if found.labelling is None or not found.labelling.calls:
        return {}
    hits, calls = found.labelling.hits, found.labelling.calls
    state = "hit" if hits == calls else f'fwd=miss; detail="hits={hits}/{calls}"'
    return {"Cache-Status": f"crs-eval; {state}"}
