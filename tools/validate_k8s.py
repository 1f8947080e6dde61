"""Checks every manifest under k8s/: Kubernetes' own schemas, strictly; our own for kinds that are not Kubernetes' own;
each overlay and component as it is rendered; what its manifests say of one another; and that the Helm chart gives the
same."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import yaml

from service.llm.providers import providers
from service.settings import Settings, address_variable
from tools import chart, kustomize
from tools.custom_resources import SCHEMAS
from tools.toolchains import UnavailableError

ROOT = Path(__file__).parent.parent / "k8s"
VERSION = "1.37"
# Kustomize's own files are no API objects: what they name must exist, which is checked instead.
KUSTOMIZE = "kustomize.config.k8s.io/"
Document = dict[str, Any]


def documents() -> Iterator[tuple[str, Document]]:
    """Yield every manifest below k8s/ with its file; patches, promtool's tests and the chart are no manifests."""
    patches = set(_patches())
    for path in sorted(ROOT.rglob("*.yaml")):
        if path.parent.name == "tests" or path in patches or chart.CHART in path.parents:
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


def faults_of(document: Document, folder: Path | None = None) -> list[str]:
    """Return what is wrong with one manifest by its schema."""
    if str(document.get("apiVersion", "")).startswith(KUSTOMIZE):
        return _missing(document, folder or ROOT)
    if schema := SCHEMAS.get((document.get("apiVersion"), document.get("kind"))):
        found = jsonschema.Draft202012Validator(schema).iter_errors(document)
        return [f"{'.'.join(map(str, error.path))}: {error.message}" for error in found]
    try:
        kubernetes_validate.validate(document, VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{'.'.join(map(str, error.path))}: {error.message}"]
    return []


def _missing(document: Document, folder: Path) -> list[str]:
    named = [*document.get("resources", ()), *document.get("components", ())]
    faults = [f"no such resource: {name}" for name in named if not (folder / name).exists()]
    return faults if named or document.get("patches") else ["names nothing"]


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
    faults = [
        f"{place}: {fault}"
        for place, document in found
        for fault in faults_of(document, (ROOT / place).parent)
    ]
    installs = rendered()
    # Most manifests are those of other installs too, and a schema takes its time.
    seen = [document for _, document in found]
    for place, manifests in installs.items():
        for one in manifests:
            if one not in seen:
                seen.append(one)
                faults += [f"{place}: {one['kind']}: {fault}" for fault in faults_of(one)]
        faults += [f"{place}: {fault}" for fault in cross_faults(manifests)]
    try:
        faults += chart.faults()
        how = "the chart gives the same"
    except UnavailableError as reason:
        how = f"the chart was not compared: {reason}"
    for fault in faults:
        print(fault)
    print(f"k8s: {len(found)} documents, {len(installs)} installs, {how}, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
