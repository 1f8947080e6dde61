"""Values of a debate: the subject, the context of a speaker, statements, rounds, the result."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ..domain.completion import NO_USAGE, Call, Usage
from ..domain.rubric import Factor
from ..domain.verdict import Flag, JudgeName, Scored, Verdict
from ..judges.evaluation import JudgeInput
from .roles import DebateRole

WORST, BEST = 0, 100
"""The ends of the overall scale: would never use this system, would always choose it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with the factor that it is about."""

    factor: Factor
    verdict: Verdict

    @property
    def share(self) -> float | None:
        """Return where the score lies on its factor's scale, 0-1; None where there is no score."""
        return self.factor.scale.share(self.verdict.score) if isinstance(self.verdict, Scored) else None


@dataclass(frozen=True, slots=True)
class DebateSubject:
    """The subject of a debate: a log, and the judges' findings about it by factor. `own_ratings`: each role reads the ratings
    that it answers for, as in CoRE, instead of all. Models read `evidence` behind the log."""

    judge_input: JudgeInput
    findings: Mapping[str, Finding]
    own_ratings: bool = False
    evidence: str = ""

    @classmethod
    def of(
        cls,
        judge_input: JudgeInput,
        verdicts: Sequence[Verdict],
        factors: Mapping[str, Factor],
        **more: Any,
    ) -> "DebateSubject":
        """Join verdicts with their factors; a verdict about a factor not in `factors` is left out."""
        found = {v.factor: Finding(factors[v.factor], v) for v in verdicts if v.factor in factors}
        return cls(judge_input, found, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A role's words in a round, and its overall score, 0-100. `model` is the name that the provider
    reported, None where no language model spoke. `warmer`: its first answer was cut off, and this one was asked for at a higher
    temperature."""

    role: str
    judge: JudgeName
    score: int
    statement: str
    model: str | None = None
    cached: bool = False
    warmer: bool = False
    usage: Usage = NO_USAGE

    @property
    def spoke(self) -> JudgeName:
        """The judge, with the model that answered as its provider names it."""
        return JudgeName(self.judge.name, self.model or self.judge.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFailed:
    """A role that gave no usable answer in a round: never a score. `code` from a published list."""

    role: str
    judge: JudgeName
    code: str
    detail: str
    usage: Usage = NO_USAGE


Speech = Statement | SpeechFailed


@dataclass(frozen=True)
class Round:
    """One round, 1 the first. `speeches` holds one for each role, in the order of the buffer;
    fewer than `roles`, which counts the debate's roles, in a round that was cut short."""

    number: int
    speeches: tuple[Speech, ...]
    roles: int

    @cached_property
    def scores(self) -> Mapping[str, int]:
        """The score of each role that gave one."""
        return {s.role: s.score for s in self.speeches if isinstance(s, Statement)}

    @property
    def all_agree(self) -> bool:
        """Every role gave a score, and all are equal."""
        return len(self.scores) == self.roles and len(set(self.scores.values())) == 1

    @property
    def major_agree(self) -> bool:
        """At least three quarters of the roles gave one and the same score."""
        most = max(Counter(self.scores.values()).values(), default=0)
        return 4 * most >= 3 * self.roles

    @property
    def spread(self) -> int | None:
        """Highest score minus lowest; None where no role gave one."""
        return max(self.scores.values()) - min(self.scores.values()) if self.scores else None

    @property
    def usage(self) -> Usage:
        """Return what the round cost, failed answers included."""
        return sum((speech.usage for speech in self.speeches), NO_USAGE)


@dataclass(frozen=True)
class Debate:
    """The end of a debate. `overall` is the mean of the last round's scores, 0-100; `factor_mean` the mean
    of the verdicts as shares of their scales, times 100, for comparison."""

    rounds: tuple[Round, ...]
    overall: float
    converged: bool
    roles_counted: int
    factor_mean: float | None
    revision: str
    usage: Usage
    warnings: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class SpeakerContext:
    """Everything that a debater is given when its role speaks: the subject, all roles of the debate,
    and the buffer, which is every round so far. `number` is the round that is under way."""

    role: DebateRole
    roles: tuple[DebateRole, ...]
    subject: DebateSubject
    buffer: tuple[Round, ...] = ()

    @property
    def number(self) -> int:
        return len(self.buffer) + 1

    @property
    def said(self) -> Statement | None:
        """The role's own latest statement, None before it has made one."""
        own = (s for r in reversed(self.buffer) for s in r.speeches if s.role == self.role.slug)
        return next((s for s in own if isinstance(s, Statement)), None)


class Debater(Protocol):
    """Speaks for a role. A role that cannot answer is a `SpeechFailed`, never an exception."""

    @property
    def name(self) -> JudgeName: ...

    @property
    def revision(self) -> str:
        """12 hex digits that change whenever its way of answering does."""
        ...

    async def speak(self, context: SpeakerContext, call: Call) -> Speech: ...


@dataclass(frozen=True, slots=True)
class Participant:
    """A role and who speaks for it."""

    role: DebateRole
    debater: Debater
