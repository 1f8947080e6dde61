"""Commands of ours as processes that have imported everything already: forks of one process that waits.

A fresh Python takes half a second of a core to import the command line and one to import the service; tests run hundreds of
them to their ends. Starts as people make them have tests of their own (`test_start.py`, `tests/smoke`)."""

import atexit
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMAND_LINE, SERVICE = "service.cli.program", "service.__main__"
#: What both import only once they run.
LATER = (
    "service.main",
    "service.cli.remote",
    "service.cli.gate.judgement",
    "service.calibration.report",
    "httpx2",
)
MOST = 300
"""Seconds that a command may take."""


def run(
    module: str, arguments: Sequence[str | Path], cwd: Path, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """`python -m module arguments` in a folder, with this whole environment and no input: its end, and what it printed."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        words = [*map(str, arguments)]
        asked = [module, words, str(cwd), dict(environment), str(out), str(err)]
        server.stdin.write(json.dumps(asked).encode() + b"\n")
        server.stdin.flush()
        assert select.select([server.stdout], [], [], 2 * MOST)[0]
        ended = int(server.stdout.readline())
        return subprocess.CompletedProcess([module, *words], ended, out.read_text(), err.read_text())


@cache
def _server() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", "-m", __name__]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, stdin=pipe, stdout=pipe
    )

    def end() -> None:
        server.communicate()

    atexit.register(end)
    return server


def serve() -> None:
    """Fork for each line that is read, and write how the fork ended."""
    for name in (COMMAND_LINE, SERVICE, *LATER):
        import_module(name)
    while line := sys.stdin.buffer.readline():
        child = os.fork()
        if child == 0:
            _become(*json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(
    module: str, arguments: list[str], cwd: str, environment: dict[str, str], out: str, err: str
) -> None:
    """Do in this process as Python would in a new one, and end it."""
    signal.alarm(MOST)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate((os.devnull, out, err)):
        held = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(held, number)
        os.close(held)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - what was read ahead is another's
    random.seed()
    sys.argv = [module, *arguments]
    try:
        ended = import_module(module).main()
    except SystemExit as end:
        ended = end.code
    except Exception:  # noqa: BLE001 - as Python itself ends
        traceback.print_exc()
        ended = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # Python's own way out clears every module first, which takes longer than most commands.
    os._exit(int(ended or 0))


if __name__ == "__main__":
    serve()
