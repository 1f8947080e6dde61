"""Checks every manifest under k8s/: Kubernetes' own schemas, strictly; our own for the Prometheus
operator's kinds; what the manifests say of one another; and, with kustomize or kubectl at hand, each
overlay as it is rendered."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import yaml

from service.settings import Settings
from tools.prometheus_operator import SCHEMAS

ROOT = Path(__file__).parent.parent / "k8s"
VERSION = "1.37"
# Kustomize's own files are no API objects: what they name must exist, which is checked instead.
KUSTOMIZE = "kustomize.config.k8s.io/"
Document = dict[str, Any]


def documents() -> Iterator[tuple[str, Document]]:
    """Every manifest below k8s/ with its file; patches and promtool's tests are no manifests."""
    patches = set(_patches())
    for path in sorted(ROOT.rglob("*.yaml")):
        if path.parent.name == "tests" or path in patches:
            continue
        for document in yaml.safe_load_all(path.read_text()):
            yield str(path.relative_to(ROOT)), document


def _patches() -> Iterator[Path]:
    for path in ROOT.rglob("kustomization.yaml"):
        for patch in yaml.safe_load(path.read_text()).get("patches", ()):
            if "path" in patch:
                yield path.parent / patch["path"]


def rendered() -> Iterator[tuple[str, Document]]:
    """Every manifest of every overlay, as kustomize puts it together; none without kustomize."""
    for overlay in sorted((ROOT / "overlays").iterdir()):
        if (command := _kustomize()) is None:
            return
        done = subprocess.run([*command, str(overlay)], check=False, capture_output=True, text=True)
        if done.returncode:
            yield f"overlays/{overlay.name}", {"kind": "Kustomization", "error": done.stderr.strip()}
            continue
        for document in yaml.safe_load_all(done.stdout):
            yield f"overlays/{overlay.name}", document


def _kustomize() -> list[str] | None:
    if shutil.which("kustomize"):
        return ["kustomize", "build"]
    return ["kubectl", "kustomize"] if shutil.which("kubectl") else None


def faults_of(document: Document, folder: Path | None = None) -> list[str]:
    """What is wrong with one manifest by its schema."""
    if "error" in document:
        return [str(document["error"])]
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
    return faults if named else ["names no resources"]


def cross_faults(manifests: Iterable[Document]) -> list[str]:
    """What the manifests of one install say of one another, where no schema can know it."""
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
    known = {f"CRS_EVAL_{name.upper()}" for name in Settings.plain_names()}
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
    overlays: dict[str, list[Document]] = {}
    for place, document in rendered():
        overlays.setdefault(place, []).append(document)
        faults += [f"{place}: {document['kind']}: {fault}" for fault in faults_of(document)]
    for place, manifests in overlays.items():
        faults += [f"{place}: {fault}" for fault in cross_faults(manifests)]
    for fault in faults:
        print(fault)
    how = (
        f"{len(overlays)} overlays rendered"
        if overlays
        else "overlays not rendered: no kustomize, no kubectl"
    )
    print(f"k8s: {len(found)} documents, {how}, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
