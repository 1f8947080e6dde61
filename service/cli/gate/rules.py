"""Faults in the gate: rules that bound how often one may occur, and changes against a baseline.

The test against a baseline is that of factors (`paired`), for the growth of each fault's share. It corrects for all faults together.
So one cause that shows as two faults of the same replies counts once. Faults that are too rare to decide anything cost the others
nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean

import numpy as np

from ...domain.plurals import counted
from ...faults.measured import FEWEST, load_measurements
from ...statistics.bootstrap import Interval, intervals, ratio_draws
from ...statistics.permutation import wilson
from ..configuration import GateSettings, Rule
from ..corpus_commands import ask_once, catalog_of
from ..exits import CommandError
from ..inputs import Json, read_logs
from ..scores import FoundFault, Run, lowered_factors
from .paired import ROUNDING, PairedLosses, Scores, significance
from .results import CERTAIN_FAULTS, MOST_CASES, GateCase, RuleResult, RuleState, gap
from .runs import Preparation

EMBEDDED = "builtin"
SELDOM_SEEN = 0.2
"""Sensitivity under which the gate says how seldom the embedded judge sees a fault."""
_SCOPES = ("session", None, "last", "turn")
"""The figures of a metric, the one over whole sessions first."""


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
        alone, over_all, _ = significance(growth, draws=gate.draws, alpha=gate.alpha)
        found = dict(zip(growth.factors, zip(alone, over_all, strict=True), strict=True))
    changes = []
    for fault in shown:
        earlier, later = before[fault], now[fault]
        means = fmean(earlier.values()), fmean(later.values())
        gained = [name for name, share in later.items() if share > earlier[name]]
        lost = [name for name, share in later.items() if share < earlier[name]]
        changes.append(FaultChange(fault, len(later), *means, gained, lost, *found.get(fault, (1.0, 1.0))))
    return changes


def judge_change(change: FaultChange, candidate: Run, gate: GateSettings) -> RuleResult:
    """Return the result of a fault: growth beyond chance fails; growth that only the number of faults explains is inconclusive."""
    detail = (
        f"in {change.before:.1%} of the conversations before, in {change.now:.1%} now: new in {len(change.gained)}, gone from "
        f"{len(change.lost)} (n = {change.n}, p = {change.adjusted:.3g} after correction for all faults)"
    )
    state = RuleState.PASS
    if change.adjusted <= gate.alpha:
        state = RuleState.FAIL
    elif change.p <= gate.alpha:
        state = RuleState.INCONCLUSIVE
        detail += f"; p = {change.p:.3g} before the correction for all faults, which is not enough"
    elif len(change.gained) > len(change.lost):
        detail += "; more, but so few that chance can explain it"
    name = f"{change.fault}: not more often than before"
    worst = fault_cases(candidate, change.fault, change.gained)
    return RuleResult(name, change.fault, state, detail, worst=worst, fault=change.fault, change=change)


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
    value = {name: getattr(found, name) for name in ("message", "fault", "certain", "probability", "quotes")}
    return GateCase(found.conversation, found.fault, found.cost, found.text, value, fault=True)


def new_certain_faults(
    baseline: Run, candidate: Run, conversations: Sequence[str], gate: GateSettings
) -> RuleResult | None:
    """Return the result for certain faults that the baseline's conversation does not show; None without such a fault or limit."""
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
    detail = f"{counted(len(new), 'certain fault')} that the baseline does not show"
    if most is None:
        detail += "; set maximum_new = 0 in crs-eval.toml to fail on these"
        state = RuleState.NOT_LIMITED
    else:
        detail += f"; at most {most} are allowed (maximum_new)"
        state = RuleState.FAIL if len(new) > most else RuleState.PASS
    worst = [_case(one) for one in sorted(new.values(), key=lambda one: -one.cost)]
    return RuleResult("certain faults: new ones", CERTAIN_FAULTS, state, detail, worst=worst)


def judge_fault(run: Run, rule: Rule, gate: GateSettings) -> RuleResult:
    """Judge a rule on a fault. A share fails if its whole 95 % interval is above the maximum, for any n."""
    assert rule.fault is not None
    assert rule.maximum is not None
    of = rule.of or "conversations"
    name = f"{rule.fault}: at most {rule.maximum:.3g} of {of}"
    value, interval, n = _share(run, rule.fault, of)
    text = f"{value:.1%} of {counted(n, of[:-1])}"
    text += f" (95 % interval {interval.low:.1%} to {interval.high:.1%})" if interval else ""
    conversations = len(run.showing(rule.fault))
    factor = next((slug for slug in lowered_factors(rule.fault) if slug in run.factors), rule.fault)
    missing = gap([run], factor, conversations, gate, of=len(run.conversations), least=rule.minimum_n)
    state, text = against_limits(value, interval, text, missing, maximum=rule.maximum)
    if state is RuleState.PASS and (seen := seldom_seen(run).get(rule.fault)) is not None:
        text += f"; but the embedded judge sees only {seen:.0%} of such replies (crs-eval faults)"
    worst = fault_cases(run, rule.fault)
    return RuleResult(name, rule.fault, state, text, worst=worst, fault=rule.fault)


