"""Rules on computed metrics: bounds of what `crs-eval metrics` computes over all conversations of the run."""

from collections.abc import Sequence

from ..configuration import GateSettings, Rule
from ..corpus_commands import ask_once, catalog_of
from ..exits import CommandError
from ..inputs import Json, read_logs
from .results import RuleResult, RuleState
from .runs import Preparation

_SCOPES = ("session", None, "last", "turn")
"""The figures of a metric, the one over whole sessions first."""


def check_metric_sides(work: Preparation) -> None:
    """Raise CommandError where the run holds no conversations to measure: before anything is judged."""
    side = work.sides[-1]
    for number, rule in enumerate(work.gate.rules):
        if rule.metric is not None and side.run is not None:
            raise CommandError(
                f"gate.rules.{number}.metric: metrics are computed from conversations, and {side.path} holds results. "
                "Give its logs, or remove the rule."
            )


def metric_results(work: Preparation) -> list[RuleResult]:
    """Compute the metrics that rules name over the run's logs, and judge them."""
    rules = [rule for rule in work.gate.rules if rule.metric is not None]
    if not rules:
        return []
    sources, _ = read_logs([work.sides[-1].path], repeats=True)
    cuts = sorted({rule.k for rule in rules if rule.k is not None})
    body = {
        "logs": [source.log for source in sources],
        "metrics": sorted({rule.metric for rule in rules if rule.metric}),
        "k": cuts or None,
    }
    catalog = work.options.catalog or work.configuration.score.catalog or catalog_of(sources)
    rows = ask_once("/computational-metrics", body, work.options, catalog=catalog)["rows"]
    return [judge_metric(rule, rows, work.gate) for rule in rules]


def judge_metric(rule: Rule, rows: Sequence[Json], gate: GateSettings) -> RuleResult:
    """Judge one rule by the rows of `POST /computational-metrics`."""
    metric = str(rule.metric)
    bounds = [f"at least {rule.minimum:g}"] if rule.minimum is not None else []
    bounds += [f"at most {rule.maximum:g}"] if rule.maximum is not None else []
    cut = f" at {rule.k}" if rule.k is not None else ""
    name = f"{metric}{cut}: {' and '.join(bounds)}"
    found = [row for row in rows if row["metric"] == metric and row["k"] == rule.k and row["turn"] is None]
    row = min(
        (row for row in found if row["value"] is not None),
        key=lambda row: _SCOPES.index(row["scope"]),
        default=None,
    )
    if row is None:
        reason = next((row["undefined"] for row in found), "not_cut_by_k")
        told = f"undefined here ({reason}; docs/computational-metrics.md)"
        return RuleResult(name, metric, RuleState.INCONCLUSIVE, told)
    return RuleResult(name, metric, *_state(rule, row, rule.minimum_n or gate.minimum_n))


def _state(rule: Rule, row: Json, least: int) -> tuple[RuleState, str]:
    value, interval = row["value"], row["interval"]
    low, high = (interval["low"], interval["high"]) if interval else (value, value)
    shown = (
        f" (95 % interval {low:z.3g} to {high:z.3g}, n = {row['n']})" if interval else f" (n = {row['n']})"
    )
    told = f"{value:z.3g}{shown}"
    over = rule.maximum is not None and value > rule.maximum
    under = rule.minimum is not None and value < rule.minimum
    certain = (over and (rule.maximum == 0 or low > (rule.maximum or 0))) or (
        under and high < (rule.minimum or 0)
    )
    if certain and interval:
        return RuleState.FAIL, told
    if row["n"] < least:
        return RuleState.INCONCLUSIVE, f"{told}, but {least} are needed"
    if over or under:
        return (
            RuleState.INCONCLUSIVE,
            f"{told}; beyond the limit, but chance can explain that",
        )
    return RuleState.PASS, told
