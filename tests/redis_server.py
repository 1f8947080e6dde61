"""A real Redis for tests: on a free port of loopback, in a folder of its own, to be killed or frozen."""

import signal
import socket
import subprocess
import time
from pathlib import Path

from tests.patience import PATIENCE
from tools.programs import ensure_redis
from tools.service_process import free_port


class RedisServer:
    """Runs from `with` to its end, nothing kept on disk. `settings` are further lines of its
    configuration, such as `("maxmemory", "2mb")`."""

    def __init__(self, folder: Path, *settings: tuple[str, str]) -> None:
        self.folder = folder
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> "RedisServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start on the same port as before, empty unless its settings say that it persists, and wait until it answers."""
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "appendonly": "no"}
        options |= {"dir": str(self.folder), **dict(self._settings)}
        command = [
            str(ensure_redis()),
            *(word for name, value in options.items() for word in (f"--{name}", value)),
        ]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while self.ask("PING") != "+PONG":
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "redis.log").read_text())
            time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL: connections break at once."""
        self.stop(signal.SIGKILL)

    def stop(self, by: signal.Signals) -> None:
        """End it by this signal."""
        if self._process is not None:
            self._process.send_signal(by)
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """SIGSTOP: the kernel still accepts connections, nobody answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def ask(self, *words: str) -> str:
        """The first line of the answer to a command, as it comes over the wire; empty without one."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
                connection.sendall(" ".join(words).encode() + b"\r\n")
                return connection.recv(4096).decode().split("\r\n")[0]
        except OSError:
            return ""

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
