from collections import Counter

from prometheus_client.parser import text_string_to_metric_families

from service.telemetry.telemetry import Telemetry
from service.telemetry.watching import watch, watch_callers


def series(telemetry: Telemetry, name: str, label: str) -> dict[str, float]:
    return {
        sample.labels[label]: sample.value
        for family in text_string_to_metric_families(telemetry.prometheus().decode())
        for sample in family.samples
        if sample.name == name
    }


def test_callers_that_were_turned_away_are_counted_by_reason_from_zero_on() -> None:
    telemetry, counts = Telemetry("0"), Counter[str]()
    watch_callers(telemetry.meter, counts)
    name = "crs_eval_requests_turned_away_total"
    assert series(telemetry, name, "reason") == {
        "shed": 0,
        "slow_bodies": 0,
        "cut_off": 0,
        "stalled_peers": 0,
        "large_headers": 0,
        "slow_headers": 0,
        "idle_peers": 0,
        "crowded_out": 0,
    }
    counts.update(shed=3, stalled_peers=1)
    assert series(telemetry, name, "reason")["shed"] == 3
    assert series(telemetry, name, "reason")["stalled_peers"] == 1


def test_budgets_are_told_by_upstream() -> None:
    telemetry = Telemetry("0")
    figures = {"waited": 4, "shed": 2, "eased": 1, "alone": 0, "spent_calls": 9, "spent_tokens": 900}
    stats = {f"budget:my-own:{name}": number for name, number in figures.items()}
    watch(telemetry.meter, lambda: {**stats, "budget:my-own:is_alone": 1, "store_puts": 1})
    assert series(telemetry, "crs_eval_upstream_budget_events_total", "event") == {
        "waited": 4,
        "shed": 2,
        "eased": 1,
        "alone": 0,
    }
    assert series(telemetry, "crs_eval_upstream_budget_spent", "unit") == {"calls": 9, "tokens": 900}
    assert series(telemetry, "crs_eval_upstream_budget_alone", "gen_ai_provider_name") == {"my-own": 1}
