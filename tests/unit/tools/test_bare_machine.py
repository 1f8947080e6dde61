"""The bare machine has what README.md asks for, and nothing else; neither does its environment."""

import os
import re
import subprocess
from pathlib import Path

from tools.service_process import ROOT

SCRIPT = ROOT / "tools" / "bare_machine.sh"


def test_it_has_the_packages_that_the_readme_names() -> None:
    readme = " ".join((ROOT / "README.md").read_text().split())
    named = re.search(r"need Linux with python3 \(3\.11 or later\), ([^.]+)\.", readme)
    needed = re.search(r"^NEEDED=(.+)$", SCRIPT.read_text(), re.MULTILINE)
    assert named
    assert needed
    assert needed[1].split(",") == ["python3", *re.split(r", | and ", named[1])]


def test_it_takes_from_the_environment_what_leads_to_package_indexes(tmp_path: Path) -> None:
    given = {"PIP_INDEX_URL": "http://a b", "https_proxy": "p", "OPENAI_API_KEY": "k", "PYTHONPATH": "x"}
    done = subprocess.run(
        ["bash", "-c", ". tools/index_settings.sh && index_settings"],
        cwd=ROOT,
        env={**given, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split("\0")) == ["", "PIP_INDEX_URL=http://a b", "https_proxy=p"]
