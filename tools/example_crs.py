"""The example recommender for a tool's or a test's own use: started on a free port, stopped after."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence

from tools.service_process import ROOT, free_port, wait_for

SERVER = ROOT / "examples" / "crs" / "server.py"


@contextlib.contextmanager
def running_crs(weaknesses: Sequence[str] = ()) -> Iterator[str]:
    """Runs `examples/crs/server.py` with some weaknesses; yields its base URL.

    Raises RuntimeError where it does not answer within three minutes."""
    port = free_port()
    flags = [flag for weakness in weaknesses for flag in ("--weakness", weakness)]
    process = start(["--port", str(port), *flags])
    try:
        wait_for(port, process, path="/items/films")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def start(arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start it with these arguments, and do not wait for it."""
    return subprocess.Popen([sys.executable, str(SERVER), *arguments], stdout=subprocess.DEVNULL)
