"""Faults against a baseline: the conversations that gained each one, and those that lost it.

The test is that of factors (`paired`), for the growth of each fault's share. It corrects for all faults together. So one cause that
shows as two faults of the same replies counts once. Faults that are too rare to decide anything cost the others nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ...domain.plurals import counted
from ..configuration import GateSettings
from ..found_faults import FoundFault
from ..scores import Run
from .paired import PairedLosses, Scores, significance
from .results import CERTAIN_FAULTS, GateCase, RuleResult, RuleState

MOST_CASES = 10


@dataclass(frozen=True)
class FaultChange:
    """A fault in both runs, over `n` conversations in which it was looked for. `before` and `now` are the shares that show it;
    `p` is one-sided, for a growth, and `adjusted` over all faults."""

    fault: str
    n: int
    before: float
    now: float
    gained: Sequence[str]
    lost: Sequence[str]
    p: float
    adjusted: float


def fault_shares(
    baseline: Run, candidate: Run, conversations: Sequence[str], gate: GateSettings
) -> tuple[Scores, Scores]:
    """Return the share of each conversation's repeats that show each fault, before and now, where it was looked for in both."""
    named = gate.regression.faults
    both: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]] = {}, {}
    for fault in sorted(baseline.faults.keys() | candidate.faults.keys()):
        if named is None or fault in named:
            before, now = baseline.showing(fault), candidate.showing(fault)
            names = [name for name in conversations if name in before and name in now]
            both[0][fault], both[1][fault] = ({name: run[name] for name in names} for run in (before, now))
    return both


def changes_of(before: Scores, now: Scores, gate: GateSettings) -> list[FaultChange]:
    """Test faults on their shares in the same conversations. Faults without any are left out."""
    shown = [fault for fault in now if any(before[fault].values()) or any(now[fault].values())]
    names = list(dict.fromkeys(name for fault in shown for name in now[fault]))
    growth = PairedLosses.of(now, before, shown, names)  # what the baseline has less of
    found: dict[str, tuple[float, float]] = {}
    if growth.factors:
        tested = significance(growth, draws=gate.draws, alpha=gate.alpha)
        found = dict(zip(growth.factors, zip(tested.p, tested.adjusted, strict=True), strict=True))
    changes = []
    for fault in shown:
        earlier, later = before[fault], now[fault]
        p, adjusted = found.get(fault, (1.0, 1.0))
        changes.append(
            FaultChange(
                fault,
                len(later),
                fmean(earlier.values()),
                fmean(later.values()),
                gained=[name for name, share in later.items() if share > earlier[name]],
                lost=[name for name, share in later.items() if share < earlier[name]],
                p=p,
                adjusted=adjusted,
            )
        )
    return changes


def state_of(change: FaultChange, alpha: float) -> RuleState:
    """Return the verdict: growth beyond chance fails; growth that only the number of faults explains is inconclusive."""
    if change.adjusted <= alpha:
        return RuleState.FAIL
    return RuleState.INCONCLUSIVE if change.p <= alpha else RuleState.PASS


def judge_change(change: FaultChange, candidate: Run, gate: GateSettings) -> RuleResult:
    """Return the result of a fault: one that grew beyond chance fails."""
    told = (
        f"in {change.before:.1%} of the conversations before, in {change.now:.1%} now: new in {len(change.gained)}, gone from "
        f"{len(change.lost)} (n = {change.n}, p = {change.adjusted:.3g} after correction for all faults)"
    )
    if (state := state_of(change, gate.alpha)) is RuleState.INCONCLUSIVE:
        told += f"; p = {change.p:.3g} alone, which is not enough after the correction for all faults"
    elif state is RuleState.PASS and len(change.gained) > len(change.lost):
        told += "; more, but so few that chance can explain it"
    name, worst = (
        f"{change.fault}: not more often than before",
        fault_cases(candidate, change.fault, change.gained),
    )
    return RuleResult(name, change.fault, state, told, worst=worst, fault=change.fault, change=change)


def fault_cases(run: Run, fault: str, among: Sequence[str] | None = None) -> list[GateCase]:
    """Return at most ten conversations that show a fault, the certain and costly ones first."""
    wanted = None if among is None else set(among)
    found = [one for one in run.faults.get(fault, ()) if wanted is None or one.conversation in wanted]
    found.sort(key=lambda one: (not one.certain, -one.cost))
    first: dict[str, FoundFault] = {}
    for one in found:
        first.setdefault(one.conversation, one)
    return [_case(one) for one in first.values()][:MOST_CASES]


def _case(found: FoundFault) -> GateCase:
    value: dict[str, object] = {
        "message": found.message,
        "fault": found.fault,
        "certain": found.certain,
        "probability": found.probability,
        "quotes": list(found.quotes),
    }
    return GateCase(found.conversation, found.fault, found.cost, found.text, value, fault=True)


def new_certain_faults(
    baseline: Run, candidate: Run, conversations: Sequence[str], gate: GateSettings
) -> RuleResult | None:
    """Return the result about certain faults of conversations whose baseline does not show them; None where nothing is to be said."""
    known = {(one.conversation, one.fault) for found in baseline.faults.values() for one in found}
    among = set(conversations)
    new: dict[tuple[str, str], FoundFault] = {}
    for found in candidate.faults.values():
        for one in found:
            if one.certain and one.conversation in among and (one.conversation, one.fault) not in known:
                new.setdefault((one.conversation, one.fault), one)
    most = gate.maximum_new
    if not new and most is None:
        return None
    told = f"{counted(len(new), 'certain fault')} that the baseline does not show"
    if most is None:
        told += "; set maximum_new = 0 in crs-eval.toml to fail on these"
        state = RuleState.NOT_LIMITED
    else:
        told += f"; at most {most} are allowed (maximum_new)"
        state = RuleState.FAIL if len(new) > most else RuleState.PASS
    worst = [_case(one) for one in sorted(new.values(), key=lambda one: -one.cost)]
    return RuleResult("certain faults: new ones", CERTAIN_FAULTS, state, told, worst=worst)
