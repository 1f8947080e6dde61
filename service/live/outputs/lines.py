"""Results as lines of JSON, on standard output or in a file."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from ...api.ndjson import one_line
from ...errors import ConfigurationError
from ...store.conversations.protocol import DELETED, OutboxEvent, without
from .output import Output, OutputDown

TAIL: Final = 4 * 1024 * 1024
"""Bytes at the end of a file whose events are known: a worker that died may bring them again."""

KNOWN: Final = 50_000
"""Number of events to remember."""


class Lines(Output):
    """Append a line `{"number", "kind", "event"}` for each event to `file`; None: standard output. Every
    line is whole: half a line left by a crash is removed. So are lines of deleted conversations."""

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

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        with _down():
            for one in events:
                if one.kind == DELETED:
                    self._rewrite(partial(_remaining, one))
            fresh = [one for one in events if one.number not in self._known]
            written = list(map(_line, fresh))
            for deletion in (one for one in events if one.kind == DELETED):
                written = [_remaining(deletion, line) for line in written]
            lines = b"".join(written)
            if self._file is None:
                sys.stdout.buffer.write(lines)
                sys.stdout.buffer.flush()
            else:
                self._file.write(lines)
                self._file.flush()
                os.fsync(self._file.fileno())
            self._remember(one.number for one in fresh)

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:
        def read(file: Path) -> list[dict[str, Any]]:
            with file.open("rb") as lines:
                return [json.loads(line)["event"] for line in lines if user_hash.encode() in line]

        with _down():
            return await asyncio.to_thread(read, self._path) if self._path else ()

    async def expire(self, before: float) -> None:
        with _down():
            self._rewrite(partial(_younger, datetime.fromtimestamp(before, UTC)))

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

    def _rewrite(self, change: Callable[[bytes], bytes]) -> None:
        """Write the file again with each line changed; one that becomes empty is left out."""
        if self._file is None or self._path is None:
            return
        self._file.close()
        beside = self._path.with_name(f"{self._path.name}.new")
        with self._path.open("rb") as old, beside.open("wb") as new:
            new.writelines(map(change, old))
            new.flush()
            os.fsync(new.fileno())
        beside.replace(self._path)
        self._file = self._path.open("ab")


def _line(event: OutboxEvent) -> bytes:
    return b'{"number":%d,"kind":"%b","event":%b}\n' % (
        event.number,
        event.kind.encode(),
        one_line(event.content),
    )


def _remaining(deletion: OutboxEvent, line: bytes) -> bytes:
    """Return what stays of a line without a conversation."""
    try:
        found = json.loads(line)
        number, event = found["number"], found["event"]
        if event.get("conversation") == deletion.conversation and number < deletion.number:
            return b""
        shorter = without(json.dumps(event).encode(), deletion.conversation)
    except (ValueError, KeyError, TypeError, AttributeError):
        return line
    return _line(OutboxEvent("", number, found["kind"], "", shorter)) if shorter else line


def _younger(before: datetime, line: bytes) -> bytes:
    """Return a line; nothing for one that was written before then."""
    try:
        event = json.loads(line)["event"]
        at = datetime.fromisoformat(event.get("judged_at") or event["at"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return line
    return line if at >= before else b""


@contextlib.contextmanager
def _down() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ConfigurationError("the program that read the output has closed it") from None
    except OSError as error:
        raise OutputDown(error.strerror or type(error).__name__) from None
