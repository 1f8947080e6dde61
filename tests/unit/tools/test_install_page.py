"""Commands of docs/install.md are what the chart, kustomize and the image take."""

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import yaml

from tools import chart
from tools.toolchains import helm

PAGE = (chart.ROOT.parent / "docs" / "install.md").read_text()


def commands(program: str) -> list[list[str]]:
    """The words of each command of the page, with made-up values for the shell's variables."""
    lines = re.sub(r"\\\n\s+", "", PAGE).splitlines()
    found = [line.removeprefix("$ ") for line in lines if line.startswith(f"$ {program} ")]
    filled = (
        re.sub(r"\$\(.*?\)\"|\$\w+", lambda got: "v" * 40 + ('"' if got[0].endswith('"') else ""), one)
        for one in found
    )
    return [shlex.split(one) for one in filled]


def test_helm_takes_its_lines(have: Callable[[Callable[[], Path]], Path]) -> None:
    program = have(helm)
    lines = commands("helm install")
    assert len(lines) == 2
    for _, _, name, *words in lines:
        done = subprocess.run(
            [program, "template", name, *words, "--kube-version", chart.KUBERNETES],
            cwd=chart.ROOT.parent,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        secrets = [one for one in yaml.safe_load_all(done.stdout) if one and one["kind"] == "Secret"]
        assert bool(secrets) == any("keys.values" in word for word in words)


def test_overlays_and_components_are_those_that_there_are() -> None:
    assert {line[-1] for line in commands("kubectl apply")} == {
        "k8s/overlays/small",
        "k8s/overlays/production",
    }
    table = re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)
    assert set(table) == {path.name for path in (chart.ROOT / "components").iterdir()}
