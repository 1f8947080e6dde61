"""The chart gives what the overlays give, and asks for what is missing."""

import io
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.main import read_settings
from tools import chart, validate_k8s
from tools.toolchains import helm

Have = Callable[[Callable[[], Path]], Path]
KEYS = {"CRS_EVAL_API_KEYS": "ci:score:" + "ab" * 32, "CRS_EVAL_CACHE_KEY": "c" * 32}


@pytest.fixture(autouse=True)
def _helm(have: Have) -> None:
    have(helm)


def one(kind: str, release: str = "crs-eval", **values: Any) -> dict[str, Any]:
    [found] = [manifest for manifest in chart.template(release, values) if manifest["kind"] == kind]
    return found


def pod(release: str = "crs-eval", **values: Any) -> dict[str, Any]:
    [found] = [
        manifest
        for manifest in chart.template(release, values)
        if manifest["kind"] == "Deployment" and manifest["metadata"]["name"] == release
    ]
    return dict(found["spec"]["template"])


def test_what_differs_is_found(tmp_path: Path) -> None:
    shutil.copytree(chart.CHART, tmp_path / "chart")
    manifest = tmp_path / "chart" / "base" / "deployment.yaml"
    manifest.write_text(manifest.read_text().replace("failureThreshold: 30", "failureThreshold: 31"))
    (tmp_path / "chart" / "templates" / "networkpolicy.yaml").unlink()
    small = chart.INSTALLS[0]
    assert chart.differences(small.from_kustomize(), small.from_helm(tmp_path / "chart")) == [
        "Deployment crs-eval differs",
        "NetworkPolicy crs-eval differs",
    ]


def test_the_archive_is_the_same_bytes_and_gives_the_same(tmp_path: Path) -> None:
    packed = chart.archive()
    assert packed == chart.archive()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert all(member.isfile() for member in tar.getmembers())
    (tmp_path / "chart.tgz").write_bytes(packed)
    assert chart.main(tmp_path) == 0
    for install in chart.INSTALLS:
        given = install.from_helm(tmp_path / "chart.tgz")
        assert chart.differences(install.from_kustomize(), given) == []


def test_a_release_is_called_by_its_name() -> None:
    manifests = chart.template("judge", {"production": True, "monitoring": {"enabled": True}})
    assert all(manifest["metadata"]["name"].startswith("judge") for manifest in manifests)
    assert validate_k8s.cross_faults(manifests) == []
    deployment = next(one for one in manifests if one["kind"] == "Deployment")
    named = [
        one["valueFrom"]["secretKeyRef"]["name"]
        for one in pod("judge", production=True)["spec"]["containers"][0]["env"]
    ]
    assert named == ["judge-redis", "judge-keys", "judge-keys"]
    assert deployment["spec"]["selector"]["matchLabels"] == {"app.kubernetes.io/name": "judge"}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"production": True, "keys": {"values": {"OPENAI_API_KEY": "k"}}}, "CRS_EVAL_API_KEYS"),
        ({"keys": {"secret": "mine", "values": KEYS}}, "give one of them"),
        ({"ingress": {"enabled": True}}, "ingress.host"),
        ({"production": True, "redis": {"enabled": False}}, "redis.cidr"),
        ({"redis": {"enabled": False, "cidr": "redis.internal"}}, "redis.cidr"),
        ({"redis": {"enabled": False, "cidr": "10.20.0.500/32"}}, "redis.cidr"),
        ({"httpRoute": {"enabled": True}}, "httpRoute.hostnames"),
        ({"autoscaling": {"by": "memory"}}, "autoscaling.by"),
        ({"setings": {}}, "setings"),
        ({"settings": {"REDIS_URL": "redis://x"}}, "REDIS_URL"),
    ],
)
def test_what_cannot_be_meant_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        chart.template("crs-eval", values)


def test_production_starts_no_pod_without_keys() -> None:
    references = {
        one["name"]: one["valueFrom"]["secretKeyRef"]
        for one in pod(production=True, keys={"secret": "mine"})["spec"]["containers"][0]["env"]
    }
    for name in KEYS:
        assert references[name] == {"name": "mine", "key": name}
    settings = one("ConfigMap", production=True, redis={"enabled": False, "cidr": chart.REDIS_CIDR})["data"]
    assert settings["CRS_EVAL_ENV"] == "production"
    assert read_settings(settings | KEYS).env == "production"


def test_keys_become_a_secret_and_new_ones_new_pods() -> None:
    values: dict[str, Any] = {"redis": {"enabled": False}, "keys": {"values": KEYS}}
    assert one("Secret", **values)["stringData"] == KEYS
    other = {**values, "keys": {"values": {**KEYS, "OPENAI_API_KEY": "k"}}}
    sums = {pod(**each)["metadata"]["annotations"]["checksum/settings"] for each in (values, other)}
    assert len(sums) == 2


