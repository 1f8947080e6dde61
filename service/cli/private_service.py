"""A service of one's own: started on a free port, stopped with its starter.

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

PACKAGE = __name__.partition(".")[0]
SECONDS_TO_START = 180
REFUSES_SETTINGS = 2
"""The exit code of a service that cannot start as configured (`service.main.serve`)."""


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class MisconfiguredError(RuntimeError):
    """The service refuses its settings; the message says which, and what to change."""


@contextlib.contextmanager
def running(environment: Mapping[str, str], log: Path | None = None) -> Iterator[str]:
    """Runs the service with this whole environment; yields its base URL. Its log goes to `log`.

    Raises RuntimeError, with what the service printed, where it does not become ready in three minutes;
    MisconfiguredError where it refuses its settings."""
    from ..settings import CLIENT_VARIABLES

    port = free_port()
    with log.open("ab+") if log else tempfile.TemporaryFile() as sink:  # an unread pipe would fill up
        own = _importable({k: v for k, v in environment.items() if k not in CLIENT_VARIABLES})
        process = start(["--port", str(port), "--until-input-closes"], own, sink)
        try:
            _wait(port, process, sink)
            yield f"http://127.0.0.1:{port}"
        finally:
            _stop(process)


def start(
    arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Start the service with these arguments and this whole environment, its input a pipe, and do not wait for it."""
    return subprocess.Popen(  # noqa: S603 - this interpreter, this package
        [sys.executable, "-P", "-m", PACKAGE, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,  # an interrupt is for the command, which drains what is under way
    )


def _importable(environment: dict[str, str]) -> dict[str, str]:
    """The same environment, in which the child finds this very package, wherever it was started."""
    parent = str(Path(__file__).resolve().parents[2])
    if PACKAGE == "service":
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (parent, environment.get("PYTHONPATH"))))
    return environment


def _wait(port: int, process: "subprocess.Popen[bytes]", log: IO[bytes]) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            log.seek(0)
            printed = log.read().decode(errors="replace").strip()
            if process.returncode == REFUSES_SETTINGS:
                raise MisconfiguredError(printed.removeprefix("crs-eval: "))
            raise RuntimeError(f"the service stopped with {process.returncode}: {printed}")
        if answers(port):
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
