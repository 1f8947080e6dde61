"""A service process for a tool or a test: started on a free port, stopped with its starter.

It serves until its standard input closes, so that not even a killed parent leaves a service behind."""

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from service.settings import CLIENT_VARIABLES

ROOT = Path(__file__).parent.parent
SECONDS_TO_START = 180


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running_service(settings: Mapping[str, str]) -> Iterator[str]:
    """Runs the service with these settings (names without the prefix) and none of the surroundings';
    yields its base URL. Raises RuntimeError, with what the service printed, where it does not start."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
    with running({**inherited, **{f"CRS_EVAL_{name}": value for name, value in settings.items()}}) as url:
        yield url


def with_children(pid: int) -> Iterator[int]:
    """Yield a process, those that it started, and theirs."""
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from with_children(int(child))


@contextlib.contextmanager
def running(environment: Mapping[str, str], log: Path | None = None) -> Iterator[str]:
    """Runs the service with this whole environment; yields its base URL. Its log goes to `log`.

    Raises RuntimeError, with what the service printed, where it does not become ready in three minutes."""
    port = free_port()
    with log.open("ab+") if log else tempfile.TemporaryFile() as sink:  # an unread pipe would fill up
        own = {name: value for name, value in environment.items() if name not in CLIENT_VARIABLES}
        own["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), own.get("PYTHONPATH"))))
        process = start(["--port", str(port), "--until-input-closes"], own, sink)
        try:
            wait_for(port, process, sink)
            yield f"http://127.0.0.1:{port}"
        finally:
            _stop(process)


def start(
    arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Start the service with these arguments and this whole environment, its input a pipe, and do not wait for it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "service", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,  # an interrupt is for the tool
    )


def wait_for(
    port: int, process: "subprocess.Popen[bytes]", log: IO[bytes] | None = None, path: str = "/readyz"
) -> None:
    """Wait until a server answers. Raises RuntimeError, with what it printed into `log`, where it does not in three minutes."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            printed = ""
            if log is not None:
                log.seek(0)
                printed = log.read().decode(errors="replace").strip()
            raise RuntimeError(f"the service stopped with {process.returncode}: {printed}")
        if answers(port, path):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the service did not become ready within {SECONDS_TO_START} s")


def answers(port: int, path: str = "/readyz") -> bool:
    """Return True where a server on this port of the machine answers a GET with 200.

    A waiting caller asks often: this makes no TLS context, which takes a client longer than the question."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_TO_START)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin:
        process.stdin.close()
