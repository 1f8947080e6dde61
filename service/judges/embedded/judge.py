"""The judge that needs no language model: rules over one reading of the log."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from time import perf_counter

from ...domain.completion import Call
from ...domain.rubric import Factor
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
from ..inquiry import Inquiry, Refusal, only_for_models, unread_flags
from ..proofreader import Proofreader
from .observations.observer import read_case
from .observations.reading import Reading
from .rules.findings import Finding, Gap, on_ground
from .verdicts.checked_grammar import FACTOR as GRAMMAR
from .verdicts.checked_grammar import rate_checked_grammar
from .verdicts.rows import ROWS, Row, Session, is_foreign, unmet_need
from .wording import say

NAME = JudgeName("builtin")
#: Parts of a factor that this judge does not read.
FOR_MODELS = frozenset({"weight", "deviations", "published", "itemised", "anchors", "contrast"})
REVISIONS_KEPT = 200
#: Seconds after which other requests get their turn.
PAUSE = 0.001
#: Flags of the log that a verdict tells.
NOTED = 20
#: All that there is a rule for.
RULED = frozenset(ROWS)


class EmbeddedJudge:
    """Judges the factors of CoRE, CONCEPT, PEPPER and iEvaLM by rules: deterministic, without key or
    network, each verdict with the messages that it rests on. The same log always gets the same answer, so
    that it is asked once however many samples are wanted. Where the operator wants one, `proofreader` looks for
    errors of language beside the rules."""

    def __init__(self, proofreader: Proofreader | None = None) -> None:
        self._proofreader = proofreader
        # One log's work in one turn of the event loop: probes are answered between two turns, however many logs wait.
        self._turn = asyncio.Lock()
        # By identity: factors live as long as the process, and hashing a rubric takes longer than a verdict.
        self._revisions: dict[tuple[int, str | None], tuple[Factor, str]] = {}

    @property
    def name(self) -> JudgeName:
        """`builtin`, without a model."""
        return NAME

    def refusal(self, inquiry: Inquiry) -> Refusal | None:
        """Return what only a model can do: this judge has one reading of its rules, and counts what they
        find."""
        return only_for_models(inquiry)

    async def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]:  # noqa: ARG002 - nothing is called upstream
        """One verdict for each factor, in the order asked; the log is read once for all."""
        session: Session | None = None
        notes: tuple[Flag, ...] = ()
        rows = [ROWS[factor.slug] for factor in inquiry.factors if factor.slug in ROWS]
        paused = perf_counter()
        for factor in inquiry.factors:
            helper = None
            found: Finding | Gap | None = _refusal(inquiry, factor)
            if found is None:
                async with self._turn:
                    if session is None:
                        session = Session(await _read(inquiry, rows), inquiry.verdicts)
                        notes = _notes(session.reading)
                    found = _rate(session, factor)
                if self._proofreader and factor.slug == GRAMMAR and isinstance(found, Finding):
                    found, helper = await rate_checked_grammar(self._proofreader, session.reading, factor)
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


def _refusal(inquiry: Inquiry, factor: Factor) -> Gap | None:
    """Return what can be told without reading: a factor that no rule knows, missing inputs."""
    if factor.slug not in ROWS:
        return Gap(
            "no_rule",
            say("judge.no-rule"),
        )
    if not inquiry.case.log.replies:
        return Gap("no_replies", say("judge.no-replies"), ("replies",))
    return unmet_need(inquiry.case, inquiry.verdicts, factor)


async def _read(inquiry: Inquiry, rows: Sequence[Row]) -> Reading:
    """Read the log for as much as some factors ask of it."""
    judged, fits = any(row.judges for row in rows), any(row.belongs for row in rows)
    return await read_case(inquiry.case, judged=judged, fits=fits)


def _rate(session: Session, factor: Factor) -> Finding | Gap:
    row = ROWS[factor.slug]
    if is_foreign(session.reading, row.english):
        return Gap(
            UNSUPPORTED_LANGUAGE,
            say("judge.english-only"),
        )
    found = row.rate(session, factor)
    computed = row.by_truth and session.reading.log.ground_truth
    return (
        on_ground(session.reading, found)
        if row.judges and not computed and isinstance(found, Finding)
        else found
    )


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
        flags = (*flags, Flag("deterministic", say("judge.deterministic")))
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
        counts=found.counts,
    )


def _log_flags(inquiry: Inquiry, factor: Factor, notes: tuple[Flag, ...]) -> tuple[Flag, ...]:
    row = ROWS.get(factor.slug)
    if inquiry.case.log.complete or not (row and row.ends):
        return notes
    going_on = Flag("in_progress", say("judge.in-progress"))
    return (going_on, *notes)[:NOTED]


def _notes(reading: Reading) -> tuple[Flag, ...]:
    """Return what every verdict says of how the log was read."""
    flags = []
    for read in reading.messages:
        if read.steering:
            flags.append(Flag("steering_attempt", say("judge.steering"), read.index))
        if read.cut:
            flags.append(Flag("text_cut", say("judge.text-cut", characters=len(read.text)), read.index))
    return tuple([*flags, *unread_flags(reading.log)][:NOTED])


def evaluator_revision(factor: Factor, helper: str | None = None) -> str:
    """12 hex of SHA-256 over the factor's rubric, everything that this judge imports (`revision`) and the name of
    the checker that was in force beside its rules: scores compare only where it is equal."""
    plain = replace(
        factor,
        notes=dict(factor.notes),
        levels=dict(factor.levels),
        ladders=dict(factor.ladders),
        published=None,
        itemised=None,
    )
    rubric = repr(sorted((field, value) for field, value in asdict(plain).items() if field not in FOR_MODELS))
    return hashlib.sha256("\x1f".join([revision(), rubric, helper or ""]).encode()).hexdigest()[:12]


@cache
def revision() -> str:
    """The digest over the syntax, data and weights that this judge imports, as `make generate` stores it."""
    return (files(__package__) / "revision.txt").read_text(encoding="utf-8").strip()
