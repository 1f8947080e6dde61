"""The bytes of a file that is read; gzip is read as what it holds."""

import gzip
import io
import sys
import zlib
from pathlib import Path

from .stopping import CommandError

STDIN = "-"
GZIP = b"\x1f\x8b"
"""What a gzip file begins with, whatever its name."""
GZIP_SUFFIX = ".gz"
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
    place = "stdin" if path == STDIN else str(path)
    try:
        content = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
        return inflated(content) if content.startswith(GZIP) else content
    except ValueError as error:
        raise FileError(place, str(error)) from None
    except OSError as error:
        raise FileError(place, f"it cannot be read: {error.strerror or error}") from None


def read_text(path: str | Path) -> str:
    """The content as text, without a byte order mark. Raises FileError."""
    try:
        return read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), f"not UTF-8 at byte {error.start}") from None


def inflated(content: bytes) -> bytes:
    """What a gzip file holds. Raises ValueError for one that is damaged or compressed twice."""
    pieces: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as reader:
            while piece := reader.read(_PIECE):
                if not pieces and piece.startswith(GZIP):
                    raise ValueError("gzip inside gzip; compress it once")
                pieces.append(piece)
    except EOFError:
        raise ValueError("gzip that is cut short; copy or download it again") from None
    except (OSError, zlib.error) as error:
        raise ValueError(f"damaged gzip: {error}") from None
    return b"".join(pieces)


def plain_name(path: Path) -> Path:
    """The path without `.gz`: what says the format of the content."""
    return path.with_suffix("") if path.suffix == GZIP_SUFFIX else path
