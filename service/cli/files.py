"""The bytes of files that are read; gzip is read as what it holds."""

import contextlib
import gc
import gzip
import json
import sys
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from ..importing.entries import Fault, json_fault, plain_name
from .exits import CommandError

STDIN = "-"
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
IMPORTED_SUFFIXES = (*JSON_SUFFIXES, ".csv", ".tsv", ".txt")
GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file, whatever its name."""


class FileError(CommandError):
    """A file that cannot be read: which one, and why."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place = place
        self.detail = detail


def contents(
    paths: Sequence[str], faults: list[Fault], suffixes: Sequence[str] = JSON_SUFFIXES
) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of files, of the files with these suffixes in folders, and of standard input (`-`). A file that
    cannot be read is added to `faults`. Raises CommandError for a path that is not there."""
    for path in paths:
        for file in [STDIN] if path == STDIN else files_of(path, suffixes):
            try:
                yield "stdin" if file == STDIN else str(file), read_content(file)
            except FileError as error:
                faults.append(Fault(error.place, error.detail))


def files_of(path: str, suffixes: Sequence[str] = JSON_SUFFIXES) -> Sequence[str | Path]:
    """The file, or a folder's files with these suffixes in order. Raises CommandError where there is none."""
    place = Path(path)
    if place.is_dir():
        found = sorted(
            file for file in place.rglob("*") if plain_name(file).suffix in suffixes and file.is_file()
        )
        if not found:
            raise CommandError(f"{path} contains no {', '.join(suffixes)} file.")
        return found
    if not place.is_file():
        raise CommandError(f"{path} does not exist. Pass a file, a folder, or - for standard input.")
    return [place]


def check_outputs(written: Iterable[Path | None], read: Iterable[str | Path | None]) -> None:
    """Raise CommandError for a folder, and for a file that is read, by itself or in a folder: it would be lost."""
    kept = [Path(path).resolve() for path in read if path]
    for path in filter(None, written):
        if path.is_dir():
            raise CommandError(f"{path} is a folder: name a file to write.")
        place = path.resolve()
        known = place.exists() and plain_name(place).suffix in IMPORTED_SUFFIXES
        if place in kept or (known and any(folder in place.parents for folder in kept)):
            raise CommandError(f"{path} is an input and would be overwritten. Name another file to write.")


def read_content(path: str | Path) -> bytes:
    """Read a file, or standard input (`-`), and decompress gzip. Raises FileError."""
    place = "stdin" if path == STDIN else str(path)
    try:
        content = _stdin(sys.stdin.buffer) if path == STDIN else Path(path).read_bytes()
        return gzip.decompress(content) if content.startswith(GZIP) else content
    except EOFError:
        raise FileError(place, "gzip that is cut short; copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FileError(place, f"damaged gzip: {error}") from None
    except OSError as error:
        raise FileError(place, f"it cannot be read: {error.strerror or error}") from None


@cache
def _stdin(stream: BinaryIO) -> bytes:
    """All of standard input, which can be read once only."""
    return stream.read()


def read_text(path: str | Path) -> str:
    """The content as text, without a byte order mark. Raises FileError."""
    try:
        return read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), f"not UTF-8 at byte {error.start}") from None


def read_json(path: str | Path) -> Any:
    """The JSON value in a file. Raises FileError."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FileError(str(path), f"not JSON: {json_fault(error)}") from None


def read_toml(path: str | Path) -> dict[str, Any]:
    """The TOML in a file. Raises FileError."""
    try:
        return tomllib.loads(read_text(path))
    except RecursionError:
        raise FileError(str(path), "not TOML: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(str(path), f"not TOML: {error}") from None


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Stop the garbage collector while many lasting objects are made: it makes loading 100,000 results four times as slow."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # else the first collection afterwards looks at all of them
        if was:
            gc.enable()
