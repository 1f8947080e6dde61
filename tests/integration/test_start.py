"""Modules that a start loads, and those that it leaves for later."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STARTED = """
import sys, uvicorn
from service.__main__ import main
unwanted = ("httpx2", "openai", "anthropic", "redis", "onnxruntime")
uvicorn.Server.run = lambda _: print([name for name in unwanted if name in sys.modules])
main(["--port", "0"])
"""


def test_a_start_loads_nothing_that_is_not_wanted_yet() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED], cwd=ROOT, env={}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
