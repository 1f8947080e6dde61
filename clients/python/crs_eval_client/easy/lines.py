"""Event streams and lines of JSON, read piece by piece; batches cut into windows."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

WINDOW = 500
"""Lines of one request. The service reads no further while its results are not taken, so a caller
who sends all before reading must send no more."""

Progress = Callable[[int], None]
"""Called with the number of lines that are done."""


@dataclass(frozen=True)
class RawEvent:
    """One event of a stream as it was sent."""

    id: str | None
    name: str
    data: Any


@dataclass
class EventReader:
    """Turns lines of `text/event-stream` into events."""

    _id: str | None = None
    _name: str = "message"
    _data: list[str] = field(default_factory=list)

    def feed(self, line: str) -> RawEvent | None:
        """Takes one line without its end; an empty one ends an event."""
        if not line:
            return self._end()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id":
            self._id = value
        return None  # a line that begins with a colon is a comment: the service is still working

    def _end(self) -> RawEvent | None:
        event = RawEvent(self._id, self._name, json.loads("\n".join(self._data))) if self._data else None
        self._name, self._data = "message", []
        return event


def windows(lines: Iterable[Mapping[str, Any]], size: int) -> Iterator[dict[str, Mapping[str, Any]]]:
    """The lines in groups of at most `size`, by custom_id, which must not come twice in a group."""
    iterator = iter(lines)
    while group := list(itertools.islice(iterator, size)):
        named = {str(line["custom_id"]): line for line in group}
        if len(named) < len(group):
            raise ValueError("two lines of a batch have the same custom_id")
        yield named


def ndjson(lines: Iterable[Mapping[str, Any]]) -> bytes:
    """The lines as one body."""
    return b"".join(json.dumps(line, allow_nan=False).encode() + b"\n" for line in lines)
