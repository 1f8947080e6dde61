"""A private service for a tool's own use: started on a free port, stopped with the tool."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from service.cli.private_service import answers, free_port, running

ROOT = Path(__file__).parent.parent

__all__ = ["ROOT", "answers", "free_port", "running_service"]


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
