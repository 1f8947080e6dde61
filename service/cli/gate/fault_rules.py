"""Rules on faults that need no baseline: the largest share of conversations, or of replies, that may show one."""

from operator import itemgetter

import numpy as np

from ...domain.plurals import counted
from ...faults.measured import FEWEST, load_measurements
from ...statistics.bootstrap import Interval, intervals, ratio_draws
from ...statistics.shares import wilson
from ..configuration import FaultUnit, GateSettings, Rule
from ..found_faults import lowered_factors
from ..scores import Run
from .fault_changes import fault_cases
from .gaps import gap
from .results import RuleResult, RuleState

EMBEDDED = "builtin"
SELDOM_SEEN = 0.2
"""Sensitivity under which the gate says how seldom the embedded judge sees a fault."""


def judge_fault(run: Run, rule: Rule, gate: GateSettings) -> RuleResult:
    """Judge a rule on a fault. A share beyond the maximum fails where its whole 95 % interval is, whatever n is: the interval
    tells how little few conversations say."""
    assert rule.fault is not None
    assert rule.maximum is not None
    of = rule.of or FaultUnit.CONVERSATIONS
    name = f"{rule.fault}: at most {rule.maximum:.3g} of {of}"
    counts = list(run.replies_showing(rule.fault))
    value, interval, n = _share(run, rule.fault, of)
    told = f"{value:.1%} of {counted(n, of.value[:-1])}"
    told += f" (95 % interval {interval.low:.1%} to {interval.high:.1%})" if interval else ""
    worst = fault_cases(run, rule.fault)

    def result(state: RuleState, detail: str) -> RuleResult:
        return RuleResult(name, rule.fault or "", state, detail, worst=worst, fault=rule.fault)

    if value > rule.maximum and (rule.maximum == 0 or (interval and interval.low > rule.maximum)):
        return result(RuleState.FAIL, told)
    conversations = len({conversation for conversation, _, _ in counts})
    factor = next((slug for slug in lowered_factors(rule.fault) if slug in run.factors), rule.fault)
    if (
        missing := gap([run], factor, conversations, gate, of=len(run.conversations), least=rule.minimum_n)
    ) is not None:
        return result(*missing)
    if value > rule.maximum:
        return result(
            RuleState.INCONCLUSIVE,
            f"{told}; above the maximum, but chance can explain that",
        )
    return result(RuleState.PASS, told + _blindness(run, rule.fault))


def _share(run: Run, fault: str, of: FaultUnit) -> tuple[float, Interval | None, int]:
    """Return the share that shows a fault, its interval, and of how many. Replies of one conversation are alike, so their interval
    resamples conversations."""
    if of is FaultUnit.CONVERSATIONS:
        shares = run.showing(fault)
        hits, n = sum(shares.values()), len(shares)
        return (hits / n, wilson(hits, n), n) if n else (0.0, None, 0)
    counts = np.array([(hits, n) for _, hits, n in run.replies_showing(fault) if n], dtype=np.float64)
    if not len(counts):
        return 0.0, None, 0
    value = counts[:, 0].sum() / counts[:, 1].sum()
    return float(value), intervals(ratio_draws(counts[:, :1], counts[:, 1:]))[0], int(counts[:, 1].sum())


def _blindness(run: Run, fault: str) -> str:
    """Return a warning about a fault that the embedded judge seldom sees; empty for other judges."""
    if (seen := seldom_seen(run).get(fault)) is None:
        return ""
    return f"; but the embedded judge sees only {seen:.0%} of such replies (crs-eval faults)"


def seldom_seen(run: Run) -> dict[str, float]:
    """Return the faults that the judge of a run seldom sees, each with its sensitivity, the lowest first.

    Empty unless the embedded judge gave all verdicts: no other judge has been measured."""
    if {verdict["judge"]["name"] for record in run.records for verdict in record.verdicts} != {EMBEDDED}:
        return {}
    largest = {fault: max(rows, key=lambda row: row.n) for fault, rows in load_measurements().items()}
    seen = {fault: row.sensitivity or 0.0 for fault, row in largest.items() if row.n >= FEWEST}
    return {fault: share for fault, share in sorted(seen.items(), key=itemgetter(1)) if share < SELDOM_SEEN}
