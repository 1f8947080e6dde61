"""A request to compare strategies, checked against this deployment: its pairs, and what a method makes
of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ...alignment.llm import Labelling
from ...alignment.pair import Judged, Pair, Reply, Side, judge_labelled, pairs_of_logs
from ...alignment.strategies import StrategyName
from ...domain.conversation import Role
from ...domain.verdict import JudgeName
from ...errors import DeadlineExceeded, InvalidRequest
from ..answers import raise_upstream_failed
from ..services import Services
from ..wire.alignment import AlignmentMethod, AlignmentPair, AlignmentRequest
from ..wire.log import Log
from .scoring import checked_log

CHUNK = 50
"""Pairs that the classifier reads between two looks at the clock."""


@dataclass(frozen=True)
class Found:
    """Result of a method on the pairs, and what it took."""

    judged: Sequence[Judged]
    revision: str | None = None
    labelling: Labelling | None = None
    judge: JudgeName | None = None


def pairs_of(body: AlignmentRequest, here: Services) -> list[Pair]:
    """The pairs that are sent, or those of the two logs. Raises InvalidRequest for a missing label."""
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


async def judge_pairs(body: AlignmentRequest, pairs: Sequence[Pair], here: Services) -> Found:
    """Return what the method that is asked for makes of the pairs."""
    match body.method:
        case AlignmentMethod.EXPLICIT:
            return Found(judge_labelled(pairs))
        case AlignmentMethod.IMPLICIT:
            judged = await _classified(pairs, here)
            return Found(judged, here.classifier.revision)
        case AlignmentMethod.LLM:
            return await _labelled(body, pairs, here)


async def _classified(pairs: Sequence[Pair], here: Services) -> list[Judged]:
    """The classifier's answers, had beside the event loop. Raises DeadlineExceeded."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + here.limits.seconds
    judged: list[Judged] = []
    for start in range(0, len(pairs), CHUNK):
        if clock.time() > deadline:
            raise DeadlineExceeded(
                f"{len(judged)} of {len(pairs)} pairs were read in {here.limits.seconds:g} s; send fewer at once."
            )
        judged += await asyncio.to_thread(here.classifier.judge, pairs[start : start + CHUNK])
    return judged


async def _labelled(body: AlignmentRequest, pairs: Sequence[Pair], here: Services) -> Found:
    name = here.judges.named(body.judge, "/judge") if body.judge is not None else here.judges.default
    if name.model is None:
        raise InvalidRequest.at(
            "/judge",
            f"`llm` needs a language model to label strategies, and {name} is none",
            "name a judge of the form `name:model` that the operator allows, or choose `implicit`",
        )
    labeller = here.registry.labeller(name)
    labelling = await labeller.judge(pairs, here.call(body.cache))
    _raise_if_upstream_failed(labelling)
    answered = JudgeName(name.name, labelling.models[0] if labelling.models else name.model)
    return Found(labelling.judged, labeller.revision, labelling, answered)


def _raise_if_upstream_failed(labelling: Labelling) -> None:
    """An upstream that answered no call at all is an error of the request."""
    if labelling.failures and len(labelling.failures) == labelling.calls:
        detail = next(one.failure for one in labelling.judged if one.failure)
        raise_upstream_failed(labelling.failures, detail, retry_after=labelling.retry_after)
