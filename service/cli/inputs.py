"""Conversations from files, folders and standard input, each with the place it was read from."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, TypeVar

from ..importing.entries import Entry, Fault, text_entries
from .exits import CommandError
from .files import IMPORTED_SUFFIXES, STDIN, contents, files_of
from .options import ReadingOptions

Json = dict[str, Any]
Key = TypeVar("Key")
Value = TypeVar("Value")
MOST_FAULTS = 20
FEW_FAULTS = 3
"""Of files without any log, whose every line is a fault."""
_GUESSED = ReadingOptions()
_IMPORT = "crs-eval import FILE -o logs.jsonl"
_READING_OPTION = re.compile(r"^(.*?)(?=--(?:map|roles) )", re.MULTILINE)
"""A line up to the first option that only commands with `ReadingOptions` take."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


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
    def system(self) -> str | None:
        """The recommender that the log names."""
        name = self.log.get("system")
        return name if isinstance(name, str) else None

    @property
    def user(self) -> str | None:
        """Return whose conversation it is: `metadata.user`."""
        metadata = self.log.get("metadata")
        user = metadata.get("user") if isinstance(metadata, dict) else None
        return None if user is None else str(user)

    @property
    def digest(self) -> str:
        """16 hex digits over the log's content: what tells it from others where it has no id."""
        return json_digest(self.log)


