"""The makefile of `research/`: its targets run modules that exist, from wherever it is called."""

import re
from importlib.util import find_spec

from tools.service_process import ROOT

MAKEFILE = ROOT / "research/Makefile"


def test_every_target_runs_a_module_that_exists() -> None:
    modules = re.findall(r"-m (research\.\w+)", MAKEFILE.read_text())
    assert len(modules) > 5
    assert [name for name in modules if find_spec(name) is None] == []
