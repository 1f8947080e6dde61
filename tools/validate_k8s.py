"""Checks every manifest under k8s/: Kubernetes' own schemas, strictly; the fields of kinds that are not Kubernetes' own;
each overlay and component as it is rendered; and what its manifests say of one another."""

import sys
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

from service.llm.providers import providers
from service.settings import Settings, address_variable
from tools import chart, kustomize

ROOT = Path(__file__).parent.parent / "k8s"
VERSION = "1.37"
Document = dict[str, Any]
CUSTOM_FIELDS = {
    "ServiceMonitor": {
        "selector", "matchLabels", "endpoints", "port", "path", "scheme", "interval", "scrapeTimeout", "authorization", "credentials", "name", "key",
    },
    "PrometheusRule": {"groups", "name", "interval", "rules", "alert", "expr", "for", "labels", "annotations"},
    "HTTPRoute": {
        "hostnames", "parentRefs", "name", "namespace", "sectionName", "rules", "matches", "path", "type", "value", "backendRefs", "port", "timeouts", "request",
        "backendRequest",
    },
}  # fmt: skip
"""Fields that k8s/ uses of the Prometheus operator's kinds and the Gateway API's; others are taken for misspelt."""
FREE = frozenset({"matchLabels", "labels", "annotations"})
"""Fields whose own fields have any name."""


def documents() -> Iterator[tuple[str, Document]]:
    """Yield every manifest below k8s/ with its file. Patches, promtool's tests, the chart and kustomize's own files are none."""
    patches = set(_patches())
    for path in sorted(ROOT.rglob("*.yaml")):
        no_manifest = path.parent.name == "tests" or path.name == kustomize.FILE or path in patches
        if no_manifest or chart.CHART in path.parents:
            continue
        for document in yaml.safe_load_all(path.read_text()):
            yield str(path.relative_to(ROOT)), document


def _patches() -> Iterator[Path]:
    for path in ROOT.rglob(kustomize.FILE):
        for patch in yaml.safe_load(path.read_text()).get("patches", ()):
            if "path" in patch:
                yield path.parent / patch["path"]


def rendered() -> dict[str, list[Document]]:
    """Return the manifests of every overlay, and of each way to install with components, as kustomize puts them together."""
    overlays = {f"overlays/{path.name}": kustomize.render(path) for path in (ROOT / "overlays").iterdir()}
    return overlays | {one.name: one.from_kustomize() for one in chart.INSTALLS if one.components}


def faults_of(document: Document) -> list[str]:
    """Return what is wrong with one manifest by its schema."""
    if known := CUSTOM_FIELDS.get(document["kind"]):
        return list(_unknown(document["spec"], known, "spec"))
    try:
        kubernetes_validate.validate(document, VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{'.'.join(map(str, error.path))}: {error.message}"]
    return []


def _unknown(value: Any, known: Set[str], place: str) -> Iterator[str]:
    """Yield the fields below a value that are not among the known ones."""
    for one in value if isinstance(value, list) else [value]:
        for name, inner in one.items() if isinstance(one, dict) else ():
            if name not in known:
                yield f"{place}.{name}: there is no such field"
            elif name not in FREE:
                yield from _unknown(inner, known, f"{place}.{name}")


def cross_faults(manifests: Iterable[Document]) -> list[str]:
    """Return what the manifests of one install say of one another, where no schema can know it."""
    by_kind: dict[str, list[Document]] = {}
    for manifest in manifests:
        by_kind.setdefault(manifest["kind"], []).append(manifest)
    faults = _unknown_settings(by_kind.get("ConfigMap", ()))
    pods = [deployment["spec"]["template"] for deployment in by_kind.get("Deployment", ())]
    for service in by_kind.get("Service", ()):
        behind = [pod for pod in pods if _selects(service["spec"]["selector"], pod)]
        ports = {port["name"] for pod in behind for one in pod["spec"]["containers"] for port in one["ports"]}
        for port in service["spec"]["ports"]:
            if port["targetPort"] not in ports:
                faults.append(
                    f"Service {service['metadata']['name']}: no pod has a port {port['targetPort']}"
                )
    for monitor in by_kind.get("ServiceMonitor", ()):
        selector = monitor["spec"]["selector"]["matchLabels"]
        ports = {
            port["name"]
            for service in by_kind.get("Service", ())
            if _selects(selector, service)
            for port in service["spec"]["ports"]
        }
        faults += [
            f"ServiceMonitor: no selected Service has a port {endpoint['port']}"
            for endpoint in monitor["spec"]["endpoints"]
            if endpoint["port"] not in ports
        ]
    for kind in ("PodDisruptionBudget", "NetworkPolicy"):
        for manifest in by_kind.get(kind, ()):
            spec = manifest["spec"]
            selector = (spec.get("selector") or spec["podSelector"])["matchLabels"]
            if not any(_selects(selector, pod) for pod in pods):
                faults.append(f"{kind} {manifest['metadata']['name']} selects no pod")
    return faults


def _selects(selector: dict[str, str], thing: Document) -> bool:
    return bool(selector.items() <= thing["metadata"].get("labels", {}).items())


def _unknown_settings(maps: Iterable[Document]) -> list[str]:
    known = {*Settings.variables(), *map(address_variable, providers())}
    return [
        f"ConfigMap: no setting {name}"
        for found in maps
        for name in found["data"]
        if name.startswith("CRS_EVAL_")
        and name not in known
        and not name.startswith(("CRS_EVAL_JUDGE_", "CRS_EVAL_UPSTREAM_"))
    ]


def main() -> int:
    """Print each fault; the number of faults decides the exit code."""
    found = list(documents())
    faults = [f"{place}: {fault}" for place, document in found for fault in faults_of(document)]
    installs = rendered()
    # Most manifests are those of other installs too, and a schema takes its time.
    seen = [document for _, document in found]
    for place, manifests in installs.items():
        for one in manifests:
            if one not in seen:
                seen.append(one)
                faults += [f"{place}: {one['kind']}: {fault}" for fault in faults_of(one)]
        faults += [f"{place}: {fault}" for fault in cross_faults(manifests)]
    for fault in faults:
        print(fault)
    print(f"k8s: {len(found)} documents, {len(installs)} installs, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
