"""Exit codes of commands, and the error that carries one."""

import errno
import traceback
from enum import IntEnum
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
STUDIES = ("studies", "pandas", "jinja2", "matplotlib")
"""The extra that writes tables and charts, and its packages."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class Exit(IntEnum):
    """An exit code; CI systems branch on it."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    """Too little is known, what is to be compared was judged differently, or the cost limit is reached."""
    FAILED = 4
    """The judge or the service gave no usable answer."""
    INTERRUPTED = 130


class CommandError(Exception):
    """Ends the command with a message that says what to do."""

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.code = code


def need_extra(extra: str, *packages: str) -> None:
    """Raise CommandError unless the packages of an extra are installed."""
    for package in packages:
        if find_spec(package) is None:
            raise CommandError(
                f"The package {package} is missing. Install it: pip install 'crs-eval[{extra}]'."
            )


def command_error(error: Exception) -> CommandError:
    """Convert an error: an unusable file is bad input, an unforeseen error is a defect. A defect is reported
    by its place alone, because its message may quote a conversation."""
    if isinstance(error, CommandError):
        return error
    if isinstance(error, OSError):
        message = f"{error.filename}: {error.strerror}." if error.filename else f"{error}."
        return CommandError(message, Exit.FAILED if error.errno in _NO_ROOM else Exit.USAGE)
    return CommandError(f"a defect of crs-eval: {_place(error)}. Please report it.", Exit.FAILED)


def _place(error: Exception) -> str:
    """The type of an error and the last place in our code that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if PACKAGE in Path(frame.filename).resolve().parents] or frames[-1:]
    place = ours[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno} ({place.name})"
