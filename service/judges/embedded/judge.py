"""The judge that needs no language model: rules over one reading of the log."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from time import perf_counter
from types import MappingProxyType

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
from ...steering.lexicon import LEXICON as STEERING
from ..inquiry import Inquiry
from ..proofreader import Proofreader
from .observations import similarity
from .observations.acts import acts, learned, reactions
from .observations.content import reasons, topics
from .observations.encoder import SentenceEncoder
from .observations.observer import read_case
from .observations.reading import Reading
from .observations.wording import courtesy, degenerate, grammar, language
from .rules import interest
from .rules.findings import Finding, Gap
from .rules.replies import Judged, judge_replies
from .verdicts.checked_grammar import FACTOR as GRAMMAR
from .verdicts.checked_grammar import rate_checked_grammar
from .verdicts.content import rate_explainability, rate_groundness, rate_semantic_relevance
from .verdicts.dialogue import rate_coherence, rate_proactiveness, rate_recoverability
from .verdicts.effectiveness import rate_effectiveness
from .verdicts.expression import rate_appropriateness, rate_grammar, rate_naturalness
from .verdicts.items import rate_diversity, rate_novelty
from .verdicts.protocols import (
    OF_ANY_LANGUAGE,
    PROTOCOLS_LEXICONS,
    PROTOCOLS_REVISION,
    SLUGS,
    WITH_AN_END,
    rate_protocol,
    unmet_need,
)

#: Raised with every change of code that changes an answer; `evaluator_revision` covers it.
REVISION = 22
NAME = JudgeName("builtin")
REVISIONS_KEPT = 200
#: Seconds after which other requests get their turn.
PAUSE = 0.001
#: Flags of the log that a verdict tells.
NOTED = 20
LEXICONS = (
    acts.LEXICON,
    courtesy.LEXICON,
    degenerate.LEXICON,
    grammar.LEXICON,
    language.LEXICON,
    reactions.LEXICON,
    reasons.LEXICON,
    STEERING,
    topics.LEXICON,
)

_OfReplies = Callable[[Reading, tuple[Judged, ...], Factor], Finding | Gap]
_OfText = Callable[[Reading, Factor], Finding | Gap]

BY_REPLIES: Mapping[str, _OfReplies] = MappingProxyType(
    {
        "coherence": rate_coherence,
        "recoverability": rate_recoverability,
        "proactiveness": rate_proactiveness,
        "effectiveness": rate_effectiveness,
        "explainability": rate_explainability,
    }
)
BY_TEXT: Mapping[str, _OfText] = MappingProxyType(
    {
        "grammatical-correctness": rate_grammar,
        "naturalness": rate_naturalness,
        "appropriateness": rate_appropriateness,
        "novelty": rate_novelty,
        "diversity": rate_diversity,
        "semantic-relevance": rate_semantic_relevance,
        "groundness": rate_groundness,
    }
)
#: All that there is a rule for.
RULED = frozenset({*BY_REPLIES, *BY_TEXT, *SLUGS})
#: Computed from lists and data alone: the language of the log does not matter.
ANY_LANGUAGE = frozenset({"effectiveness", "novelty", "diversity"})
#: A sentence encoder, where one is in force, bears on these.
HEARD = frozenset(BY_REPLIES) | (SLUGS - OF_ANY_LANGUAGE)
#: The language of the user does not matter to these.
OF_REPLIES_ALONE = frozenset({"grammatical-correctness", "naturalness", "appropriateness"})
#: A missing end (a live log) bears on these.
HAS_AN_END = frozenset({"coherence", "recoverability", "effectiveness"}) | WITH_AN_END


class EmbeddedJudge:
    """Judges the factors of CoRE, CONCEPT, PEPPER and iEvaLM by rules: deterministic, without key or
    network, each verdict with the messages that it rests on. The same log always gets the same answer, so
    that it is asked once however many samples are wanted. Where the operator wants them, `proofreader` looks for
    errors of language beside the rules, and `encoder` hears what messages do beside the learned numbers."""

    def __init__(
        self, proofreader: Proofreader | None = None, encoder: SentenceEncoder | None = None
    ) -> None:
        self._proofreader = proofreader
        self._encoder = encoder
        # One log's work in one turn of the event loop: probes are answered between two turns, however many logs wait.
        self._turn = asyncio.Lock()
        # By identity: factors live as long as the process, and hashing a rubric takes longer than a verdict.
        self._revisions: dict[tuple[int, str | None], tuple[Factor, str]] = {}

    @property
    def name(self) -> JudgeName:
        """`builtin`, without a model."""
        return NAME

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:  # noqa: ARG002 - nothing is called upstream
        """One verdict for each factor, in the order asked; the log is read once for all."""
        reading: Reading | None = None
        notes: tuple[Flag, ...] = ()
        judged: tuple[Judged, ...] = ()
        encoder = self._encoder if any(factor.slug in HEARD for factor in inquiry.factors) else None
        paused = perf_counter()
        for factor in inquiry.factors:
            helper = encoder.name if encoder and factor.slug in HEARD else None
            found: Finding | Gap | None = _refusal(inquiry, factor)
            if found is None:
                async with self._turn:
                    if reading is None:
                        reading = await read_case(inquiry.case, encoder)
                        notes = _notes(reading)
                        judged = judge_replies(reading)
                    found = _rate(reading, judged, factor, inquiry.verdicts)
                if self._proofreader and factor.slug == GRAMMAR and isinstance(found, Finding):
                    found, helper = await rate_checked_grammar(self._proofreader, reading, factor)
                if helper and factor.slug in HEARD and isinstance(found, Finding):
                    found = replace(found, flags=(*found.flags, _heard(helper)))
            yield _verdict(inquiry, factor, found, notes, self._revision(factor, helper))
            if perf_counter() - paused > PAUSE:
                await asyncio.sleep(0)
                paused = perf_counter()

    def _revision(self, factor: Factor, helper: str | None) -> str:
        known = self._revisions.get((id(factor), helper))
        if known is None or known[0] is not factor:
            if len(self._revisions) > REVISIONS_KEPT:
                self._revisions.clear()
            known = (factor, evaluator_revision(factor, helper))
            self._revisions[id(factor), helper] = known
        return known[1]


def _heard(encoder: str) -> Flag:
    return Flag("sentence_encoder", f"{encoder} read what messages do beside the learned numbers")


def _refusal(inquiry: Inquiry, factor: Factor) -> Gap | None:
    """What can be told without reading: a factor that no rule knows, missing inputs."""
    case = inquiry.case
    if factor.slug not in RULED:
        return Gap(
            "no_rule",
            "the builtin judge has no rule for this factor; name an LLM judge for it",
        )
    if not case.log.replies:
        return Gap("no_replies", "the log holds no message of the recommender", ("replies",))
    if Need.GROUND_TRUTH in factor.needs and not case.log.ground_truth:
        return Gap("missing_ground_truth", "the log does not say what the user wanted", ("ground_truth",))
    return unmet_need(case, inquiry.verdicts, factor)


def _rate(
    reading: Reading, judged: tuple[Judged, ...], factor: Factor, verdicts: Sequence[Verdict]
) -> Finding | Gap:
    if factor.slug in OF_ANY_LANGUAGE:
        return rate_protocol(reading, judged, factor, verdicts)
    foreign = reading.foreign_replies if factor.slug in OF_REPLIES_ALONE else reading.foreign
    if foreign and not (factor.slug in ANY_LANGUAGE and not reading.reads_text_lists):
        return Gap(
            UNSUPPORTED_LANGUAGE,
            "the rules of this judge know English only, and the log is in another language",
        )
    if factor.slug in SLUGS:
        return rate_protocol(reading, judged, factor, verdicts)
    if factor.slug in BY_REPLIES:
        return BY_REPLIES[factor.slug](reading, judged, factor)
    return BY_TEXT[factor.slug](reading, factor)


def _verdict(
    inquiry: Inquiry, factor: Factor, found: Finding | Gap, notes: tuple[Flag, ...], revision: str
) -> Verdict:
    flags = (*found.flags, *_log_flags(inquiry, factor, notes))
    if isinstance(found, Gap):
        return NotAssessable(
            factor=factor.slug,
            judge=NAME,
            evaluator_revision=revision,
            flags=flags,
            samples=Samples(inquiry.samples),
            code=found.code,
            detail=found.detail,
            missing=found.missing,
        )
    if inquiry.samples > 1:
        flags = (*flags, Flag("deterministic", "this judge always gives the same answer: it was asked once"))
    score = round(float(found.score), 3)
    return Scored(
        factor=factor.slug,
        judge=NAME,
        evaluator_revision=revision,
        flags=flags,
        samples=Samples(inquiry.samples, (score,)),
        score=score,
        level=nearest_level(score),
        rationale=found.rationale,
        evidence=found.evidence,
        turns=found.turns,
        confidence=found.confidence,
    )


def _log_flags(inquiry: Inquiry, factor: Factor, notes: tuple[Flag, ...]) -> tuple[Flag, ...]:
    if inquiry.case.log.complete or factor.slug not in HAS_AN_END:
        return notes
    going_on = Flag("in_progress", "the conversation is still going on: a missing end costs nothing")
    return (going_on, *notes)[:NOTED]


def _notes(reading: Reading) -> tuple[Flag, ...]:
    """What every verdict says of how the log was read."""
    flags = []
    for read in reading.messages:
        if read.steering:
            flags.append(
                Flag(
                    "steering_attempt", "text that talks to the judge was left out of the reading", read.index
                )
            )
        if read.cut:
            flags.append(
                Flag("text_cut", f"only the first {len(read.text)} characters were read", read.index)
            )
    return tuple(flags[:NOTED])


def evaluator_revision(factor: Factor, helper: str | None = None) -> str:
    """12 hex of SHA-256 over the factor's rubric, this judge's data files, its revision constant and the name of
    the checker or encoder that was in force beside its rules: scores compare only where it is equal."""
    plain = replace(
        factor, notes=dict(factor.notes), levels=dict(factor.levels), ladders=dict(factor.ladders)
    )
    rubric = repr(sorted((field, value) for field, value in asdict(plain).items() if field != "weight"))
    parts = [
        str(REVISION),
        rubric,
        similarity.source(),
        _learned(),
        *(lexicon.source for lexicon in LEXICONS),
    ]
    if helper:
        parts.append(helper)
    if factor.protocol is not Protocol.CORE:
        parts += [str(PROTOCOLS_REVISION), *(lexicon.source for lexicon in PROTOCOLS_LEXICONS)]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


@cache
def _learned() -> str:
    """A digest of the learned numbers."""
    return hashlib.sha256(learned.source() + interest.source().encode()).hexdigest()
