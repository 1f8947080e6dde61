"""Findings of the gate: a verdict for every rule, and one for all of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ..exits import CommandError, Exit
from ..scores import Run
from .paired import RunDifference

if TYPE_CHECKING:
    from .fault_changes import FaultChange

CONVERSATIONS = "conversations"
"""The subject of the result about missing conversations, in place of a factor."""


CERTAIN_FAULTS = "certain-faults"
"""The subject of the result about new certain faults."""


class RuleState(StrEnum):
    """The outcome of a rule, or of all of them."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    NOT_LIMITED = "not_limited"
    """Faults that are listed although no rule limits them."""
    SKIPPED = "skipped"
    """A factor that nobody named and that cannot be decided here."""


EXITS = {
    RuleState.PASS: Exit.PASS,
    RuleState.FAIL: Exit.FAIL,
    RuleState.INCONCLUSIVE: Exit.INCONCLUSIVE,
    RuleState.ERROR: Exit.FAILED,
}
# A certain failure stays one whatever else could not be found out.
_GRAVEST = (RuleState.FAIL, RuleState.ERROR, RuleState.INCONCLUSIVE, RuleState.PASS)


def gravest(states: Collection[RuleState]) -> RuleState:
    """Return the gravest of these states; inconclusive where no rule could say anything."""
    return next((state for state in _GRAVEST if state in states), RuleState.INCONCLUSIVE)


@dataclass(frozen=True)
class GateCase:
    """A conversation that speaks for a result on `factor`, or on a fault, which is then named in its place. `loss` is what it lost,
    in points; what it is from the top without a baseline; the expected cost of a fault. `json` is the case for programs."""

    conversation: str
    factor: str
    loss: float
    text: str
    json: dict[str, object]
    fault: bool = False


@dataclass(frozen=True)
class RuleResult:
    """One rule's verdict, in words, with the conversations that weigh most where it failed."""

    name: str
    factor: str
    state: RuleState
    detail: str
    difference: RunDifference | None = None
    visible: float | None = None
    worst: Sequence[GateCase] = ()
    fault: str | None = None
    """The fault that a rule is about, in place of a factor."""
    change: "FaultChange | None" = None

    @property
    def about_faults(self) -> bool:
        """Return whether faults decide it, rather than scores."""
        return self.fault is not None or self.factor == CERTAIN_FAULTS


@dataclass(frozen=True)
class GateJudgement:
    """All results, and warnings. `candidate` and `baseline` are None where they could not be read."""

    results: Sequence[RuleResult]
    candidate: Run | None
    baseline: Run | None
    notes: Sequence[str] = field(default=())
    error: CommandError | None = None
    """The reason why the gate had to stop before its last rule."""

    @property
    def state(self) -> RuleState:
        """The gravest of the results; inconclusive where no rule could say anything."""
        return gravest({result.state for result in self.results})

    @property
    def exit(self) -> Exit:
        """Return how the command ends: wrong usage is told as such, else a failure stays one."""
        if self.error is not None and (self.error.code is Exit.USAGE or self.state is not RuleState.FAIL):
            return self.error.code
        return EXITS[self.state]


def stopped(
    error: CommandError, before: Sequence[RuleResult] = (), candidate: Run | None = None
) -> GateJudgement:
    """The judgement of a gate that had to stop, after the results that it had before."""
    state = RuleState.INCONCLUSIVE if error.code is Exit.INCONCLUSIVE else RuleState.ERROR
    result = RuleResult("the gate had to stop", "gate", state, str(error))
    return GateJudgement([*before, result], candidate, None, error=error)
