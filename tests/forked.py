"""Our own processes that have imported everything already: forks of one process that waits.

A fresh Python takes a quarter of a second of a core to import the command line, and a whole one for the service; tests run
hundreds of them. Starts as people make them have tests of their own (`test_start.py`, `test_service_process.py`,
`tests/smoke`)."""

import atexit
import gc
import json
import multiprocessing
import os
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from tests.forked_command import ADDRESS, ask, ended
from tools.example_crs import SERVER

ROOT = Path(__file__).parent.parent
COMMAND_LINE, SERVICE, WORKER = "service.cli.program", "service.__main__", "service.worker"
#: Modules that both import only when they run.
LATER = (
    "service.main",
    "service.cli.remote",
    "service.cli.run",
    "service.cli.conversations",
    "service.cli.outputs",
    "service.cli.gate.judgement",
    "service.calibration.report",
    "rich.progress",
    "httpx2",
    "httpcore2",
    "anyio._backends._asyncio",
    "openai.resources.chat",
)
MOST = 300
"""Seconds that a command may take."""


class Process:
    """`python -m module arguments`, or a script where `module` names one: where tests need one, what `subprocess.Popen` is.
    Files are open ones, or `subprocess.DEVNULL`; standard input may be `subprocess.PIPE`."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
        stdin: int | None = subprocess.DEVNULL,
        stdout: IO[bytes] | int | None = None,
        stderr: IO[bytes] | int | None = None,
        start_new_session: bool = False,
    ) -> None:
        self.args = [module, *map(str, arguments)]
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        with Path(os.devnull).open("r+b") as null:
            theirs: IO[bytes] = null
            if stdin == subprocess.PIPE:
                read, write = os.pipe()
                theirs, self.stdin = os.fdopen(read, "rb"), os.fdopen(write, "wb", buffering=0)
            files = [
                theirs.fileno(),
                *(_number(file, at, null) for at, file in enumerate((stdout, stderr), 1)),
            ]
            with theirs:
                self._end, self.pid = ask(
                    server(),
                    module,
                    self.args[1:],
                    str(cwd or Path.cwd()),
                    env,
                    files,
                    session=start_new_session,
                )

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        if self.stdin:
            self.stdin.close()
        self.wait()

    def poll(self) -> int | None:
        """Return how it ended; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return how it ended, once it has. Raises TimeoutExpired after `timeout` seconds."""
        if self.returncode is None:
            if timeout is not None and not select.select([self._end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout)
            self.returncode = ended(self._end)
            self._end.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Signal it while it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Tell it to stop."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def run(
    module: str, arguments: Sequence[str | Path], cwd: Path, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """`python -m module arguments` in a folder, with this whole environment and no input: its end, and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = Process(module, arguments, env=environment, cwd=cwd, stdout=out, stderr=err)
        try:
            code = process.wait(MOST)
        finally:
            process.kill()
        outputs = []
        for file in (out, err):
            file.seek(0)
            outputs.append(file.read().decode())
        return subprocess.CompletedProcess(process.args, code, *outputs)


def environment(**more: str) -> dict[str, str]:
    """The environment of the tests without settings of the service or of a CI system, and `more`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CRS_EVAL_", "GITHUB_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "160", **more}


def crs_eval(*arguments: str | Path, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """`crs-eval arguments` in a folder, with `more` of the environment: its end, and what it printed."""
    return run(COMMAND_LINE, arguments, cwd, environment(**more))


def exits(code: int, *arguments: str | Path, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """`crs_eval`, which must end with this code."""
    done = crs_eval(*arguments, cwd=cwd, **more)
    assert done.returncode == code, done.stderr
    return done


def start_service(arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> Process:
    """Start a service as `service_process.start` does, as a fork."""
    return Process(
        SERVICE, arguments, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
        start_new_session=True,
    )  # fmt: skip


def start_crs(arguments: Sequence[str]) -> Process:
    """Start the example recommender as `example_crs.start` does, as a fork."""
    return Process(str(SERVER), arguments, env=os.environ, stdout=subprocess.DEVNULL)


def put_on_path(folder: Path) -> Mapping[str, str]:
    """Write the command `crs-eval` into a folder, for the front of `PATH`. Returns what it needs of the environment."""
    script = folder / "crs-eval"
    own = Path(__file__).with_name("forked_command.py")
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{own}" "$@"\n')
    script.chmod(0o755)
    return {ADDRESS: server()}


def _number(file: IO[bytes] | int | None, own: int, null: IO[bytes]) -> int:
    if isinstance(file, int):
        return null.fileno() if file == subprocess.DEVNULL else file
    return own if file is None else file.fileno()


@cache
def server() -> str:
    """Start the fork server of this process, and return its address."""
    folder = tempfile.TemporaryDirectory(prefix="forks-")
    address = str(Path(folder.name, "socket"))
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, address],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return address


def serve(address: str) -> None:
    """Fork for each connection, and say on it how the fork ended, until standard input closes."""
    for name in (COMMAND_LINE, SERVICE, WORKER, *LATER):
        import_module(name)
    # Workers of all services are forks of one process too, which ends with this one.
    multiprocessing.set_forkserver_preload([WORKER])
    forkserver.ensure_running()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    wakes, woken = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for pytest, which closes our input
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    # Forks share the pages of what is imported as long as no collector writes to them.
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    forks: dict[int, socket.socket] = {}
    waited: list[Any] = [0, listener, wakes]
    while True:
        ready, _, _ = select.select(waited, [], [])
        if 0 in ready:
            break
        if wakes in ready:
            os.read(wakes, 4096)
            _tell(forks)
        if listener in ready:
            connection, _ = listener.accept()
            size, files, _, _ = socket.recv_fds(connection, 4, 3)
            asked = connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
            pid = os.fork()
            if pid == 0:
                for ours in (listener, connection, *forks.values()):
                    ours.close()
                os.close(wakes)
                _become(files, *json.loads(asked))
            for file in files:
                os.close(file)
            forks[pid] = connection
            with suppress(OSError):
                connection.sendall(pid.to_bytes(4, "big"))
    for pid in forks:
        os.kill(pid, signal.SIGKILL)


def _tell(forks: dict[int, socket.socket]) -> None:
    while forks:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with forks.pop(pid) as connection, suppress(OSError):  # who asked may be gone
            connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _become(
    files: Sequence[int],
    module: str,
    arguments: list[str],
    cwd: str,
    environment: dict[str, str],
    session: bool,
) -> None:
    """Do in this process as Python would in a new one, and end it."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - what was read ahead is another's
    ended: Any = 0
    try:
        if session:
            os.setsid()
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        random.seed()
        # As the script `crs-eval` has it: names of this module would go into usage lines, and to workers.
        sys.argv = ["crs-eval", *arguments]
        sys.modules["__main__"] = ModuleType("__main__")
        # It is this process's parent that knows whether the fork server of workers runs.
        forkserver._forkserver.ensure_running = lambda: None  # type: ignore[method-assign]
        if module.endswith(".py"):
            sys.argv[0] = module
            sys.path.insert(0, str(Path(module).parent))
            runpy.run_path(module, run_name="__main__")
        else:
            ended = import_module(module).main()
    except SystemExit as end:
        ended = end.code
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except Exception:  # noqa: BLE001 - as Python itself ends
        traceback.print_exc()
        ended = 1
    if isinstance(ended, str):
        print(ended, file=sys.stderr)
        ended = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # Python's own way out clears every module first, which takes longer than most commands.
    os._exit(int(ended or 0))


if __name__ == "__main__":
    serve(sys.argv[1])
