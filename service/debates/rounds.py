"""The rounds of a debate (CoRE, section 4.2): who speaks when, and when it is over.

All roles of a round speak at once; when all have, their speeches join the buffer, which only ever
grows at its end. The debate is over when every role gives the same score, unless `Terms.to_the_end` is set, or after the last round. Without
a language model it is over after one round: nobody would say anything new.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import Field

from ..domain.completion import NO_USAGE, Call, Usage
from ..domain.rounding import WHOLE
from ..domain.verdict import UNSUPPORTED_LANGUAGE, Failed, Flag, Scored, Verdict
from ..errors import (
    BudgetExceeded,
    CrsEvalError,
    DeadlineExceeded,
    FieldError,
    InvalidRequest,
    NothingToDebate,
    UpstreamFailed,
    UpstreamRefused,
)
from ..judges.llm.verdicts import other_models
from ..llm.failures import CONFIGURATION_CODES
from ..llm.repair import WARMER
from .prompt import material_cut
from .roles import FEWEST, factors_of
from .statement import (
    Debate,
    DebateSubject,
    Participant,
    Round,
    SpeakerContext,
    Speech,
    SpeechFailed,
    Statement,
)

MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of what the request may spend; exceeding it ends in a 402 that carries what was done."""

    tokens: Annotated[int, Field(ge=0), WHOLE] | None = None
    """Input and output together; cache hits are free."""
    cost: Annotated[float, Field(ge=0)] | None = None
    """In the currency of the operator's prices; 422 where none are configured."""

    def check(self, spent: Usage) -> None:
        """Raise BudgetExceeded where more was spent than allowed, InvalidRequest where the cost
        of what was spent is not known."""
        used = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and used > self.tokens:
            raise BudgetExceeded(f"{used} tokens were used of {self.tokens} allowed.")
        if self.cost is None or not used:
            return
        if spent.cost is None:
            raise InvalidRequest.at(
                "/budget/cost",
                "the prices of the models used are not configured, so cost cannot be bounded.",
                "Bound tokens instead, or have the operator configure prices.",
            )
        if spent.cost > self.cost:
            raise BudgetExceeded(f"{spent.cost:.6g} was spent of {self.cost:.6g} allowed.")

    def check_next(self, spent: Usage, last_round: Usage) -> None:
        """Raise BudgetExceeded where the next round cannot fit: prompts grow by appending only,
        so that a round reads at least the input of the one before it."""
        self.check(spent)
        used = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and used + last_round.input_tokens > self.tokens:
            raise BudgetExceeded(
                f"{used} tokens were used of {self.tokens} allowed, and another round takes at least "
                f"{last_round.input_tokens}."
            )


