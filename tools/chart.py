"""The Helm chart: what it gives, beside what kustomize gives of the same manifests, and the archive that is published.

`python -m tools.chart FOLDER` writes the archive, the same bytes every time."""

import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from service import __version__
from tools import kustomize
from tools.release.archives import packed
from tools.toolchains import UnavailableError, helm

ROOT = Path(__file__).parent.parent / "k8s"
CHART = ROOT / "chart"
# The oldest Kubernetes that Chart.yaml allows.
KUBERNETES = "1.30.0"
PRODUCTION = CHART / "values-production.yaml"
REDIS_CIDR = "10.20.0.5/32"
"""In place of the network that operators have to name."""
Document = dict[str, Any]


@dataclass(frozen=True)
class Install:
    """One way to install: values of the chart, and the overlay with components that gives the same."""

    name: str
    overlay: str
    components: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def from_kustomize(self) -> list[Document]:
        """Return the manifests that kustomize gives."""
        text = json.dumps(kustomize.combine(ROOT, self.kustomization()))
        return list(json.loads(text.replace("REDIS_CIDR", REDIS_CIDR)))

    def kustomization(self) -> Document:
        """Return the kustomization, whose paths begin at `k8s/`."""
        components = [f"components/{name}" for name in self.components]
        return {"resources": [f"overlays/{self.overlay}"], "components": components}

    def from_helm(self, chart: Path = CHART) -> list[Document]:
        """Return the manifests that the chart gives. Raises ValueError with Helm's words where it gives none."""
        if self.overlay != "production":
            return template("crs-eval", self.values, (), chart)
        values = {**self.values, "redis": {"cidr": REDIS_CIDR, **self.values.get("redis", {})}}
        return template("crs-eval", values, [PRODUCTION], chart)


_HOST = "crs-eval.example"
INSTALLS = (
    Install("small", "small"),
    Install("production", "production"),
    Install("redis over TLS", "small", ["redis-tls"], {"redis": {"tls": True}}),
    Install("a Redis of an own authority", "production", ["redis-ca"], {"redis": {"ca": True}}),
    Install(
        "live by CPU, TLS, monitored",
        "small",
        ["live", "live-autoscaling", "redis-tls", "monitoring"],
        {
            "live": {"enabled": True, "autoscaling": {"enabled": True}},
            "redis": {"tls": True},
            "monitoring": {"enabled": True},
        },
    ),
    Install("by CPU", "small", ["autoscaling-cpu"], {"autoscaling": {"enabled": True}}),
    Install("by calls", "small", ["autoscaling-calls"], {"autoscaling": {"enabled": True, "by": "calls"}}),
    Install("ingress", "small", ["ingress"], {"ingress": {"enabled": True, "host": _HOST}}),
    Install("route", "small", ["httproute"], {"httpRoute": {"enabled": True, "hostnames": [_HOST]}}),
    Install("monitored", "small", ["monitoring"], {"monitoring": {"enabled": True}}),
)


def template(
    release: str, values: Mapping[str, Any], files: Iterable[Path] = (), chart: Path = CHART
) -> list[Document]:
    """Return the manifests of the chart with these values. Raises ValueError with Helm's words."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as given:
        yaml.safe_dump(dict(values), given)
        given.flush()
        named = [word for path in [*files, Path(given.name)] for word in ("--values", str(path))]
        said = _helm("template", release, str(chart), "--kube-version", KUBERNETES, *named)
    return [document for document in yaml.safe_load_all(said) if document]


def _helm(*words: str) -> str:
    done = subprocess.run([helm(), *words], check=False, capture_output=True, text=True)
    if done.returncode:
        # Helm tells of the chart's links on standard error too.
        lines = (done.stdout + done.stderr).splitlines()
        raise ValueError("\n".join(line for line in lines if "symbolic link" not in line))
    return done.stdout


def differences(ours: Iterable[Document], theirs: Iterable[Document]) -> list[str]:
    """Return the manifests that differ, or that one side lacks, as lines. The chart's checksum of the settings does not
    count, nor the order of lists that Kubernetes merges by name."""
    sides = [
        {f"{one['kind']} {one['metadata']['name']}": _ordered(one) for one in side} for side in (ours, theirs)
    ]
    names = sorted(set(sides[0]) | set(sides[1]))
    return [f"{name} differs" for name in names if sides[0].get(name) != sides[1].get(name)]


def _ordered(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        kept = {key: _ordered(entry, key) for key, entry in value.items() if key != "checksum/settings"}
        return {key: entry for key, entry in kept.items() if key != "annotations" or entry}
    if isinstance(value, list) and (key := kustomize.MERGED_BY.get(name)):
        return sorted((_ordered(entry) for entry in value), key=lambda entry: str(entry[key]))
    return [_ordered(entry) for entry in value] if isinstance(value, list) else value


def archive() -> bytes:
    """Return the chart as it is published: links followed, no owner and no time, so that it is the same bytes each time."""
    files = [
        (tarfile.TarInfo(f"crs-eval/{path.relative_to(CHART)}"), path.read_bytes()) for path in _files(CHART)
    ]
    return packed(files, 0)


def _files(folder: Path) -> list[Path]:
    left_out = {kustomize.FILE, "tests"}
    found: list[Path] = []
    # Chart.yaml comes first, where readers of archives look for it.
    for path in sorted(folder.iterdir(), key=lambda path: (path.name != "Chart.yaml", path.name)):
        if path.name not in left_out:
            found += _files(path) if path.is_dir() else [path]
    return found


def main(folder: Path) -> int:
    """Write the archive. Returns the exit code: 1 where Helm does not take it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"crs-eval-{__version__}.tgz"
    target.write_bytes(archive())
    try:
        _helm("lint", "--strict", str(target))
    except UnavailableError as reason:
        print(f"{target} was not tried: {reason}", file=sys.stderr)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
