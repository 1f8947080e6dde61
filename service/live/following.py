"""Lines of a file that grows, or of standard input, into the queue of conversations."""

import asyncio
import codecs
import hashlib
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import structlog

from ..errors import ConfigurationError
from ..store.conversations.protocol import Conversations
from .intake import UnreadableError, read_post
from .users import UserKey
from .wire import QueuedPost

LINES: Final = 200
OFTEN: Final = 0.2
"""Seconds between two looks for new lines."""

MOST_TOLD: Final = 20
COMPARED: Final = 1000
"""Bytes before a place by which a file is known again."""

log = structlog.get_logger("crs_eval.live")


class Follower:
    """Follows `file` from where an earlier run ended; None: standard input. With `once` it ends at the end of the file, and
    every conversation that it read is over then. A message without `id` and `index` gets an id from its place and its line:
    a line that is read again changes nothing. `read`: the conversations that were read, where the input ends."""

    def __init__(
        self, conversations: Conversations, file: Path | None, user_key: UserKey, *, once: bool = False
    ) -> None:
        self._conversations = conversations
        self._user_key = user_key
        self._path = file
        self._once = once
        self._name = f"follow:{file.resolve()}" if file else ""
        self.read: dict[str, None] = {}
        self.lines = 0
        self.unreadable = 0
        self.kept: bytes | None = None

    async def run(self) -> None:
        """Follow until the end of standard input, of the file with `once`, or until cancelled. Raises ConfigurationError for a
        file that cannot be read."""
        await (self._follow_file(self._path) if self._path else self._follow_input())
        if self._once or self._path is None:
            over = [json.dumps({"conversation": name, "complete": True}).encode() for name in self.read]
            await self._conversations.put(over)

    async def _follow_input(self) -> None:
        offset = 0
        async for lines in _input_lines():
            await self._put("stdin", offset, lines)
            offset += sum(map(len, lines))

    async def _follow_file(self, path: Path) -> None:
        self.kept = await self._conversations.load(self._name)
        place = json.loads(self.kept) if self.kept else {"inode": 0, "offset": 0, "part": -1}
        while True:
            place = await self._read_file(path, place)
            if self._once:
                return

    async def _read_file(self, path: Path, place: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read from a place to the end: with `once` that of now, else when the file is truncated or another takes its name.
        Returns the last place. `part` counts such files: the same place in another one is another message. `before` is a
        digest of what was read last: a file that was overwritten holds something else there."""
        try:
            file = path.open("rb")
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
        with file:
            stat = os.fstat(file.fileno())
            known = place.get("before") in (None, _digest_before(file, place["offset"]))
            if stat.st_ino != place["inode"] or stat.st_size < place["offset"] or not known:
                place = {"inode": stat.st_ino, "offset": 0, "part": place.get("part", 0) + 1}
            file.seek(place["offset"])
            part = place.get("part", 0)
            over = self._once
            while True:
                start = file.tell()
                if lines := _whole_lines(file, last=over):
                    await self._put(f"{path.name}+{part}" if part else path.name, start, lines)
                    end = file.tell()
                    place = {**place, "offset": end, "before": _digest_before(file, end)}
                    await self._keep(place)
                elif over:
                    return place
                else:
                    await asyncio.sleep(OFTEN)
                    over = _is_replaced(path, file)

    async def _put(self, name: str, offset: int, lines: Sequence[bytes]) -> None:
        contents = []
        for line in lines:
            self.lines += 1
            if line.strip():
                try:
                    post = read_post(line.removeprefix(codecs.BOM_UTF8), self._user_key)
                    contents.append(self._named(post, f"{name}@{offset}.{_digest(line.strip())}"))
                except UnreadableError as error:
                    self.unreadable += 1
                    if self.unreadable <= MOST_TOLD:
                        log.warning("line_unreadable", file=name, line=self.lines, reason=str(error))
            offset += len(line)
        if contents:
            await self._conversations.put(contents)

    def _named(self, post: QueuedPost, place: str) -> bytes:
        if self._once or self._path is None:
            self.read[post.conversation] = None
        messages = [
            message.model_copy(update={"id": f"{place}.{number}"})
            if not message.id and message.index is None
            else message
            for number, message in enumerate(post.messages)
        ]
        return post.model_copy(update={"messages": messages}).model_dump_json(exclude_none=True).encode()

    async def _keep(self, place: Mapping[str, Any]) -> None:
        content = json.dumps(place).encode()
        if not await self._conversations.save(self._name, content, self.kept):
            raise ConfigurationError(f"{self._path}: another process follows it too")
        self.kept = content


def _digest_before(file: BinaryIO, end: int) -> str:
    """Return a digest of the bytes before a place, which no appending changes."""
    start = max(0, end - COMPARED)
    return _digest(os.pread(file.fileno(), end - start, start))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


async def _input_lines() -> AsyncIterator[list[bytes]]:
    """Lines of standard input as they come. A daemon thread reads them, so that the process can end."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[list[bytes]] = asyncio.Queue(1)

    def read() -> None:
        left = b""
        while chunk := os.read(sys.stdin.fileno(), 65536):
            *whole, left = (left + chunk).splitlines(keepends=True) + ([b""] if chunk.endswith(b"\n") else [])
            if whole:
                asyncio.run_coroutine_threadsafe(queue.put(whole), loop).result()
        if left:
            asyncio.run_coroutine_threadsafe(queue.put([left]), loop).result()
        asyncio.run_coroutine_threadsafe(queue.put([]), loop).result()

    threading.Thread(target=read, daemon=True).start()
    while lines := await queue.get():
        yield lines


def _is_replaced(path: Path, file: BinaryIO) -> bool:
    """Return whether a file was truncated, or another one has its name: logs are rotated so."""
    try:
        now = path.stat()
    except OSError:
        return False  # the next one is on its way
    return now.st_ino != os.fstat(file.fileno()).st_ino or now.st_size < file.tell()


def _whole_lines(file: BinaryIO, *, last: bool) -> list[bytes]:
    """Lines with their ends, and with `last` also one without; half a line stays where it is."""
    lines: list[bytes] = []
    while len(lines) < LINES and (line := file.readline()):
        if not line.endswith(b"\n") and not last:
            file.seek(-len(line), os.SEEK_CUR)
            break
        lines.append(line)
    return lines
