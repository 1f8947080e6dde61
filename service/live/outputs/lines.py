"""Results as lines of JSON, on standard output or in a file."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
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

BEGINNING: Final = b'{"number":'
"""The beginning of a line: nothing is added to a file that begins otherwise, or cut off from one that ends otherwise."""

KNOWN: Final = 50_000
"""Number of events to remember."""


class Lines(Output):
    """Append a line `{"number", "kind", "event"}` for each event to `file`; None: standard output. Every
    line is whole: half a line left by a crash is removed. So are lines of deleted conversations."""

    def __init__(self, file: Path | None) -> None:
        self._path = file.resolve() if file else None  # a link stays one when the file is written again
        self.name = f"lines:{self._path}" if file else "lines"
        self._file: BinaryIO | None = None
        self._known: set[int] = set()
        self._lock = asyncio.Lock()

    async def prepare(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            self._open()
        except OSError as error:
            raise ConfigurationError(
                f"CRS_EVAL_LIVE_LINES: {self._path}: cannot be written: {error.strerror}"
            ) from None

    async def take(self, events: Sequence[OutboxEvent]) -> None:
        await self._apart(partial(self._take, events))

    def _take(self, events: Sequence[OutboxEvent]) -> None:
        deletions = [one for one in events if one.kind == DELETED]
        if deletions:
            self._rewrite(partial(_remaining, deletions))
        fresh = [one for one in events if one.number not in self._known]
        lines = b"".join(_remaining(deletions, _line(one)) for one in fresh)
        if self._file is None:
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
        else:
            self._file.write(lines)
            self._file.flush()
            os.fsync(self._file.fileno())
        self._known.update(one.number for one in fresh)
        if len(self._known) > 2 * KNOWN:
            self._known = set(sorted(self._known)[-KNOWN:])

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:
        def read(file: Path) -> list[dict[str, Any]]:
            with file.open("rb") as lines:  # a text may quote the hash of another user
                events = [json.loads(line)["event"] for line in lines if user_hash.encode() in line]
            return [one for one in events if user_hash in (one.get("user_hash") or "").split()]

        with _down():
            return await asyncio.to_thread(read, self._path) if self._path else ()

    async def expire(self, before: float) -> None:
        await self._apart(partial(self._rewrite, partial(_younger, datetime.fromtimestamp(before, UTC))))

    async def _apart(self, step: Callable[[], None]) -> None:
        """Change the file in a thread, one step at a time: a large one takes seconds to write again."""
        async with self._lock:
            with _down():
                await asyncio.to_thread(step)

    async def aclose(self) -> None:
        if self._file:
            self._file.close()

    def _open(self) -> None:
        """Open at the end of the last whole line, and remember the last events."""
        assert self._path is not None
        with self._path.open("rb+") as file:
            head = file.read(len(BEGINNING))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            tail = file.read()
            torn = tail[tail.rfind(b"\n") + 1 :]
            ours = len(torn) >= TAIL or torn.startswith(BEGINNING[: len(torn)])
            if not (ours and BEGINNING.startswith(head)):
                raise ConfigurationError(
                    f"CRS_EVAL_LIVE_LINES: {self._path}: holds something other than results; name another file"
                )
            file.truncate(size - len(torn))
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
            shutil.copymode(self._path, beside)
            new.writelines(map(change, old))
            new.flush()
            os.fsync(new.fileno())
        beside.replace(self._path)
        self._file = self._path.open("ab")


def _line(event: OutboxEvent) -> bytes:
    return b'%b%d,"kind":"%b","event":%b}\n' % (
        BEGINNING,
        event.number,
        event.kind.encode(),
        one_line(event.content),
    )


def _remaining(deletions: Sequence[OutboxEvent], line: bytes) -> bytes:
    """Return what stays of a line without the deleted conversations."""
    for deletion in deletions:
        line = line and _without(deletion, line)
    return line


def _without(deletion: OutboxEvent, line: bytes) -> bytes:
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
