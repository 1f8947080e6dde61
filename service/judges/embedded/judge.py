"""The judge that needs no language model: rules over one reading of the log."""

import asyncio
import hashlib
import tomllib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from statistics import fmean
from time import perf_counter

from ...domain.completion import Call
from ...domain.rubric import Factor, Need
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
from ..inquiry import Case, Inquiry, Refusal, only_for_models, unread_flags
from ..proofreader import Proofreader
from .observations.observer import read_case
from .observations.reading import Reading
from .rules.findings import Finding, Gap, say
from .rules.replies import Judged, judge_replies
from .verdicts.expression import rate_checked_grammar
from .verdicts.rows import ROWS, English, Row

NAME = JudgeName("builtin")
GRAMMAR = "grammatical-correctness"
#: Parts of a factor that this judge does not read.
FOR_MODELS = frozenset({"weight", "deviations", "published", "itemised", "anchors", "contrast"})
REVISIONS_KEPT = 200
#: Seconds after which other requests get their turn.
PAUSE = 0.001
#: Flags of the log that a verdict tells.
NOTED = 20
#: All that there is a rule for.
RULED = frozenset(ROWS)


@dataclass
class Session:
    """A log that was read, with the verdicts that a request brings. Its replies are judged when a factor first asks."""

    reading: Reading
    verdicts: Sequence[Verdict] = ()

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """Every turn's reply against what the user wanted of it."""
        return judge_replies(self.reading)


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
        return Gap("no_rule", say("judge.no-rule"))
    if not inquiry.case.log.replies:
        return Gap("no_replies", say("judge.no-replies"), ("replies",))
    return _unmet_need(inquiry.case, inquiry.verdicts, factor)


async def _read(inquiry: Inquiry, rows: Sequence[Row]) -> Reading:
    """Read the log for as much as some factors ask of it."""
    acts = any(row.english is not English.RECOMMENDER for row in rows)
    judged, fits = any(row.of_replies for row in rows), any(row.belongs for row in rows)
    return await read_case(inquiry.case, acts=acts, judged=judged, fits=fits)


def _rate(session: Session, factor: Factor) -> Finding | Gap:
    row, reading = ROWS[factor.slug], session.reading
    if _is_foreign(reading, row.english):
        return Gap(UNSUPPORTED_LANGUAGE, say("judge.english-only"))
    if row.of_verdicts:
        return row.of_verdicts(reading, session.verdicts, factor)
    if row.of_text:
        return row.of_text(reading, factor)
    assert row.of_replies, factor.slug
    found = row.of_replies(reading, session.judged, factor)
    computed = row.by_truth and reading.log.ground_truth
    return found if computed or isinstance(found, Gap) else on_ground(reading, found)


def _unmet_need(case: Case, verdicts: Sequence[Verdict], factor: Factor) -> Gap | None:
    """The first input that a factor needs and the request does not hold."""
    if Need.GROUND_TRUTH in factor.needs and not case.log.ground_truth:
        return Gap("missing_ground_truth", say("rows.needs-wish"), ("ground_truth",))
    user = case.log.user
    if Need.PREFERENCES in factor.needs and not (user and (user.preferences or "").strip()):
        return Gap("missing_preferences", say("rows.needs-preferences"), ("user.preferences",))
    thoughts = (message.thoughts or "" for message in case.log.messages)
    if Need.THOUGHTS in factor.needs and not any(map(str.strip, thoughts)):
        return Gap("missing_thoughts", say("rows.needs-feelings"), ("messages.thoughts",))
    others = (each for each in verdicts if isinstance(each, Scored) and each.factor != factor.slug)
    if Need.VERDICTS in factor.needs and not any(others):
        return Gap("missing_verdicts", say("rows.needs-scores"), ("verdicts",))
    return None


def _is_foreign(reading: Reading, english: English) -> bool:
    """Return whether a log is in a language in which the factor cannot be judged."""
    if english is English.NOBODY or (english is English.LISTS and not reading.reads_text_lists):
        return False
    return reading.foreign_replies if english is English.RECOMMENDER else reading.foreign


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
    """12 hex of SHA-256. It covers the factor's rubric, everything that this judge imports (`revision`) and the name of the
    checker beside its rules: scores compare only where it is equal."""
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


LITTLE_TESTED = "little_tested"
#: Replies from which on a conversation is like those that were labelled.
FEWEST = 2


@dataclass(frozen=True, slots=True)
class Ground:
    """A kind of conversation: what it is called, its domains, how many were labelled, and the agreement on them."""

    name: str
    told: str
    domains: frozenset[str]
    n: int
    agreement: float


@cache
def grounds() -> tuple[Ground, ...]:
    """The kinds that were measured, the one that this judge was made for first."""
    stored = tomllib.loads((files(__package__) / "grounds.toml").read_text(encoding="utf-8"))
    return tuple(
        Ground(name, row["told"], frozenset(row["domains"].split()), row["n"], row["agreement"])
        for name, row in stored.items()
    )


def on_ground(reading: Reading, found: Finding) -> Finding:
    """Return a finding about replies with the confidence that its ground bears out, and a flag where that is little tested."""
    home, *others = grounds()
    ground = nearest(reading)
    agreement = ground.agreement if ground else fmean(each.agreement for each in others)
    strange = list(_strange(reading, ground))
    if not strange:
        return found
    near = [ground] if ground and ground is not home else ([home] if ground else others)
    flag = Flag(LITTLE_TESTED, say("ground.flag", strange="; ".join(strange), measured=_measured(near)))
    share = agreement / home.agreement * (0.5 if len(reading.replies) < FEWEST else 1.0)
    return replace(found, confidence=round(found.confidence * share, 2), flags=(*found.flags, flag))


def nearest(reading: Reading) -> Ground | None:
    """The kind that a log is of, by its domain and by whether anything was recommended; None where none is."""
    by_name = {ground.name: ground for ground in grounds()}
    found = next((ground for ground in grounds() if reading.log.domain.casefold() in ground.domains), None)
    if found is by_name["films"] and not reading.session_list:
        return by_name["interviews"]
    return found


def _strange(reading: Reading, ground: Ground | None) -> Iterator[str]:
    """Tell what sets a log apart from the conversations that this judge was made for."""
    if ground is None:
        yield say("ground.domain", domain=reading.log.domain)
    elif ground is not grounds()[0]:
        yield say("ground.films")
    if len(reading.replies) < FEWEST:
        yield say("ground.single-reply")


def _measured(near: Sequence[Ground]) -> str:
    told = (say("ground.measured", told=each.told, agreement=each.agreement, n=each.n) for each in near)
    return "; ".join(told)