def test_values_name_the_image_who_may_come_and_what_pods_have() -> None:
    digest = "sha256:" + "0" * 64
    peers = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "traefik"}}}]
    spec = pod(
        image={"repository": "registry.example/crs-eval", "digest": digest},
        pod={"nodeSelector": {"disk": "ssd"}, "volumes": [{"name": "catalogs", "emptyDir": {}}]},
        container={"volumeMounts": [{"name": "catalogs", "mountPath": "/catalogs"}]},
        settings={"CRS_EVAL_CATALOGS": "/catalogs", "CRS_EVAL_MAX_REQUESTS": 64},
    )["spec"]
    [container] = spec["containers"]
    assert container["image"] == f"registry.example/crs-eval@{digest}"
    assert spec["nodeSelector"] == {"disk": "ssd"}
    assert [one["name"] for one in spec["volumes"]] == ["tmp", "catalogs"]
    assert [one["mountPath"] for one in container["volumeMounts"]] == ["/tmp", "/catalogs"]
    policy = one("NetworkPolicy", redis={"enabled": False}, networkPolicy={"from": peers})
    assert policy["spec"]["ingress"] == [{"from": peers, "ports": [{"port": "http"}]}]


def test_live_workers_and_redis_get_what_the_service_gets() -> None:
    more = {
        "pod": {"nodeSelector": {"disk": "ssd"}},
        "container": {"resources": {"limits": {"memory": "3Gi"}}},
        "podAnnotations": {"team": "search"},
    }
    values: dict[str, Any] = {
        **more,
        "image": {"pullSecrets": [{"name": "registry"}]},
        "keys": {"values": KEYS},
        "live": {
            **more,
            "enabled": True,
            "secret": "mine",
            "autoscaling": {"enabled": True, "maxReplicas": 4},
        },
        "redis": {**more, "tls": True, "password": "p"},
        "monitoring": {"enabled": True, "from": [{"podSelector": {"matchLabels": {"app": "agent"}}}]},
    }
    manifests = chart.template("judge", values)
    assert validate_k8s.cross_faults(manifests) == []
    assert [fault for manifest in manifests for fault in validate_k8s.faults_of(manifest)] == []
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in manifests}
    changed = {
        (one["kind"], one["metadata"]["name"]): one
        for one in chart.template("judge", {**values, "settings": {"CRS_EVAL_MAX_REQUESTS": 64}})
    }
    for name in ("judge", "judge-live", "judge-redis"):
        template = by_name["Deployment", name]["spec"]["template"]
        [container] = template["spec"]["containers"]
        assert template["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        assert template["spec"]["nodeSelector"] == {"disk": "ssd"}
        assert container["resources"]["limits"]["memory"] == "3Gi"
        sums = {
            side["Deployment", name]["spec"]["template"]["metadata"]["annotations"]["checksum/settings"]
            for side in (by_name, changed)
        }
        assert (template["metadata"]["annotations"]["team"], len(sums)) == (
            "search",
            1 if name == "judge-redis" else 2,
        )
    live = by_name["Deployment", "judge-live"]["spec"]
    [container] = live["template"]["spec"]["containers"]
    secrets = {one["name"]: one["valueFrom"]["secretKeyRef"]["name"] for one in container["env"]}
    assert secrets.pop("CRS_EVAL_REDIS_PASSWORD") == "judge-redis"
    assert set(secrets.values()) == {"mine"}
    assert "replicas" not in live
    assert by_name["HorizontalPodAutoscaler", "judge-live"]["spec"]["maxReplicas"] == 4
    reaching = by_name["NetworkPolicy", "judge-redis"]["spec"]["ingress"][0]["from"]
    assert {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "judge-live"}}} in reaching
    scraping = by_name["NetworkPolicy", "judge-live"]["spec"]["ingress"][-1]["from"]
    assert scraping == values["monitoring"]["from"]


def test_a_redis_outside_the_cluster_is_a_rule_of_the_network_policy() -> None:
    policy = one("NetworkPolicy", redis={"enabled": False, "cidr": "10.20.0.5/32", "port": 6380})
    rule = {"to": [{"ipBlock": {"cidr": "10.20.0.5/32"}}], "ports": [{"port": 6380}]}
    assert rule in policy["spec"]["egress"]
    elsewhere = one("NetworkPolicy", production=True, redis={"enabled": False, "cidr": "none"})
    assert "ipBlock" not in str(elsewhere["spec"]["egress"][-1])
    assert one("NetworkPolicy", redis={"enabled": False, "cidr": "fd00:1::/64"})


@pytest.mark.parametrize(
    ("by", "target"),
    [
        ("cpu", {"type": "Utilization", "averageUtilization": 50}),
        ("calls", {"type": "AverageValue", "averageValue": "50"}),
    ],
)
def test_an_autoscaler_takes_its_bounds_from_values(by: str, target: dict[str, Any]) -> None:
    scaler = one(
        "HorizontalPodAutoscaler", autoscaling={"enabled": True, "by": by, "maxReplicas": 9, "target": 50}
    )
    [metric] = scaler["spec"]["metrics"]
    assert (scaler["spec"]["minReplicas"], scaler["spec"]["maxReplicas"]) == (3, 9)
    assert metric[metric["type"].lower()]["target"] == target
    assert validate_k8s.faults_of(scaler) == []
