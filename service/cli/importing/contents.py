"""Contents of files and folders, each under its name."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...importing.entries import Fault, plain_name
from ..exits import CommandError
from ..files import STDIN, FileError, read_content

SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt")
"""The files that are read of a folder."""


def contents(paths: Sequence[str], faults: list[Fault]) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of every file; `-` is standard input. A file that cannot be read is added to `faults`. Raises
    CommandError for a path that is not there."""
    for path in paths:
        for file in [STDIN] if path == STDIN else _files(path):
            try:
                yield "stdin" if file == STDIN else str(file), read_content(file)
            except FileError as error:
                faults.append(Fault(error.place, error.detail))


def _files(path: str) -> Sequence[str | Path]:
    """The file, or a folder's files in order. Raises CommandError where there is none."""
    place = Path(path)
    if place.is_dir():
        found = sorted(
            file for file in place.rglob("*") if plain_name(file).suffix in SUFFIXES and file.is_file()
        )
        if not found:
            raise CommandError(f"{path} holds no {', '.join(SUFFIXES)} file.")
        return found
    if not place.is_file():
        raise CommandError(f"{path} does not exist. Give a file, a folder, or - for standard input.")
    return [place]
