"""The part of kustomize that `k8s/` uses: resources, components, patches, ConfigMaps of files. A test holds it to
kubectl's own kustomize where there is one; everywhere else it lets the overlays be checked all the same."""

import copy
from collections.abc import Iterable
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import yaml

Document = dict[str, Any]
FILE = "kustomization.yaml"
# The lists that Kubernetes merges by an entry's name; others are replaced.
MERGED_BY = {"containers": "name", "volumes": "name", "env": "name", "volumeMounts": "mountPath"}


def render(folder: Path) -> list[Document]:
    """Return the manifests that a folder with a kustomization gives."""
    return combine(folder, yaml.safe_load((folder / FILE).read_text()))


def combine(folder: Path, kustomization: Document, before: Iterable[Document] = ()) -> list[Document]:
    """Return the manifests of a kustomization whose paths begin at `folder`, after those that it is applied to."""
    manifests = [*before]
    for name in kustomization.get("resources", ()):
        path = folder / name
        manifests += render(path) if path.is_dir() else yaml.safe_load_all(path.read_text())
    for name in kustomization.get("components", ()):
        path = folder / name
        manifests = combine(path, yaml.safe_load((path / FILE).read_text()), manifests)
    manifests += [_of_files(folder, one) for one in kustomization.get("configMapGenerator", ())]
    for patch in kustomization.get("patches", ()):
        manifests = _patched(manifests, folder, patch)
    return manifests


def _of_files(folder: Path, generator: Document) -> Document:
    entries = dict(one.split("=") for one in generator["files"])
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": generator["name"], "labels": generator["options"]["labels"]},
        "data": {name: (folder / file).read_text() for name, file in entries.items()},
    }


def _patched(manifests: list[Document], folder: Path, patch: Document) -> list[Document]:
    if "path" in patch:
        change = yaml.safe_load((folder / patch["path"]).read_text())
        target = {"kind": change["kind"], "name": change["metadata"]["name"]}
    else:
        change, target = yaml.safe_load(patch["patch"]), patch["target"]
    found = [one for one in manifests if _names(one) == target]
    if not found:
        raise ValueError(f"a patch of {target['kind']} {target['name']} finds no such manifest")
    return [
        (_merged(one, change) if "path" in patch else _stepped(one, change)) if one in found else one
        for one in manifests
    ]


def _names(manifest: Document) -> Document:
    return {"kind": manifest["kind"], "name": manifest["metadata"]["name"]}


def _merged(old: Any, change: Any, field: str = "") -> Any:
    if isinstance(old, dict) and isinstance(change, dict):
        return {**old, **{name: _merged(old.get(name), value, name) for name, value in change.items()}}
    if isinstance(old, list) and (key := MERGED_BY.get(field)):
        changes = {entry[key]: entry for entry in change}
        kept = [_merged(entry, changes.pop(entry[key], {})) for entry in old]
        return [*kept, *changes.values()]
    return change


def _stepped(manifest: Document, steps: Iterable[Document]) -> Document:
    """Apply a JSON patch that removes members, or appends to lists. Raises ValueError for any other step."""
    manifest = copy.deepcopy(manifest)
    for step in steps:
        *way, last = step["path"].removeprefix("/").split("/")
        place: Any = reduce(getitem, way, manifest)
        if step["op"] == "remove":
            del place[last]
        elif last == "-":
            place.append(step["value"])
        else:
            raise ValueError(f"{step['op']} {step['path']}: a patch removes, or appends to a list")
    return manifest
