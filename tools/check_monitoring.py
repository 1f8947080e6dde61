"""Checks what watches the service: alerts by promtool, also on made-up series; the dashboard's queries
by promtool; and that every metric that either names is one that the service tells of."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from service.domain.completion import Usage
from service.domain.verdict import DetectedFault, JudgeName, Scored
from service.live.telemetry import LiveTelemetry
from service.telemetry import names
from service.telemetry.telemetry import Telemetry
from service.telemetry.watching import watch, watch_callers
from tools.programs import advice, ensure_tool

FOLDER = Path(__file__).parent.parent / "k8s" / "components" / "monitoring"
DASHBOARDS = ("dashboard.json", "live.json")
_METRIC = re.compile(r"\b(?:crs_eval|gen_ai|http_server)_[a-z_]+(?=[\[{)\s]|$)")
_LABELS = frozenset(
    name.replace(".", "_")
    for name in (names.REQUEST_MODEL, names.PROVIDER, names.TOKEN_TYPE, names.OPERATION)
)
_DASHBOARD_WORDS = {"$__rate_interval": "5m", "$__range": "1h"}


def alerts() -> dict[str, Any]:
    """The rules as Prometheus itself reads them."""
    manifest = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
    return dict(manifest["spec"])


def dashboard_queries() -> Iterator[tuple[str, str]]:
    """Each panel's title with each of its PromQL queries, Grafana's own words replaced."""
    for title, target in _targets():
        if "expr" in target:
            query = target["expr"]
            for word, value in _DASHBOARD_WORDS.items():
                query = query.replace(word, value)
            yield title, query


def database_queries(systems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each panel's title with each of its SQL queries over the last year of these systems, as Grafana asks them."""
    listed = ", ".join(f"'{system}'" for system in systems)
    for title, target in _targets():
        if "rawSql" in target:
            query = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 > now() - interval '1 year'", target["rawSql"])
            yield title, query.replace("$system", listed)


def _targets() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in DASHBOARDS:
        for panel in json.loads((FOLDER / name).read_text())["panels"]:
            yield from ((panel["title"], target) for target in panel.get("targets", ()))


def alert_queries() -> Iterator[tuple[str, str]]:
    """Each alert's name with its query."""
    for group in alerts()["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def known_metrics() -> set[str]:
    """The names that a service tells of which has done everything once."""
    telemetry = Telemetry("0", homes={"only-obvious": "novelty"})
    figures = ("waited", "spent_calls", "is_alone")
    watch(telemetry.meter, lambda: {"store_puts": 1, **{f"budget:local:{name}": 1 for name in figures}})
    watch_callers(telemetry.meter, {"shed": 1})
    telemetry.recorder.request("GET", "/score", 200, 0.1)
    telemetry.recorder.call("local", "small", 0.1, usage=Usage(1, 1), cost=1.0, error=None)
    verdict = Scored(
        factor="novelty",
        judge=JudgeName("builtin"),
        evaluator_revision="",
        score=1.0,
        level=1,
        rationale="",
        faults=(DetectedFault("only-obvious", 1, 1.0),),
    )
    telemetry.recorder.verdict(verdict, "alpha")
    LiveTelemetry(telemetry.meter, telemetry.recorder).hooks().refused("lines")
    text = telemetry.prometheus().decode()
    return {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}


def unknown_metrics() -> list[str]:
    """Each name of a metric that a query uses and the service does not have, with where it stands."""
    known = known_metrics()
    return [
        f"{place}: no metric {name}"
        for place, query in [*dashboard_queries(), *alert_queries()]
        for name in _METRIC.findall(query)
        if name not in known | _LABELS
    ]


def promtool_faults(promtool: Path) -> list[str]:
    """Return what promtool says of the rules, of their tests, and of the dashboard's queries as rules."""
    with tempfile.TemporaryDirectory() as folder:
        rules, queries, tests = (Path(folder) / name for name in ("rules.yaml", "queries.yaml", "tests.yaml"))
        rules.write_text(yaml.safe_dump(alerts()))
        recorded = [
            {"record": f"query:{n}", "expr": query} for n, (_, query) in enumerate(dashboard_queries())
        ]
        queries.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}))
        tests.write_text((FOLDER / "tests" / "alerts.yaml").read_text().replace("RULES", str(rules)))
        runs = [("check", "rules", str(rules), str(queries)), ("test", "rules", str(tests))]
        return [
            f"promtool {' '.join(words[:2])}: {done.stdout}{done.stderr}"
            for words in runs
            for done in [subprocess.run([promtool, *words], check=False, capture_output=True, text=True)]
            if done.returncode
        ]


def main() -> int:
    """Print each fault; without promtool say what was left out."""
    faults = unknown_metrics()
    promtool = ensure_tool("promtool")
    if promtool is None:
        print(f"monitoring: queries not parsed; {advice('promtool')}")
    else:
        faults += promtool_faults(promtool)
    for fault in faults:
        print(fault)
    count = len(list(dashboard_queries())) + len(list(alert_queries()))
    print(f"monitoring: {count} queries, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
