"""Our own command for shells, as a fork (`forked.py`): `crs-eval` in a folder of `PATH` that tests make.

It imports so little that it starts in a fiftieth of what it stands for; the client of the fork server, which tests use too, is
here for that."""

import array
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence

ADDRESS = "FORK_SERVER"
"""The variable that names the fork server's socket."""


def ask(
    address: str,
    module: str,
    arguments: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    files: Sequence[int],
    *,
    session: bool = False,
) -> tuple[socket.socket, int]:
    """Have the server fork `python -m module arguments`, with these files as its first three, in a new session where
    asked. Returns the connection that will report its end, and the process id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    asked = json.dumps([module, list(arguments), cwd, dict(environment), session]).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
    connection.sendmsg([len(asked).to_bytes(4, "big")], rights)
    connection.sendall(asked)
    return connection, int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")


def ended(connection: socket.socket) -> int:
    """Return its exit code, as in `subprocess`, once it has ended."""
    return int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big", signed=True)


def main() -> None:
    """Be the command line, as a fork, until it ends."""
    environment = {name: value for name, value in os.environ.items() if name != ADDRESS}
    here = os.getcwd()  # noqa: PTH109 - pathlib takes as long as all the rest
    words = sys.argv[1:]
    connection, pid = ask(os.environ[ADDRESS], "service.cli.program", words, here, environment, (0, 1, 2))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    code = ended(connection)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
