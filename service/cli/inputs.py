"""Conversations from files, folders and standard input, each with the place it was read from."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .stopping import CommandError

Json = dict[str, Any]
STDIN = "-"
MOST_FAULTS_TOLD = 20
_SUFFIXES = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Entry:
    """One JSON value and where it stands (`logs.jsonl:12`)."""

    place: str
    value: Any


@dataclass(frozen=True)
class Fault:
    """Something that could not be read: where, and why."""

    place: str
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"


@dataclass(frozen=True)
class Source:
    """A log to be judged. `conversation` names it in results, and pairs it with another run's."""

    place: str
    conversation: str
    log: Json
    catalog: str | None


def entries(paths: Sequence[str], faults: list[Fault]) -> Iterator[Entry]:
    """Every JSON value in these files: JSON Lines, a JSON value or array, folders of either, `-` for
    standard input. What cannot be read is added to `faults`. Raises CommandError for a path that is not there."""
    for path in paths:
        if path == STDIN:
            yield from _values("stdin", sys.stdin.buffer.read(), faults)
            continue
        for file in files_of(path):
            yield from _values(str(file), file.read_bytes(), faults)


def files_of(path: str) -> list[Path]:
    """The file, or a folder's JSON files in order. Raises CommandError where there is none."""
    place = Path(path)
    if place.is_dir():
        found = sorted(file for file in place.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
        if not found:
            raise CommandError(f"{path} holds no {', '.join(_SUFFIXES)} file.")
        return found
    if not place.is_file():
        raise CommandError(f"{path} does not exist. Give a file, a folder, or - for standard input.")
    return [place]


def _values(name: str, content: bytes, faults: list[Fault]) -> Iterator[Entry]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.append(Fault(name, f"not UTF-8 at byte {error.start}"))
        return
    if not text.strip():
        faults.append(Fault(name, "empty"))
        return
    whole = _whole(text)
    if whole is None:
        yield from _lines(name, text, faults)
    elif isinstance(whole, list):
        yield from (Entry(f"{name}[{index}]", value) for index, value in enumerate(whole))
    else:
        yield Entry(name, whole)


def _whole(text: str) -> Any:
    """The text as one JSON value; None where it is none, JSON Lines for example."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(name: str, text: str, faults: list[Fault]) -> Iterator[Entry]:
    # Only line feeds end a line: JSON strings may hold the other separators that splitlines() knows.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Entry(f"{name}:{number}", json.loads(line))
        except (ValueError, RecursionError) as error:
            faults.append(Fault(f"{name}:{number}", f"not JSON: {error}"))


def read_logs(paths: Sequence[str], *, skip_unreadable: bool = False) -> tuple[list[Source], list[Fault]]:
    """The logs in these files; an entry is a log, an object that holds one as `log`, or a session of
    `crs-eval simulate`.

    Raises CommandError, naming every place, for what is no log, unless told to leave it out."""
    faults: list[Fault] = []
    sources: dict[str, Source] = {}
    for number, entry in enumerate(entries(paths, faults), 1):
        found = _source(entry, number)
        if isinstance(found, Fault):
            faults.append(found)
        elif (earlier := sources.get(found.conversation)) is not None:
            told = f"its id {found.conversation!r} is that of {earlier.place}: conversations need ids of their own"
            faults.append(Fault(found.place, told))
        else:
            sources[found.conversation] = found
    if faults and not skip_unreadable:
        raise CommandError(f"{told_faults(faults)}\nMend them, or leave them out with --skip-unreadable.")
    if not sources:
        raise CommandError(f"There is no log in {', '.join(paths)}.")
    return list(sources.values()), faults


def told_faults(faults: Sequence[Fault]) -> str:
    """The faults for people, the first of them where there are many."""
    lines = [str(fault) for fault in faults[:MOST_FAULTS_TOLD]]
    more = len(faults) - len(lines)
    return "\n".join([*lines, *([f"... and {more} more"] if more else [])])


def _source(entry: Entry, number: int) -> Source | Fault:
    value = entry.value
    if not isinstance(value, dict):
        return Fault(entry.place, "not a JSON object")
    answer = value.get("answer")
    if isinstance(answer, dict):  # what `crs-eval simulate` wrote
        value = answer
    log = value if "messages" in value else value.get("log")
    if not isinstance(log, dict) or not isinstance(log.get("messages"), list):
        return Fault(entry.place, "no log: it has neither `messages` nor a `log` that has")
    catalog = value.get("catalog") if log is not value else None
    name = log.get("id")
    return Source(
        place=entry.place,
        conversation=str(name) if name is not None else f"line-{number}",
        log=log,
        catalog=catalog if isinstance(catalog, str) else None,
    )