def against_limits(
    value: float,
    interval: Interval | None,
    detail: str,
    missing: tuple[RuleState, str] | None,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
) -> tuple[RuleState, str]:
    """Return the outcome of a value: a failure where its whole 95 % interval is beyond a limit, or where nothing is allowed.
    `missing` is the outcome of anything else for which too little is known."""
    least, most = -math.inf if minimum is None else minimum, math.inf if maximum is None else maximum
    over, under = value > most + ROUNDING, value < least - ROUNDING
    low, high = (interval.low, interval.high) if interval else (-math.inf, math.inf)
    if (over and (most == 0 or low > most)) or (under and high < least):
        return RuleState.FAIL, detail
    if missing is not None:
        return missing
    if over or under:
        return RuleState.INCONCLUSIVE, f"{detail}; beyond the limit, but chance can explain that"
    return RuleState.PASS, detail


def _share(run: Run, fault: str, of: str) -> tuple[float, Interval | None, int]:
    """Return the share that shows a fault, its interval by conversations, which hold similar replies, and its n."""
    if of == "conversations":
        shares = run.showing(fault)
        hits, n = sum(shares.values()), len(shares)
        return (hits / n, wilson(hits, n), n) if n else (0.0, None, 0)
    counts = np.array([(hits, n) for _, hits, n in run.replies_showing(fault) if n], dtype=np.float64)
    if not len(counts):
        return 0.0, None, 0
    value = counts[:, 0].sum() / counts[:, 1].sum()
    return float(value), intervals(ratio_draws(counts[:, :1], counts[:, 1:]))[0], int(counts[:, 1].sum())


def seldom_seen(run: Run) -> dict[str, float]:
    """Return the faults that the judge of a run seldom sees, each with its sensitivity, the lowest first.

    Empty unless the embedded judge gave all verdicts: no other judge has been measured."""
    if {verdict["judge"]["name"] for record in run.records for verdict in record.verdicts} != {EMBEDDED}:
        return {}
    largest = {fault: max(rows, key=lambda row: row.n) for fault, rows in load_measurements().items()}
    seen = {fault: row.sensitivity or 0.0 for fault, row in largest.items() if row.n >= FEWEST}
    return {fault: share for fault, share in sorted(seen.items(), key=itemgetter(1)) if share < SELDOM_SEEN}


def metric_results(work: Preparation) -> list[RuleResult]:
    """Compute the metrics that rules name over the run's logs, and judge them. Raises CommandError where the run has no logs."""
    numbered = {number: rule for number, rule in enumerate(work.gate.rules) if rule.metric is not None}
    rules, side = list(numbered.values()), work.sides[-1]
    if not rules:
        return []
    if side.run is not None:
        raise CommandError(
            f"gate.rules.{min(numbered)}.metric: metrics are computed from conversations, and {side.path} contains results. "
            "Pass its logs, or remove the rule."
        )
    sources, _ = read_logs([side.path], repeats=True)
    cuts = sorted({rule.k for rule in rules if rule.k is not None})
    body = {
        "logs": [source.log for source in sources],
        "metrics": sorted({rule.metric for rule in rules if rule.metric}),
        "k": cuts or None,
    }
    catalog = work.options.catalog or work.configuration.score.catalog or catalog_of(sources)
    places = [source.place for source in sources]
    asked = ask_once("/computational-metrics", body, work.options, catalog=catalog, places=places)
    return [judge_metric(rule, asked["rows"], work.gate) for rule in rules]


def judge_metric(rule: Rule, rows: Sequence[Json], gate: GateSettings) -> RuleResult:
    """Judge one rule by the rows of `POST /computational-metrics`."""
    metric = str(rule.metric)
    sides = [f"at least {rule.minimum:g}"] if rule.minimum is not None else []
    sides += [f"at most {rule.maximum:g}"] if rule.maximum is not None else []
    cut = f" at {rule.k}" if rule.k is not None else ""
    name = f"{metric}{cut}: {' and '.join(sides)}"
    found = [row for row in rows if row["metric"] == metric and row["k"] == rule.k and row["turn"] is None]
    row = min(
        (row for row in found if row["value"] is not None),
        key=lambda row: _SCOPES.index(row["scope"]),
        default=None,
    )
    if row is None:
        reason = next((row["undefined"] for row in found), "not_cut_by_k")
        detail = f"undefined here ({reason}; docs/computational-metrics.md)"
        return RuleResult(name, metric, RuleState.INCONCLUSIVE, detail)
    value, n, least = row["value"], row["n"], rule.minimum_n or gate.minimum_n
    interval = Interval(**row["interval"]) if row["interval"] else None
    bounds = f"95 % interval {interval.low:z.3g} to {interval.high:z.3g}, " if interval else ""
    detail = f"{value:z.3g} ({bounds}n = {n})"
    missing = (RuleState.INCONCLUSIVE, f"{detail}, but {least} are needed") if n < least else None
    limits = {"minimum": rule.minimum, "maximum": rule.maximum}
    return RuleResult(name, metric, *against_limits(value, interval, detail, missing, **limits))
