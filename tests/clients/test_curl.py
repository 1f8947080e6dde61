"""The call that README.md shows first, made by curl in a shell, as a reader would."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.journey import SAID, with_said
from tools import toolchains
from tools.readme_example import README


@pytest.mark.parametrize("status", SAID)
def test_the_call_in_the_readme(status: str, have: Callable[[Callable[[], Path]], Path], url: str) -> None:
    have(toolchains.curl)
    shown = re.findall(r"^    (curl .*?}')$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(shown) == 1
    call = with_said(shown[0].replace("localhost:8000", url), SAID[status])
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["status"] == status
