"""`crs-eval live` as a process on a free port."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from tests import forked
from tests.patience import PATIENCE
from tools.service_process import free_port, wait_for


@contextlib.contextmanager
def running_live(settings: Mapping[str, str], folder: Path, **more: str) -> Iterator[str]:
    """Runs it with these settings (names without the prefix), and `more` of the environment; yields its base URL. Its log is
    the file `log` of `folder`."""
    port = free_port()
    given = {f"CRS_EVAL_{name}": value for name, value in settings.items()}
    with (folder / "log").open("wb+") as log:
        process = forked.Process(
            forked.COMMAND_LINE,
            ["live", "--port", str(port)],
            env=forked.environment(**given, **more),
            stdout=log,
            stderr=log,
            cwd=folder,
        )
        try:
            wait_for(port, cast(Any, process), log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(PATIENCE)
