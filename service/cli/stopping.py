"""How commands end: exit codes, and the error that carries one."""

from enum import IntEnum


class Exit(IntEnum):
    """What the exit code says; CI systems branch on it."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    """Too little is known, what is to be compared was judged differently, or the cost is spent."""
    FAILED = 4
    """The judge or the service gave no usable answer."""
    INTERRUPTED = 130


class CommandError(Exception):
    """Ends the command with a message that says what to do."""

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.code = code