NO_BUDGET = Budget()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a debate. `to_the_end` holds every round even where all agree. `seed` orders the statements of each round in the buffer, so that the effect
    of position can be measured; `spent` is what the request cost before the debate."""

    max_rounds: int = MAX_ROUNDS
    seed: int = 0
    to_the_end: bool = False
    budget: Budget = NO_BUDGET
    spent: Usage = NO_USAGE


async def run_debate(
    subject: DebateSubject, participants: Sequence[Participant], terms: Terms, call: Call
) -> AsyncGenerator[Round | Debate, None]:
    """Hold a debate: yield each round as it ends, and last how the debate ended.

    Raises UpstreamFailed (502) where fewer than three roles have a score in the last round or all verdicts failed. Raises
    NothingToDebate (422) where no factor could be assessed, BudgetExceeded (402) and DeadlineExceeded (504). Each carries the
    rounds so far under `rounds` in `partial`, as `Round` values, and what the whole request used under `usage`."""
    _check(subject)
    table = _Table(subject, tuple(participants), terms, call)
    try:
        terms.budget.check(table.spent)
        while not table.over:
            if table.rounds:
                terms.budget.check_next(table.spent, table.rounds[-1].usage)
            await table.speak()
            yield table.rounds[-1]
        yield table.close()
    except CrsEvalError as e:
        e.partial |= {"rounds": table.so_far, "usage": table.spent}
        raise


def _check(subject: DebateSubject) -> None:
    verdicts = [finding.verdict for finding in subject.findings.values()]
    if any(isinstance(verdict, Scored) for verdict in verdicts):
        return
    reasons = _reasons(verdicts)
    codes = "; ".join(f"{code} ({', '.join(factors)})" for code, factors in reasons.items()) or "no verdicts"
    if any(isinstance(verdict, Failed) for verdict in verdicts):
        raise UpstreamFailed(f"No factor was scored, so there is nothing to debate: {codes}.")
    errors = [FieldError("/log", f"{code}: {', '.join(who)}", _fix(code)) for code, who in reasons.items()]
    fixes = " ".join(f"{error.fix}." for error in {error.fix: error for error in errors}.values())
    raise NothingToDebate(f"None of the factors could be assessed: {codes}. {fixes}", errors=errors)


def _fix(code: str) -> str:
    if code == UNSUPPORTED_LANGUAGE:
        return "Name a language model as `judge`: the embedded judge reads English"
    return "GET /factors says what each factor needs"


def _reasons(verdicts: Sequence[Verdict]) -> dict[str, list[str]]:
    """Factors without a score by the code of the reason. Its detail may quote the log, so it stays in
    the verdict."""
    found: dict[str, list[str]] = {}
    for verdict in verdicts:
        if not isinstance(verdict, Scored):
            found.setdefault(verdict.code, []).append(verdict.factor)
    return found


class _Table:
    """A debate under way: the rounds so far, what was spent, and the speeches of an open round."""

    def __init__(
        self, subject: DebateSubject, participants: tuple[Participant, ...], terms: Terms, call: Call
    ) -> None:
        self.subject, self.participants, self.terms, self.call = subject, participants, terms, call
        self.roles = tuple(participant.role for participant in participants)
        self.rounds: list[Round] = []
        self.open: list[Speech] = []
        self.spent = terms.spent

    @property
    def number(self) -> int:
        return len(self.rounds) + 1

    @property
    def over(self) -> bool:
        agreed = bool(self.rounds and self.rounds[-1].all_agree)
        by_rules = bool(self.rounds) and not any(
            participant.debater.name.model for participant in self.participants
        )
        ended = len(self.rounds) >= self.terms.max_rounds
        return ended or by_rules or (agreed and not self.terms.to_the_end)

    @property
    def so_far(self) -> tuple[Round, ...]:
        """The rounds, the one that was cut short included."""
        return (*self.rounds, *([self._ended()] if self.open else []))

    async def speak(self) -> None:
        """Let all roles speak at once, and close the round when all have."""
        buffer = tuple(self.rounds)
        contexts = [SpeakerContext(role, self.roles, self.subject, buffer) for role in self.roles]
        tasks = [
            asyncio.ensure_future(participant.debater.speak(context, self.call))
            for participant, context in zip(self.participants, contexts, strict=True)
        ]
        try:
            async with asyncio.timeout_at(self.call.deadline):
                for next_speech in asyncio.as_completed(tasks):
                    self.open.append(await next_speech)
                    self.spent += self.open[-1].usage
                    self.terms.budget.check(self.spent)
        except TimeoutError as e:
            raise DeadlineExceeded(
                f"Round {self.number} of the debate was not over in time: {len(self.open)} of "
                f"{len(self.participants)} roles had spoken."
            ) from e
        finally:
            # A caller that leaves, or a spent budget, must not leave answers running that cost money.
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            # Answers that came while the round broke off were paid for as well.
            late = [
                one for one in ended if isinstance(one, Statement | SpeechFailed) and one not in self.open
            ]
            self.open += late
            self.spent = sum((one.usage for one in late), self.spent)
        self.rounds.append(self._ended())
        self.open = []

    def close(self) -> Debate:
        last = self.rounds[-1]
        if len(last.scores) < FEWEST:
            raise self._too_few(last)
        return Debate(
            rounds=tuple(self.rounds),
            overall=fmean(last.scores.values()),
            converged=last.all_agree,
            roles_counted=len(last.scores),
            factor_mean=factor_mean(self.subject, self.participants),
            revision=revision(self.participants),
            usage=sum((r.usage for r in self.rounds), NO_USAGE),
            warnings=warnings(self.subject, self.participants, self.rounds),
        )

    def _ended(self) -> Round:
        """Return the open round, its speeches ordered by seed and round, not by arrival."""

        def place(speech: Speech) -> bytes:
            return hashlib.sha256(f"{self.terms.seed}/{self.number}/{speech.role}".encode()).digest()

        return Round(self.number, tuple(sorted(self.open, key=place)), len(self.roles))

    def _too_few(self, last: Round) -> CrsEvalError:
        failed = [one for one in last.speeches if isinstance(one, SpeechFailed)]
        causes = "; ".join(f"{one.role}: {one.code}" for one in failed)
        detail = (
            f"{len(last.scores)} of {len(self.participants)} roles gave a score in the last round; an overall "
            f"score needs {FEWEST}. {causes}"
        )
        deadline = self.call.deadline
        if deadline is not None and asyncio.get_running_loop().time() >= deadline:
            return DeadlineExceeded(detail)
        refused = bool(failed) and all(one.code in CONFIGURATION_CODES for one in failed)
        return UpstreamRefused(detail) if refused else UpstreamFailed(detail)


def factor_mean(subject: DebateSubject, participants: Sequence[Participant]) -> float | None:
    """Mean over the roles' factors of the score as a share of its scale, times 100; None where
    no factor of theirs has a score. What the debate must beat (CoRE, table 7, "Avg.")."""
    own = (
        subject.findings[slug]
        for slug in factors_of(s.role for s in participants)
        if slug in subject.findings
    )
    shares = [share for finding in own if (share := finding.share) is not None]
    return 100 * fmean(shares) if shares else None


def revision(participants: Sequence[Participant]) -> str:
    """12 hex digits over every role and the way its debater answers: debates compare only where
    they are equal."""
    parts = sorted(f"{s.role.fingerprint}/{s.debater.name}/{s.debater.revision}" for s in participants)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def warnings(
    subject: DebateSubject, participants: Sequence[Participant], rounds: Sequence[Round]
) -> tuple[Flag, ...]:
    """Return flags for readers of the overall score: models that judged their own verdicts or were not asked for, and parts of
    the log left out of prompts."""
    judges = {finding.verdict.judge for finding in subject.findings.values()}
    # A verdict may name the model as it was asked for or as its provider reports it.
    speakers = {(s.judge, s.spoke) for r in rounds for s in r.speeches if isinstance(s, Statement)}
    # The embedded judge and debater have no model: the one weighs by rule what the other counted.
    both = sorted({str(asked) for asked, spoke in speakers if asked.model and judges & {asked, spoke}})
    asked = [participant for participant in participants if participant.debater.name.model]
    cut = (
        material_cut(subject.judge_input, tools=any(participant.role.sees_tools for participant in asked))
        if asked
        else ()
    )
    own = (
        Flag(
            "same_model_scored_and_debated",
            f"{name} gave verdicts and debated them: it may share its own blind spots (CoRE, section 8.3).",
        )
        for name in both
    )
    others = (flag for asked, spoke in speakers for flag in other_models(asked.model, [spoke.model]))
    warmer = sorted({s.role for r in rounds for s in r.speeches if isinstance(s, Statement) and s.warmer})
    raised = (
        Flag(
            "temperature_raised",
            f"statements of {slug} were cut off and asked for again at temperature {WARMER:g}.",
        )
        for slug in warmer
    )
    return (*own, *cut, *sorted(others, key=lambda flag: flag.detail), *raised)
