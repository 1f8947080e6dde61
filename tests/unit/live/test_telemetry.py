"""Series of `crs-eval live` are there from the start."""

from service.live.telemetry import LiveTelemetry
from service.telemetry.telemetry import Telemetry


def test_series_begin_at_zero() -> None:
    telemetry = Telemetry("0")
    LiveTelemetry(telemetry.meter, telemetry.recorder).heard(["lines"])
    lines = telemetry.prometheus().decode().splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines if line.startswith("crs_eval_live_"))
    assert set(found.values()) == {"0.0"}
    assert {name.partition("{")[0] for name in found} == {
        "crs_eval_live_alarms_total",
        "crs_eval_live_conversations_total",
        "crs_eval_live_dead_letters",
        "crs_eval_live_model_total",
        "crs_eval_live_oldest_due_seconds",
        "crs_eval_live_refused_total",
        "crs_eval_live_waiting",
    }
    for output in ("entry", "judging", "lines"):
        assert f'crs_eval_live_refused_total{{output="{output}"}}' in found
