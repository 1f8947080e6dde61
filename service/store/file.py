"""A store inside the process that keeps its values in a file as well, for work that goes on after a stop."""

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path

from .memory import MemoryStore

NO_LINE = "no line of kept answers; name another file"


class FileStore(MemoryStore):
    """Appends every value to a file before it is done with, and begins with what the file holds: a process that is
    killed loses nothing that it had been given. The file belongs to one process at a time; the next one waits for it.

    Raises OSError where the file cannot be written, ValueError where it is no file of this kind."""

    def __init__(self, path: Path, max_bytes: int, ttl: float | None = None) -> None:
        super().__init__(max_bytes, ttl)
        self._file = path.open("ab+")
        try:
            self._load(str(path))
        except ValueError:
            self._file.close()
            raise

    def _load(self, place: str) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._file.seek(0)
        content = self._file.read()
        *whole, torn = content.split(b"\n")
        for number, line in enumerate(whole, 1):
            key, value = _parsed(line, f"{place}:{number}")
            self._keep(key, value)
        if not torn.startswith(b'["'[: len(torn)]):
            raise ValueError(f"{place}:{len(whole) + 1}: {NO_LINE}")
        if torn:  # the end of a process that was killed while it wrote
            self._file.truncate(len(content) - len(torn))

    def items(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        """Yield all keys that begin with `prefix`, and their values, in the order in which they were kept."""
        return ((key, value) for key, value in self._kept.items() if key.startswith(prefix))

    async def put(self, key: str, value: bytes) -> None:
        # One write, so that another reader of the file sees whole lines. It is in the system's hands then.
        text = value.decode("utf-8", "surrogateescape")
        os.write(self._file.fileno(), json.dumps([key, text]).encode() + b"\n")
        await super().put(key, value)

    async def aclose(self) -> None:
        await super().aclose()
        self._file.close()


def _parsed(line: bytes, place: str) -> tuple[str, bytes]:
    try:
        key, text = json.loads(line)
        return str(key), str(text).encode("utf-8", "surrogateescape")
    except ValueError as error:
        raise ValueError(f"{place}: {NO_LINE}") from error
