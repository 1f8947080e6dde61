from prometheus_client.parser import text_string_to_metric_families

from service.telemetry.telemetry import Telemetry
from service.telemetry.watching import watch


def series(telemetry: Telemetry, name: str, label: str) -> dict[str, float]:
    return {
        sample.labels[label]: sample.value
        for family in text_string_to_metric_families(telemetry.prometheus().decode())
        for sample in family.samples
        if sample.name == name
    }


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
