"""Results as lines of JSON, on standard output or in a file."""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from ...api.ndjson import one_line
from ...errors import ConfigurationError
from ...store.conversations.protocol import DELETED, Told
from .output import OutputDown

TAIL: Final = 4 * 1024 * 1024
"""Bytes at the end of a file whose events are known: a worker that died may bring them again."""


KNOWN: Final = 50_000
"""So many events are remembered."""


class Lines:
    """Appends a line `{"number", "kind", "event"}` for each event to `file`; None: standard output. Every line is whole: half
    a line that a crash left is taken away. The lines of a deleted conversation are taken out."""

    def __init__(self, file: Path | None) -> None:
        self.name = f"lines:{file.resolve()}" if file else "lines"
        self._path = file
        self._file: BinaryIO | None = None
        self._known: set[int] = set()

    async def prepare(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            self._open()
        except OSError as error:
            raise ConfigurationError(f"{self._path}: cannot be written: {error.strerror}") from None

    async def take(self, told: Sequence[Told]) -> None:
        with _down():
            for one in told:
                if one.kind == DELETED:
                    self._forget(one)
            deleted = {one.conversation: one.number for one in told if one.kind == DELETED}
            fresh = [
                one
                for one in told
                if one.number not in self._known and one.number >= deleted.get(one.conversation, 0)
            ]
            lines = b"".join(map(_line, fresh))
            if self._file is None:
                sys.stdout.buffer.write(lines)
                sys.stdout.buffer.flush()
            else:
                self._file.write(lines)
                self._file.flush()
                os.fsync(self._file.fileno())
            self._remember(one.number for one in fresh)

    async def tidy(self) -> None:
        pass

    async def aclose(self) -> None:
        if self._file:
            self._file.close()

    def _remember(self, numbers: Iterable[int]) -> None:
        self._known.update(numbers)
        if len(self._known) > 2 * KNOWN:
            self._known = set(sorted(self._known)[-KNOWN:])

    def _open(self) -> None:
        """Open at the end of the last whole line, and remember the last events."""
        assert self._path is not None
        with self._path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            tail = file.read()
            file.truncate(size - len(tail) + tail.rfind(b"\n") + 1)
        for line in tail.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                self._known.add(int(json.loads(line)["number"]))
        self._file = self._path.open("ab")

    def _forget(self, deletion: Told) -> None:
        """Write the file anew without a conversation."""
        if self._file is None or self._path is None:
            return
        self._file.close()
        beside = self._path.with_name(f"{self._path.name}.new")
        with self._path.open("rb") as old, beside.open("wb") as new:
            new.writelines(line for line in old if not _is_of(line, deletion))
            new.flush()
            os.fsync(new.fileno())
        beside.replace(self._path)
        self._file = self._path.open("ab")


def _line(told: Told) -> bytes:
    return b'{"number":%d,"kind":"%b","event":%b}\n' % (
        told.number,
        told.kind.encode(),
        one_line(told.content),
    )


def _is_of(line: bytes, deletion: Told) -> bool:
    try:
        found = json.loads(line)
        return bool(
            found["event"]["conversation"] == deletion.conversation and found["number"] < deletion.number
        )
    except (ValueError, KeyError, TypeError):
        return False


@contextlib.contextmanager
def _down() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ConfigurationError("the program that read the output has closed it") from None
    except OSError as error:
        raise OutputDown(error.strerror or type(error).__name__) from None
