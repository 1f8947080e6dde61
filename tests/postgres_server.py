"""A real PostgreSQL for tests: on a free port of loopback, in a folder of its own, to be stopped and started."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.patience import PATIENCE
from tools.programs import ensure_postgres
from tools.service_process import free_port


class PostgresServer:
    """Runs from `with` to its end. As root it runs as another user, since PostgreSQL refuses root."""

    def __init__(self) -> None:
        self._programs = ensure_postgres()
        # Not in pytest's folder, which other users cannot enter.
        self._folder = Path(tempfile.mkdtemp(prefix="crs-eval-postgres-"))
        self._user = _other_user()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"postgresql://tester@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> "PostgresServer":
        if self._user:
            shutil.chown(self._folder, self._user)
        self._run(
            "initdb", "--username=tester", "--auth=trust", "--encoding=UTF8", "--no-sync", "-D", self._data
        )
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start on the same port and data as before, and wait until it answers."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._programs / "postgres", "-D", self._data, "-p", str(self.port), "-k", str(self._folder),
                    "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
                ],
                stdout=log, stderr=log, user=self._user, cwd=self._folder,
            )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError((self._folder / "log").read_text())
            time.sleep(0.05)

    def stop(self) -> None:
        """End it at once: connections break."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        done = subprocess.run(command, check=False, capture_output=True, user=self._user, cwd=self._folder)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())


def _other_user() -> str | None:
    """The user to run as: nobody else where this is not root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
