"""A private service for a tool's own use: started on a free port, stopped with the tool."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import httpx2

ROOT = Path(__file__).parent.parent


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running_service(settings: Mapping[str, str]) -> Iterator[str]:
    """Runs `python -m service` with these settings (names without the prefix); yields its base URL.

    Raises RuntimeError, with what the service printed, where it does not become ready in 30 s."""
    port = free_port()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
    environment = {**inherited, **{f"CRS_EVAL_{name}": value for name, value in settings.items()}}
    with tempfile.TemporaryFile() as log:  # a pipe that nobody reads would fill up and stop the service
        process = subprocess.Popen(
            [sys.executable, "-m", "service", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stderr=log,
            stdout=subprocess.DEVNULL,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"the service stopped with {process.returncode}: {log.read().decode()}")
        with contextlib.suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/readyz").status_code == 200:
                return
        time.sleep(0.05)
    raise RuntimeError("the service did not become ready within 30 s")
