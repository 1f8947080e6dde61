"""Behavior Alignment of pairs, and the answer of `/behavior-alignment`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ..alignment import implicit
from ..alignment.llm import Labelling
from ..alignment.pair import Judged, Pair, Reply, Side, judge_labelled, pairs_of_logs
from ..alignment.score import Alignment, Denominator, LeftOut, align
from ..alignment.strategies import StrategyName
from ..alignment.wording import bleu, wording
from ..computed_metrics.session import session
from ..domain.completion import NO_USAGE
from ..domain.conversation import Role
from ..domain.verdict import Flag, JudgeName
from ..errors import DeadlineExceeded, InvalidRequest
from ..judges.llm.judge import model_flags
from ..judges.llm.verdicts import other_models
from .answers import digest, raise_upstream_failed
from .deployment import Deployment
from .plans.scoring import checked_log
from .wire.alignment import (
    AlignmentAnswer,
    AlignmentEstimate,
    AlignmentMethod,
    AlignmentPair,
    AlignmentRequest,
    Distribution,
    PairAlignment,
    SideFigures,
)
from .wire.log import Log
from .wire.score import Notice
from .wire.verdict import JudgeRef

CHUNK = 50
"""Pairs that the classifier reads between two looks at the clock."""


@dataclass(frozen=True)
class Found:
    """Result of a method on the pairs, and what it took."""

    judged: Sequence[Judged]
    revision: str | None = None
    labelling: Labelling | None = None
    judge: JudgeName | None = None
    flags: Sequence[Flag] = ()


async def align_pairs(body: AlignmentRequest, deployment: Deployment) -> AlignmentAnswer:
    """Compare the strategies of replies. Raises CrsEvalError where the model that labels could not be reached."""
    pairs = pairs_of(body, deployment)
    return alignment_answer(body, pairs, await judge_pairs(body, pairs, deployment))


def pairs_of(body: AlignmentRequest, deployment: Deployment) -> list[Pair]:
    """The pairs that are sent, or those of the two logs. Raises InvalidRequest for a missing label."""
    labelled = body.method is AlignmentMethod.EXPLICIT
    if body.candidate_log is None or body.reference_log is None:
        return [_pair(one, index, labelled) for index, one in enumerate(body.pairs or ())]
    candidate, reference = (checked_log(log, deployment) for log in (body.candidate_log, body.reference_log))
    labels = (_labels(candidate, "candidate_log"), _labels(reference, "reference_log")) if labelled else None
    return pairs_of_logs(candidate.value(), reference.value(), labels)


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


async def judge_pairs(body: AlignmentRequest, pairs: Sequence[Pair], deployment: Deployment) -> Found:
    """Return what the method that is asked for makes of the pairs."""
    if body.samples is not None and body.method is not AlignmentMethod.LLM:
        raise InvalidRequest.at("/samples", "only `llm` asks a model", "leave it out, or choose `llm`")
    match body.method:
        case AlignmentMethod.EXPLICIT:
            return Found(judge_labelled(pairs))
        case AlignmentMethod.IMPLICIT:
            judged = await _classified(pairs, deployment)
            return Found(judged, implicit.revision())
        case AlignmentMethod.LLM:
            return await _labelled(body, pairs, deployment)


async def _classified(pairs: Sequence[Pair], deployment: Deployment) -> list[Judged]:
    """The classifier's answers, had beside the event loop. Raises DeadlineExceeded."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + deployment.limits.seconds
    judged: list[Judged] = []
    for start in range(0, len(pairs), CHUNK):
        if clock.time() > deadline:
            raise DeadlineExceeded(
                f"{len(judged)} of {len(pairs)} pairs were read in {deployment.limits.seconds:g} s; send fewer at once."
            )
        judged += await asyncio.to_thread(implicit.judge, pairs[start : start + CHUNK])
    return judged


async def _labelled(body: AlignmentRequest, pairs: Sequence[Pair], deployment: Deployment) -> Found:
    name = (
        deployment.judges.named(body.judge, "/judge") if body.judge is not None else deployment.judges.default
    )
    if name.model is None:
        raise InvalidRequest.at(
            "/judge",
            f"`llm` needs a language model to label strategies, and {name} is none",
            "name a judge of the form `name:model` that the operator allows, or choose `implicit`",
        )
    labeller = deployment.registry.labeller(name)
    samples = body.samples or 1
    labelling = await labeller.judge(pairs, deployment.call(body.cache), samples)
    if labelling.failures and len(labelling.failures) == labelling.calls:
        detail = next(one.failure for one in labelling.judged if one.failure)
        raise_upstream_failed(labelling.failures, detail, retry_after=labelling.retry_after)
    answered = JudgeName(name.name, labelling.models[0] if labelling.models else name.model)
    flags = [*other_models(name.model, labelling.models)]
    if samples > 1:
        flags += model_flags(deployment.registry.capability(name), samples)
    return Found(labelling.judged, labeller.revision, labelling, answered, flags)


def alignment_answer(body: AlignmentRequest, pairs: Sequence[Pair], found: Found) -> AlignmentAnswer:
    """The answer of `/behavior-alignment`; its `pairs` are made as they are read."""
    denominator = body.denominator or Denominator.PAIRS
    alignment = align(pairs, found.judged, denominator)
    both = ((pair.candidate.text, pair.reference.text) for pair in pairs if pair.candidate and pair.reference)

    def figures(side: Side, log: Log | None) -> SideFigures:
        value = log.value() if log else None
        before, success = session(value) if value else (None, None)
        return SideFigures.of(
            wording(reply.text for pair in pairs if (reply := pair.reply(side))),
            turns_before_recommendation=before,
            success=success,
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
            body.method.value,
            denominator.value,
            found.revision,
            str(found.judge) if found.judge else None,
            *([body.samples] if (body.samples or 1) > 1 else ()),
        ),
        usage=found.labelling.usage if found.labelling else NO_USAGE,
        warnings=[*map(Notice.of, found.flags), *_warnings(pairs, alignment)],
    )


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
