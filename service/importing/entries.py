"""JSON values of a text, each with the place where it stands; what cannot be read is named."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
GZIP_SUFFIX = ".gz"
NAMELESS = ("stdin", "text")
"""Sources without a file, which give entries no name."""
_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_BETWEEN = re.compile(r"[\s,\x1e]*+")
_TOO_LARGE = re.compile(r"\d[eE]\+?\d{3}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One JSON value and where it stands (`logs.jsonl:12`)."""

    place: str
    value: Any


@dataclass(frozen=True)
class Fault:
    """Something that could not be read: where, and why."""

    place: str
    detail: str
    speakers: Sequence[str] = ()
    """Names for which `--roles` is needed."""

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"


def plain_name(path: Path) -> Path:
    """The path without `.gz`: what says the format of the content."""
    return path.with_suffix("") if path.suffix == GZIP_SUFFIX else path


def text_entries(name: str, text: str, faults: list[Fault]) -> Iterator[Entry]:
    """Every JSON value in a text, decoded with `surrogateescape`. What cannot be read is added to `faults`."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if (values := _sequence(name, text, error)) is not None:
            yield from _sound(values, text, faults)
        elif text.lstrip().partition("\n")[0].strip() in ("[", "{"):  # one value over many lines
            place = f"{name}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else name
            faults.append(Fault(place, f"not JSON: {json_fault(error)}"))
        elif text.strip():
            # Only line feeds end a line: JSON strings may hold the other separators that splitlines() knows.
            yield from _lines(name, text.split("\n"), faults)
        else:
            faults.append(Fault(name, "empty"))
        return
    if whole in ([], {}):
        faults.append(Fault(name, "empty"))
    elif isinstance(whole, list):
        found = (Entry(f"{name}[{index}]", value) for index, value in enumerate(whole))
        yield from _sound(found, text, faults)
    else:
        yield from _sound([Entry(name, whole)], text, faults)


def _sequence(name: str, text: str, error: Exception) -> list[Entry] | None:
    """Return concatenated values, over lines or in one line, as `jq` and Firehose write them. None for one
    value per line, read separately, and for any other text."""
    if not isinstance(error, json.JSONDecodeError) or error.msg != "Extra data" or error.lineno == 2:
        return None
    decoder, found, at, line = json.JSONDecoder(), list[Entry](), 0, 1
    while at < len(text):
        space = _BETWEEN.match(text, at)
        begin = space.end() if space else at
        line += text.count("\n", at, begin)
        if begin == len(text):
            break
        try:
            value, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return None
        found.append(Entry(f"{name}:{line}", value))
        line += text.count("\n", begin, at)
    return found


def json_fault(error: ValueError | RecursionError) -> str:
    """Return the fault of a text that is not JSON (or TOML), without Python's advice to programmers."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    cause = str(error).partition(";")[0]
    return f"{cause}; Python's objects become JSON by json.dumps" if "in double quotes" in cause else cause


def _lines(name: str, lines: Iterable[str], faults: list[Fault]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            entry = Entry(place, json.loads(line))
        except (ValueError, RecursionError) as error:
            faults.append(Fault(place, bad_byte(line) or f"not JSON: {json_fault(error)}"))
        else:
            yield from _sound([entry], line, faults)


def bad_byte(text: str) -> str | None:
    """Return where text that was decoded with `surrogateescape` held a byte that is not UTF-8; None where it is sound."""
    found = re.search("[\udc80-\udcff]", text)
    if found is None:
        return None
    at = len(text[: found.start()].encode("utf-8", "surrogatepass"))
    return f"not UTF-8 at byte {at}. Name the encoding of the file by --encoding, or repair it"


def _sound(found: Iterable[Entry], text: str, faults: list[Fault]) -> Iterator[Entry]:
    """The entries of this text that JSON can carry; others are added to `faults`."""
    suspect = _suspect(text)
    for entry in found:
        wrong = next(_unsound(entry.value, ""), None) if suspect else None
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
            yield f"{pointer or 'the value'}: {value} is not a number in JSON; leave out the field, or write null"
        case str() if (lone := re.search("[\ud800-\udfff]", value)) is not None:
            if "\udc80" <= lone[0] <= "\udcff":
                yield f"{pointer or 'a name'}: not UTF-8 at character {lone.start()}"
            else:
                yield f"{pointer or 'a name'}: half a surrogate pair at character {lone.start()}; write the whole character"
