"""Conversations from files, folders and standard input, each with the place it was read from."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .exits import CommandError
from .files import STDIN, FileError, plain_name, read_content

Json = dict[str, Any]
MOST_FAULTS_TOLD = 20
_SUFFIXES = (".json", ".jsonl", ".ndjson")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_LARGE = re.compile(r"\d[eE]\+?\d{3}")


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
    """A log to be judged. `conversation` names it in results, and pairs it with another run's. A log
    without an id has its `position` among all entries, from 1; others have None."""

    place: str
    conversation: str
    log: Json
    catalog: str | None
    position: int | None

    @property
    def digest(self) -> str:
        """16 hex digits over the log's content: what tells it from others where it has no id."""
        return json_digest(self.log)


def json_digest(value: Any) -> str:
    """16 hex digits over a JSON value: the same for the same, whatever the order of its fields."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def entries(paths: Sequence[str], faults: list[Fault]) -> Iterator[Entry]:
    """Every JSON value in these files: JSON Lines, a JSON value or array, folders of either, `-` for
    standard input. What cannot be read is added to `faults`. Raises CommandError for a path that is not there."""
    for path in paths:
        for file in [STDIN] if path == STDIN else files_of(path):
            try:
                content = read_content(file)
            except FileError as error:
                faults.append(Fault(error.place, error.detail))
                continue
            yield from _values("stdin" if file == STDIN else str(file), content, faults)


def files_of(path: str) -> Sequence[str | Path]:
    """The file, or a folder's JSON files in order. Raises CommandError where there is none."""
    place = Path(path)
    if place.is_dir():
        found = sorted(
            file for file in place.rglob("*") if plain_name(file).suffix in _SUFFIXES and file.is_file()
        )
        if not found:
            raise CommandError(f"{path} holds no {', '.join(_SUFFIXES)} file.")
        return found
    if not place.is_file():
        raise CommandError(f"{path} does not exist. Give a file, a folder, or - for standard input.")
    return [place]


def _values(name: str, content: bytes, faults: list[Fault]) -> Iterator[Entry]:
    if content.startswith(_UTF_16):
        faults.append(Fault(name, "not UTF-8 at byte 0: it looks like UTF-16; save it as UTF-8"))
        return
    # Bytes that are not UTF-8 become lone surrogates, so that they spoil the entry they stand in and no other.
    yield from text_entries(name, content.decode("utf-8-sig", "surrogateescape"), faults)


def text_entries(name: str, text: str, faults: list[Fault]) -> Iterator[Entry]:
    """Every JSON value in a text, decoded with `surrogateescape`. What cannot be read is added to `faults`."""
    if not text.strip():
        faults.append(Fault(name, "empty"))
        return
    whole = _whole(text)
    if whole is None:
        # Only line feeds end a line: JSON strings may hold the other separators that splitlines() knows.
        found = _lines(name, text.split("\n"), faults, sound=not _suspect(text))
    elif isinstance(whole, list):
        found = (Entry(f"{name}[{index}]", value) for index, value in enumerate(whole))
    else:
        found = iter([Entry(name, whole)])
    yield from found if whole is None else _sound(found, text, faults)


def _whole(text: str) -> Any:
    """The text as one JSON value; None where it is none, JSON Lines for example."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def line_entries(name: str, lines: Iterable[bytes], faults: list[Fault]) -> Iterator[Entry]:
    """The JSON value of each line that holds one, for files that are larger than memory. Lines that cannot be
    read are added to `faults`."""
    decoded = (line.decode("utf-8-sig", "surrogateescape") for line in lines)
    return _lines(name, decoded, faults)


def json_fault(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a text that is no JSON (or TOML), without what Python would have its programmers do."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).partition(";")[0]


def _lines(name: str, lines: Iterable[str], faults: list[Fault], *, sound: bool = False) -> Iterator[Entry]:
    """The value of each line; `sound` says that the whole text is free of what JSON cannot carry."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            entry = Entry(place, json.loads(line))
        except (ValueError, RecursionError) as error:
            faults.append(Fault(place, bad_byte(line) or f"not JSON: {json_fault(error)}"))
            continue
        if sound:
            yield entry
        else:
            yield from _sound(iter([entry]), line, faults)


def bad_byte(text: str) -> str | None:
    """Return where text that was decoded with `surrogateescape` held a byte that is not UTF-8; None where it is sound."""
    found = re.search("[\udc80-\udcff]", text)
    if found is None:
        return None
    return f"not UTF-8 at byte {len(text[: found.start()].encode('utf-8', 'surrogatepass'))}"


def _sound(found: Iterator[Entry], text: str, faults: list[Fault]) -> Iterator[Entry]:
    """The entries of this text that JSON can carry; others are added to `faults`."""
    if not _suspect(text):
        yield from found
        return
    for entry in found:
        wrong = next(_unsound(entry.value, ""), None)
        if wrong is None:
            yield entry
        else:
            faults.append(Fault(entry.place, wrong))


def _suspect(text: str) -> bool:
    """Return whether something may stand here that JSON cannot carry: half a surrogate pair, a byte that is not UTF-8,
    NaN, 1e999. Quick, since nearly every text is sound."""
    if "NaN" in text or "Infinity" in text or _TOO_LARGE.search(text):
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return "\\u" in text and _HALF_A_PAIR.search(text) is not None


def _unsound(value: Any, pointer: str) -> Iterator[str]:
    match value:
        case dict():
            for name, part in value.items():
                yield from _unsound(name, pointer)
                yield from _unsound(part, f"{pointer}/{name}")
        case list():
            for index, part in enumerate(value):
                yield from _unsound(part, f"{pointer}/{index}")
        case float() if not math.isfinite(value):
            yield f"{pointer or 'the value'}: {value} is no number that JSON knows; leave the field out, or write null"
        case str() if (lone := re.search("[\ud800-\udfff]", value)) is not None:
            if "\udc80" <= lone[0] <= "\udcff":
                yield f"{pointer or 'a name'}: not UTF-8 at character {lone.start()}"
            else:
                yield f"{pointer or 'a name'}: half a surrogate pair at character {lone.start()}; write the whole character"


def read_logs(paths: Sequence[str], *, skip_unreadable: bool = False) -> tuple[list[Source], list[Fault]]:
    """The logs in these files; an entry is a log, an object that holds one as `log`, or a session of
    `crs-eval simulate`.

    Raises CommandError, naming every place, for what is no log, unless told to leave it out."""
    faults: list[Fault] = []
    sources: dict[str, Source] = {}
    for number, entry in enumerate(entries(paths, faults), 1):
        found = source_of(entry, number)
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


def source_of(entry: Entry, number: int) -> Source | Fault:
    """The log in an entry, the `number`th of all; a Fault where there is none."""
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
        position=number if name is None else None,
    )
