"""The judge that needs no language model: a trained detector of faults and computations, one reading of the log."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum, auto
from functools import cache
from importlib.resources import files
from time import perf_counter
from typing import Any

from ...domain.completion import Call
from ...domain.rubric import Factor, Need, Protocol
from ...domain.verdict import (
    UNSUPPORTED_LANGUAGE,
    Flag,
    JudgeName,
    NotAssessable,
    Samples,
    Scored,
    Verdict,
    nearest_level,
)
from ...faults import load_faults
from ...text.unanswered import unanswered_runs
from ..evaluation import EvaluationRequest, JudgeInput, Refusal, unread_flags
from .core import rate_core, rate_foreign
from .features import ConversationFeatures, read_features
from .findings import Finding, Gap, phrase
from .protocols import RESTS_ON, rate_against_wanted, rate_overall, rate_soundness, rate_user_satisfaction
from .reliability import with_little_tested

NAME = JudgeName("builtin")
NAME_A_MODEL = "name a model as `judge`, or leave the field out"
#: Parts of a factor that this judge does not read.
FOR_MODELS = frozenset({"weight", "deviations", "published", "itemised", "anchors", "contrast"})
REVISIONS_KEPT = 200
#: Seconds after which other requests get their turn.
PAUSE = 0.001
#: Flags of the log that a verdict tells.
NOTED = 20


class English(Enum):
    """The sides that must speak English for a factor to be judged."""

    BOTH = auto()
    RECOMMENDER = auto()
    NOBODY = auto()


@dataclass(frozen=True, slots=True)
class Row:
    """A factor that this judge answers. `learned` says that the detector must read the log; `ends` that a missing end (a live
    log) bears on the factor."""

    rate: Callable[[ConversationFeatures, Factor], Finding | Gap] | None
    english: English = English.BOTH
    learned: bool = True
    ends: bool = False


_EXPRESSION = Row(rate_core, English.RECOMMENDER)
ROWS: Mapping[str, Row] = {
    **dict.fromkeys(("coherence", "recoverability", "effectiveness"), Row(rate_core, ends=True)),
    **dict.fromkeys(("proactiveness", "explainability", "groundness"), Row(rate_core)),
    **dict.fromkeys(("grammatical-correctness", "naturalness", "appropriateness"), _EXPRESSION),
    "semantic-relevance": _EXPRESSION,
    **dict.fromkeys(("novelty", "diversity"), Row(rate_core, English.NOBODY)),
    **dict.fromkeys(RESTS_ON, Row(rate_soundness, ends=True)),
    "concept-user-satisfaction": Row(rate_user_satisfaction, English.NOBODY, learned=False, ends=True),
    "concept-overall": Row(None, English.NOBODY),
    "ievalm-persuasiveness": Row(rate_against_wanted, English.NOBODY, ends=True),
}
"""The function that rates each factor."""


class EmbeddedJudge:
    """Judges the factors of CoRE, CONCEPT, PEPPER and iEvaLM by the faults that a trained detector and code find, without key
    or network.

    The same log always gets the same answer, so one call serves any number of samples."""

    def __init__(self) -> None:
        # One log's work in one turn of the event loop: probes are answered between two turns, however many logs wait.
        self._turn = asyncio.Lock()
        # By identity: factors live as long as the process, and hashing a rubric takes longer than a verdict.
        self._revisions: dict[int, tuple[Factor, str]] = {}

    @property
    def name(self) -> JudgeName:
        """`builtin`, without a model."""
        return NAME

    def refusal(self, evaluation: EvaluationRequest) -> Refusal | None:
        """Refuse what only a model can do: rules have one reading and count by themselves."""
        if (evaluation.itemised | evaluation.faults).intersection(one.slug for one in evaluation.factors):
            return Refusal("judging", "the embedded judge lists what it finds by its own rules", NAME_A_MODEL)
        if evaluation.expected:
            return Refusal("expected", "the embedded judge gives levels no probabilities", NAME_A_MODEL)
        if evaluation.anchors:
            return Refusal("anchors", "only language models read worked examples", NAME_A_MODEL)
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:  # noqa: ARG002 - nothing is called upstream
        """Yield one verdict for each factor, in the order asked; the log is read once for all."""
        features: ConversationFeatures | None = None
        notes: tuple[Flag, ...] = ()
        rows = [ROWS[factor.slug] for factor in evaluation.factors if factor.slug in ROWS]
        paused = perf_counter()
        for factor in (factor.read_as(evaluation.variant) for factor in evaluation.factors):
            found: Finding | Gap | None = _refusal(evaluation, factor)
            if found is None:
                async with self._turn:
                    if features is None:
                        features = await read_features(
                            evaluation.judge_input, learned=any(row.learned for row in rows)
                        )
                        notes = _notes(features)
                    found = _rate(features, factor, evaluation.verdicts)
            yield _verdict(evaluation, factor, found, notes, self._revision(factor))
            if perf_counter() - paused > PAUSE:
                await asyncio.sleep(0)
                paused = perf_counter()

    def _revision(self, factor: Factor) -> str:
        known = self._revisions.get(id(factor))
        if known is None or known[0] is not factor:
            if len(self._revisions) > REVISIONS_KEPT:
                self._revisions.clear()
            known = self._revisions[id(factor)] = (factor, evaluator_revision(factor))
        return known[1]


def _refusal(evaluation: EvaluationRequest, factor: Factor) -> Gap | None:
    """Return the gaps that need no reading: a factor that no rule knows, missing inputs."""
    if factor.slug not in ROWS:
        return Gap("no_rule", phrase("judge.no-rule"))
    if not evaluation.judge_input.log.replies and not any(unanswered_runs(evaluation.judge_input.log)):
        return Gap("no_replies", phrase("judge.no-replies"), ("replies",))
    return _unmet_need(evaluation.judge_input, evaluation.verdicts, factor)


def _rate(features: ConversationFeatures, factor: Factor, verdicts: Sequence[Verdict]) -> Finding | Gap:
    """Rate one factor."""
    row = ROWS[factor.slug]
    if row.rate is None:
        return rate_overall(features, verdicts, factor)
    if _is_foreign(features, row.english):
        gap = Gap(UNSUPPORTED_LANGUAGE, phrase("judge.english-only"))
        return rate_foreign(features, factor, gap) if factor.protocol is Protocol.CORE else gap
    found = row.rate(features, factor)
    if isinstance(found, Gap) and found.code == NO_OCCASION and factor.no_occasion is not None:
        flag = Flag(NO_OCCASION, found.detail)
        return Finding(factor.no_occasion, found.detail, NO_CONFIDENCE, flags=(flag, *found.flags))
    if isinstance(found, Gap) or row.english is English.NOBODY:
        return found
    return with_little_tested(features, found)


def _unmet_need(judge_input: JudgeInput, verdicts: Sequence[Verdict], factor: Factor) -> Gap | None:
    """The first input that a factor needs and the request does not hold."""
    if Need.GROUND_TRUTH in factor.needs and not judge_input.log.ground_truth:
        return Gap("missing_ground_truth", phrase("judge.needs-wish"), ("ground_truth",))
    user = judge_input.log.user
    if Need.PREFERENCES in factor.needs and not (user and (user.preferences or "").strip()):
        return Gap("missing_preferences", phrase("judge.needs-preferences"), ("user.preferences",))
    thoughts = (message.thoughts or "" for message in judge_input.log.messages)
    if Need.THOUGHTS in factor.needs and not any(map(str.strip, thoughts)):
        return Gap("missing_thoughts", phrase("judge.needs-feelings"), ("messages.thoughts",))
    others = (each for each in verdicts if isinstance(each, Scored) and each.factor != factor.slug)
    if Need.VERDICTS in factor.needs and not any(others):
        return Gap("missing_verdicts", phrase("judge.needs-scores"), ("verdicts",))
    return None


def _is_foreign(features: ConversationFeatures, english: English) -> bool:
    """Return whether a log is in a language in which the factor cannot be judged."""
    if english is English.NOBODY:
        return False
    return features.foreign_replies if english is English.RECOMMENDER else features.foreign


def _verdict(
    evaluation: EvaluationRequest,
    factor: Factor,
    found: Finding | Gap,
    notes: tuple[Flag, ...],
    revision: str,
) -> Verdict:
    flags = (*found.flags, *_log_flags(evaluation, factor, notes))
    common: dict[str, Any] = {"factor": factor.slug, "judge": NAME, "evaluator_revision": revision}
    if isinstance(found, Gap):
        samples = Samples(evaluation.samples)
        reason: dict[str, Any] = {"code": found.code, "detail": found.detail, "missing": found.missing}
        return NotAssessable(**common, flags=flags, samples=samples, **reason)
    if evaluation.samples > 1:
        flags = (*flags, Flag("deterministic", phrase("judge.deterministic")))
    score = round(float(found.score), 3)
    return Scored(
        **common,
        flags=flags,
        samples=Samples(evaluation.samples, (score,)),
        score=score,
        level=nearest_level(score),
        rationale=found.rationale,
        evidence=found.evidence,
        turns=found.turns,
        confidence=found.confidence,
        counts=found.counts,
        faults=found.faults,
    )


def _log_flags(evaluation: EvaluationRequest, factor: Factor, notes: tuple[Flag, ...]) -> tuple[Flag, ...]:
    row = ROWS.get(factor.slug)
    if evaluation.judge_input.log.complete or not (row and row.ends):
        return notes
    going_on = Flag("in_progress", phrase("judge.in-progress"))
    return (going_on, *notes)[:NOTED]


def _notes(features: ConversationFeatures) -> tuple[Flag, ...]:
    """Return what every verdict says of how the log was read."""
    flags = [Flag("steering_attempt", phrase("judge.steering"), at) for at in features.steered]
    reach = features.judge_input.reach
    flags += [
        Flag("text_cut", phrase("judge.text-cut", characters=reach), at)
        for at, message in enumerate(features.log.messages)
        if len(message.content) > reach
    ]
    return tuple([*flags, *unread_flags(features.log)][:NOTED])


def evaluator_revision(factor: Factor) -> str:
    """12 hex of SHA-256 over the factor's rubric and everything that this judge imports (`revision`): scores compare only
    where it is equal."""
    plain = replace(
        factor,
        notes=dict(factor.notes),
        levels=dict(factor.levels),
        ladders=dict(factor.ladders),
        published=None,
        itemised=None,
    )
    rubric = repr(sorted((field, value) for field, value in asdict(plain).items() if field not in FOR_MODELS))
    parts = [revision(), load_faults().revision, rubric]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


@cache
def revision() -> str:
    """The digest over the syntax, data and weights that this judge imports, as `make generate` stores it."""
    return (files(__package__) / "revision.txt").read_text(encoding="utf-8").strip()


NO_OCCASION = "no_occasion"
NO_CONFIDENCE = 0.5
"""Confidence in the level that a paper gives where nothing is at stake."""
