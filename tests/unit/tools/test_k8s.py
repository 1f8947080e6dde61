"""The checks of k8s/ find what is wrong, and find nothing wrong."""

import copy
import ipaddress
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import chart, check_monitoring, kustomize, validate_k8s

MANIFESTS = [document for _, document in validate_k8s.documents()]


def of(kind: str) -> dict[str, Any]:
    return copy.deepcopy(next(d for d in MANIFESTS if d.get("kind") == kind))


@pytest.mark.parametrize(
    "kind",
    ["ServiceMonitor", "PrometheusRule", "Deployment", "HorizontalPodAutoscaler", "HTTPRoute", "Ingress"],
)
def test_a_misspelt_field_is_a_fault(kind: str) -> None:
    manifest = of(kind)
    manifest["spec"]["misspelt"] = 1
    [fault] = validate_k8s.faults_of(manifest)
    assert "misspelt" in fault


def test_a_port_or_a_setting_that_there_is_not_is_a_fault() -> None:
    manifests = copy.deepcopy(MANIFESTS)
    by_kind = {one["kind"]: one for one in reversed(manifests)}
    by_kind["ServiceMonitor"]["spec"]["endpoints"][0]["port"] = "unheard"
    by_kind["ConfigMap"]["data"]["CRS_EVAL_JUGDE"] = "x"
    faults = " ".join(validate_k8s.cross_faults(manifests))
    assert "unheard" in faults
    assert "CRS_EVAL_JUGDE" in faults


def test_pods_run_as_nobody_on_a_read_only_root() -> None:
    deployments = [d for d in MANIFESTS if d["kind"] == "Deployment"]
    assert len(deployments) == 3
    for deployment in deployments:
        pod = deployment["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["resources"]["limits"]["memory"]


def test_each_alert_is_tried_on_made_up_series() -> None:
    tests = yaml.safe_load((check_monitoring.FOLDER / "tests" / "alerts.yaml").read_text())["tests"]
    fired = {one["alertname"] for test in tests for one in test["alert_rule_test"] if one["exp_alerts"]}
    assert {name for name, _ in check_monitoring.alert_queries()} == fired


def test_a_query_of_a_metric_that_there_is_not_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        check_monitoring, "alert_queries", lambda: iter([("X", "rate(crs_eval_nothing_total[5m])")])
    )
    assert check_monitoring.unknown_metrics() == ["X: no metric crs_eval_nothing_total"]


def policy(name: str) -> dict[str, Any]:
    return next(d for d in MANIFESTS if d.get("kind") == "NetworkPolicy" and d["metadata"]["name"] == name)


@pytest.mark.parametrize("name", ["crs-eval", "crs-eval-live", "crs-eval-metrics", "crs-eval-redis"])
def test_ingress_names_who_may_come(name: str) -> None:
    for rule in policy(name)["spec"]["ingress"]:
        assert rule["from"]
        for peer in rule["from"]:
            assert any(selector.get("matchLabels") for selector in peer.values())


def test_egress_names_where_to() -> None:
    rules = {
        port["port"]: rule["to"] for rule in policy("crs-eval")["spec"]["egress"] for port in rule["ports"]
    }
    assert set(rules) == {53, 443, 4318, 6379}
    for port, peers in rules.items():
        for peer in peers:
            selected = any(
                peer.get(name, {}).get("matchLabels") for name in ("podSelector", "namespaceSelector")
            )
            assert selected or "ipBlock" in peer, port
    blocks = [peer["ipBlock"] for peer in rules[443]]
    for inside in (
        "10.1.2.3",
        "172.20.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "fd00::1",
        "fe80::1",
    ):
        address = ipaddress.ip_address(inside)
        reached = [b for b in blocks if address in ipaddress.ip_network(b["cidr"])]
        assert reached
        assert all(
            any(address in ipaddress.ip_network(hole) for hole in block["except"]) for block in reached
        )


@pytest.mark.parametrize("overlay", ["production", "small"])
def test_overlays_believe_no_network_that_the_operator_did_not_name(overlay: str) -> None:
    assert "CRS_EVAL_TRUSTED_PROXIES" not in _patched(overlay)


def test_production_lets_pods_connect_to_a_redis_outside_once_its_network_is_named() -> None:
    rule = _patched("production")["/spec/egress/-"]
    assert [port["port"] for port in rule["ports"]] == [6379]
    for peer in rule["to"]:
        with pytest.raises(ValueError, match="REDIS_CIDR"):  # as the API server says it
            ipaddress.ip_network(peer["ipBlock"]["cidr"])


def _patched(overlay: str) -> dict[str, Any]:
    """The values that an overlay puts, by path."""
    text = (validate_k8s.ROOT / "overlays" / overlay / "kustomization.yaml").read_text()
    patches = [yaml.safe_load(p["patch"]) for p in yaml.safe_load(text).get("patches", ()) if "patch" in p]
    return {step["path"]: step.get("value") for patch in patches for step in patch}


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("kubectl") is None,
    reason="there is no kubectl on PATH (Debian: apt-get install kubernetes-client)",
)
@pytest.mark.parametrize("install", chart.INSTALLS, ids=lambda install: install.name)
def test_it_gives_what_kubectl_gives(install: chart.Install, tmp_path: Path) -> None:
    shutil.copytree(chart.ROOT, tmp_path / "k8s", ignore=lambda *_: ["chart"])
    (tmp_path / "k8s" / kustomize.FILE).write_text(yaml.safe_dump(install.kustomization()))
    done = subprocess.run(
        ["kubectl", "kustomize", tmp_path / "k8s"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    theirs = list(yaml.safe_load_all(done.stdout.replace("REDIS_CIDR", chart.REDIS_CIDR)))
    assert len(theirs) > 5
    assert chart.differences(install.from_kustomize(), theirs) == []