def present(body: Mapping[str, Any]) -> Json:
    """Return the fields of a body that have a value."""
    return {name: value for name, value in body.items() if value is not None}


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key, in their order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def json_digest(value: Any) -> str:
    """16 hex digits over a JSON value: the same for the same, whatever the order of its fields."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def entries(paths: Sequence[str], faults: list[Fault]) -> Iterator[Entry]:
    """Every JSON value in these files: JSON Lines, a JSON value or array, folders of either, `-` for
    standard input. What cannot be read is added to `faults`. Raises CommandError for a path that is not there."""
    for name, content in contents(paths, faults):
        if content.startswith(_UTF_16):
            faults.append(Fault(name, "not UTF-8 at byte 0: it looks like UTF-16; save it as UTF-8"))
        else:
            # Bytes that are not UTF-8 become lone surrogates, so that they spoil the entry they stand in and no other.
            yield from text_entries(name, content.decode("utf-8-sig", "surrogateescape"), faults)


def placed_objects(paths: Sequence[str]) -> list[tuple[str, Json]]:
    """The JSON objects of these files, each with its place. Raises CommandError that names what is none."""
    faults: list[Fault] = []
    found = list(entries(paths, faults))
    faults += [Fault(one.place, "not a JSON object") for one in found if not isinstance(one.value, dict)]
    if faults:
        raise CommandError(format_faults(faults))
    return [(one.place, one.value) for one in found]


def objects(paths: Sequence[str]) -> list[Json]:
    """The JSON objects of these files. Raises CommandError that names what is none."""
    return [value for _, value in placed_objects(paths)]


def read_logs(
    paths: Sequence[str],
    *,
    skip_unreadable: bool | None = None,
    repeats: bool = False,
    notes: list[str] | None = None,
    reading: ReadingOptions | None = None,
) -> tuple[list[Source], list[Fault]]:
    """Return the logs in these files; an entry is a log, an object that holds one as `log`, or a session of
    `crs-eval simulate`. Other formats are read as by `crs-eval import`, with the options in `reading`; None means that the
    command has no such options. Lines about these files are added to `notes`. Two systems may have conversations with
    one id. With `repeats`, one system may too: they are repeats of one situation.

    Raises CommandError, naming every place, for entries that are not logs, unless `skip_unreadable` leaves them out; None means
    that the command has no such option."""
    faults: list[Fault] = []
    sources: list[Source] = []
    places: dict[tuple[str | None, str], str] = {}
    names: set[str] = set()
    options = reading or _GUESSED
    for number, entry in enumerate(readable(paths, faults, [] if notes is None else notes, options), 1):
        found = source_of(entry, number)
        if isinstance(found, Fault):
            faults.append(found)
            continue
        if found.position and found.conversation in names:  # a/chats.txt and b/chats.txt
            found = replace(found, conversation=found.place)
        names.add(found.conversation)
        given = {"system": options.system, "domain": options.domain}
        found.log.update({name: value for name, value in given.items() if value})
        earlier = places.setdefault((found.system, found.conversation), found.place)
        if earlier == found.place or repeats:
            sources.append(found)
        else:
            twice = f"its id {found.conversation!r} is that of {earlier}: two systems need `system`, one system needs different ids"
            faults.append(Fault(found.place, twice))
    if faults and not skip_unreadable:
        remedy = _remedy(paths, sources, can_skip=skip_unreadable is not None)
        text = format_faults(faults, MOST_FAULTS if sources else FEW_FAULTS)
        if reading is None and _READING_OPTION.search(text):
            text = _READING_OPTION.sub(rf"\1{_IMPORT} ", text)
            remedy = f"Import the file first, then pass logs.jsonl to this command. {remedy}"
        raise CommandError(f"{text}\n{remedy}")
    if not sources:
        raise CommandError(f"{', '.join(paths)}: no logs found.")
    return sources, faults


def readable(
    paths: Sequence[str], faults: list[Fault], notes: list[str], reading: ReadingOptions
) -> Iterator[Entry]:
    """Yield the logs in files of any format that `crs-eval import` reads. A file whose first entry is a log is read as it is."""
    from .importing.reading import imported_entries, wanted

    asked = wanted(reading)
    renamed = asked.fields or asked.roles or asked.encoding or asked.whole_files
    files = [
        [str(file)]
        for path in paths
        for file in ([path] if renamed or path == STDIN else files_of(path, IMPORTED_SUFFIXES))
    ]
    # Files whose names are mapped are read as one: a name may be in some of them alone.
    for group in [list(paths)] if renamed else files:
        own: list[Fault] = []
        read: Iterator[Entry] = iter(()) if renamed else entries(group, own)
        first = next(read, None)
        other: list[Fault] = []
        if first is not None and is_log(first):
            yield first
            yield from read
            faults += own
        elif found := list(imported_entries(group, other, notes, asked)):
            yield from found
            faults += other
        elif first is not None and isinstance(source_of(first), Source):
            yield from entries(group, faults)  # a log that the service refuses, and says why
        else:
            faults += other


def is_log(entry: Entry) -> bool:
    """Return whether an entry is a log of the contract."""
    from pydantic import ValidationError

    from ..usecases.wire.log import Log  # here, since it takes long to load

    found = source_of(entry)
    if isinstance(found, Fault):
        return False
    try:
        Log.model_validate(found.log)
    except ValidationError:
        return False
    return True


def _remedy(paths: Sequence[str], sources: Sequence[Source], *, can_skip: bool) -> str:
    """Return what to do about files that hold more than logs, or none."""
    if sources:
        return f"Fix them{', or leave them out with --skip-unreadable' if can_skip else ''}."
    if all(path != STDIN and Path(path).is_file() and Path(path).stat().st_size == 0 for path in paths):
        return "The input is empty. Pass a file with conversations (docs/file-formats.md)."
    return "No conversation was read. See docs/importing.md for the formats, and for how to name fields and speakers."


def format_faults(faults: Sequence[Fault], most: int = MOST_FAULTS) -> str:
    """Format the faults as lines, the first `most` of them."""
    lines = [str(fault) for fault in faults[:most]]
    more = len(faults) - len(lines)
    return "\n".join([*lines, *([f"... and {more} more"] if more else [])])


def source_of(entry: Entry, number: int = 1) -> Source | Fault:
    """Return the log in an entry, the `number`th of all, or a Fault. A log without an id is named by its place: `chats.txt:6`."""
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
        conversation=str(name) if name is not None else PurePath(entry.place).name,
        log=log,
        catalog=catalog if isinstance(catalog, str) else None,
        position=number if name is None else None,
    )
