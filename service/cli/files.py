"""The bytes of a file that is read; gzip is read as what it holds."""

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

from .exits import CommandError

STDIN = "-"
GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file, whatever its name."""
_PIECE = 1024 * 1024


class FileError(CommandError):
    """A file that cannot be read: which one, and why."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place = place
        self.detail = detail


def read_content(path: str | Path) -> bytes:
    """The content of a file, or of standard input (`-`), out of its gzip where it is compressed.
    Raises FileError."""
    with _told("stdin" if path == STDIN else str(path)):
        content = _stdin(sys.stdin.buffer) if path == STDIN else Path(path).read_bytes()
        if not content.startswith(GZIP):
            return content
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as reader:
            return b"".join(_inflated(iter(lambda: reader.read(_PIECE), b"")))


@cache
def _stdin(stream: BinaryIO) -> bytes:
    """All of standard input, which can be read once only."""
    return stream.read()


def read_lines(path: str | Path) -> Iterator[bytes]:
    """The lines of a file one by one, for those that are larger than memory, out of its gzip where it is
    compressed. Raises FileError."""
    with _told(str(path)), Path(path).open("rb") as raw:
        if not raw.peek(len(GZIP)).startswith(GZIP):
            yield from raw
            return
        with gzip.GzipFile(fileobj=raw) as reader:
            yield from _inflated(iter(reader))


def read_text(path: str | Path) -> str:
    """The content as text, without a byte order mark. Raises FileError."""
    try:
        return read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), f"not UTF-8 at byte {error.start}") from None


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of what a gzip file holds. Raises ValueError where that is gzip again."""
    first = next(pieces, b"")
    if first.startswith(GZIP):
        raise ValueError("gzip inside gzip; compress it once")
    yield first
    yield from pieces


@contextlib.contextmanager
def _told(place: str) -> Iterator[None]:
    """Every way in which a file cannot be read as a FileError."""
    try:
        yield
    except ValueError as error:
        raise FileError(place, str(error)) from None
    except EOFError:
        raise FileError(place, "gzip that is cut short; copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FileError(place, f"damaged gzip: {error}") from None
    except OSError as error:
        raise FileError(place, f"it cannot be read: {error.strerror or error}") from None
