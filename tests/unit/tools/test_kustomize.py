"""The part of kustomize that is ours gives what kubectl's kustomize gives."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tools import chart, kustomize


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


def write(folder: Path, **files: object) -> Path:
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content))
    return folder


def deployment(**container: object) -> kustomize.Document:
    pod = {"containers": [{"name": "one", **container}]}
    return {"kind": "Deployment", "metadata": {"name": "a"}, "spec": {"template": {"spec": pod}}}


def test_a_patch_adds_to_lists_that_have_names_and_replaces_others(tmp_path: Path) -> None:
    before = deployment(args=["x"], env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}])
    patch = deployment(args=["y"], env=[{"name": "B", "value": "3"}, {"name": "C", "value": "4"}])
    write(tmp_path, before=before, patch=patch)
    [after] = kustomize.combine(tmp_path, {"resources": ["before.yaml"], "patches": [{"path": "patch.yaml"}]})
    [container] = after["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["y"]
    assert {one["name"]: one["value"] for one in container["env"]} == {"A": "1", "B": "3", "C": "4"}


def test_a_patch_of_nothing_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, patch=deployment())
    with pytest.raises(ValueError, match="Deployment a finds no such manifest"):
        kustomize.combine(tmp_path, {"patches": [{"path": "patch.yaml"}]})
