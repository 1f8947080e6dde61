"""The service on a port that it keeps: to be stopped, killed and started again."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests import forked
from tests.patience import PATIENCE, wait_for
from tools.service_process import ROOT, answers, free_port


class Replica:
    """`python -m service` with these settings (names without the prefix). What it logs goes to `log`, if given."""

    def __init__(self, settings: Mapping[str, str], log: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = forked.environment(**{f"CRS_EVAL_{name}": one for name, one in settings.items()})
        self.log = log
        self.start()

    def start(self) -> None:
        """Start it, and do not wait."""
        words = ["--port", str(self.port)]
        with (self.log or Path(os.devnull)).open("ab") as out:
            self.process = forked.Process(
                forked.SERVICE, words, cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL, stderr=out
            )

    def wait_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, self.said()
            return answers(self.port)

        wait_for(ready)

    def said(self) -> str:
        """The lines that it logged."""
        return self.log.read_text() if self.log else ""

    def stop(self) -> int:
        """Tell it to stop, as a cluster does, and wait. Returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
