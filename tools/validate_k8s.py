"""Checks every manifest under k8s/ against Kubernetes' own schemas, strictly."""

import sys
from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import yaml

ROOT = Path(__file__).parent.parent / "k8s"
VERSION = "1.34"
# Kustomize's own files are no API objects: what they name must exist, which is checked instead.
KUSTOMIZE = "kustomize.config.k8s.io/"


def documents() -> Iterator[tuple[Path, dict[str, object]]]:
    """Every YAML document below k8s/ with its file."""
    for path in sorted(ROOT.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            yield path, document


def main() -> int:
    """Print each fault; the number of faults decides the exit code."""
    faults = 0
    checked = 0
    for path, document in documents():
        checked += 1
        if str(document.get("apiVersion", "")).startswith(KUSTOMIZE):
            resources = document.get("resources")
            missing = (
                [n for n in resources if not (path.parent / n).exists()]
                if isinstance(resources, list)
                else []
            )
            if missing or not resources:
                faults += 1
                print(f"{path}: resources that do not exist: {missing}")
            continue
        try:
            kubernetes_validate.validate(document, VERSION, strict=True)
        except kubernetes_validate.ValidationError as error:
            faults += 1
            print(f"{path}: {'.'.join(map(str, error.path))}: {error.message}")
    print(f"k8s: {checked} documents, {faults} faults")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
