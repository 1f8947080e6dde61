"""Body and answer of `/import`, a checked request as an import, and imports as logs that the other routes take."""

import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from ...errors import FieldError, InvalidRequest
from ...importing.entries import NAMELESS, Fault
from ...importing.formats import AUTO, format_names
from ...importing.imported import Imported, OptionError, Wanted, kept_of, named, total
from ...importing.importer import Import
from ...importing.reading import mapping
from ..answers import Patience
from ..parsing import DEEPEST, allowance, check_shape, shape
from ..wire.log import Log
from ..wire.model import MOST, Incoming, Outgoing, choice

EXAMPLE_REQUEST: dict[str, Any] = {
    "text": "User: A quiet film, please.\nBot: Try Paper Lanterns (2009): slow, and set by the sea.\n",
    "name": "session-12.txt",
}

if TYPE_CHECKING:
    ImportFormat = str
else:
    ImportFormat = choice(
        "ImportFormat",
        [AUTO, *format_names()],
        "Formats that conversations are read from, as `--from` names them.",
    )

Name = Annotated[str, Field(min_length=1, max_length=200)]
MOST_UNREADABLE = 100


class ImportRequest(Incoming):
    """The content of one file in any format that `crs-eval import` reads: `text`, or the bytes as `base64`."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_REQUEST]})

    text: str | None = Field(None, min_length=1, description="The content as text.")
    base64: str | None = Field(None, min_length=1)
    """The content as bytes in base64, for files that are not UTF-8."""
    name: Name | None = Field(None, examples=["session-12.txt"])
    """The file's name: it names a conversation without an id of its own."""
    format: ImportFormat | None = None
    """`auto` by default: the format of each entry is detected."""
    map: dict[Name, Name] | None = Field(None, examples=[{"role": "speaker", "content": "utterance"}])
    """Their field by ours, as in `{"content": "utterance"}`; theirs may be a path such as `message.text`."""
    roles: dict[Name, Name] | None = Field(None, examples=[{"buyer": "user", "seller": "assistant"}])
    """The role that each name stands for."""
    system: Name | None = Field(None, description="The recommender that spoke, where the data does not say.")
    domain: Name | None = Field(None, description="The domain, where the data does not say.")
    encoding: Name | None = Field(None, examples=["shift_jis"])
    """Of bytes that are not UTF-8, UTF-16 or Windows-1252."""
    one_file_one_conversation: bool | None = None
    """True joins all that the file holds into one conversation."""


class Unreadable(Outgoing):
    """A place that could not be read."""

    place: str = Field(description="The file, and the line or entry in it.", examples=["logs.jsonl:12"])
    detail: str


class ImportAnswer(Outgoing):
    """Logs for the other routes, and an account of what became of the data."""

    logs: list[Log] = Field(min_length=1, max_length=MOST)
    formats: dict[str, int] = Field(description="Number of entries that were read as each format.")
    noted: list[str] = Field(description="An encoding or a delimiter that was recognised.")
    kept: dict[str, int] = Field(description="Number of occurrences of each field in the logs.")
    left_out: dict[str, int]
    """Number of occurrences of each field of the data that has no place in a log. Labels are among them:
    `crs-eval import` keeps those in a file."""
    unreadable: list[Unreadable] = Field(
        description=f"The first {MOST_UNREADABLE} places that could not be read."
    )


LINE = 950
"""Bytes that a line takes which holds a message and little else: as a row, as a message of a log and in the answer."""

_SPOKEN = re.compile(rb"\\n(?:#|[^\\\"\n]{1,40}[:>\]])")
"""A line inside a JSON string that may be a message of a transcript."""
_MOST_SHOWN = 20
_FIXES = {
    "map": "name a field that is in the data",
    "roles": 'send the names with their roles, as {"Anna": "user", "Ben": "assistant"}',
    "encoding": "name an encoding of text, such as shift_jis, or leave it out",
}
_FIX = (
    "name the format, map the fields with `map`, the speakers with `roles`, or name the `encoding` of bytes"
)


def import_file(asked: ImportRequest, patience: Patience, most: int) -> dict[str, Any]:
    """Read the content that was sent, and return the fields of an `ImportAnswer`; conversations of over `most` messages are unreadable.
    Raises InvalidRequest where no conversation can be read from it, or an option cannot be met, and what `patience` raises."""
    pointer = "/text" if asked.base64 is None else "/base64"
    contents = [(asked.name or NAMELESS[-1], _content(asked))]
    _check(contents[0][1], pointer)
    try:
        under_way = Import(_taken_out(contents), str(asked.format or AUTO), _wanted(asked))
        del asked  # what is read is let go as soon as something is made of it
        made = sound(_patiently(under_way.logs(), patience), under_way.faults, most)
    except OptionError as error:
        raise InvalidRequest.at(f"/{error.option}", str(error), _FIXES[error.option]) from None
    if not made:
        raise _nothing(pointer, under_way.faults)
    labels = total(named(row) for one in made for row in one.labels)
    return {
        "logs": [one.log for one in made],
        "formats": under_way.taken,
        "noted": under_way.noted,
        "kept": total(kept_of(one, labels=False) for one in made),
        "left_out": total([under_way.left, labels, *(one.left for one in made)]),
        "unreadable": under_way.faults[:MOST_UNREADABLE],
    }


def _check(content: bytes, pointer: str) -> None:
    """Raise InvalidRequest for more parts, or more lines, than a body of this size may have: each line may be a message."""
    try:
        check_shape(shape(content), DEEPEST)
    except InvalidRequest as error:
        [fault] = error.errors
        raise InvalidRequest.at(pointer, fault.detail, fault.fix) from None
    lines = content.count(b"\n") + sum(1 for _ in _SPOKEN.finditer(content))
    if lines * LINE > allowance(len(content)):
        detail = f"has {lines} lines in {len(content)} bytes, which is more than a body of this size may"
        raise InvalidRequest.at(pointer, detail, "send the file in parts")


def _taken_out(contents: list[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    while contents:
        yield contents.pop()


def sound(found: Iterable[Imported], faults: list[Fault], most: int | None = None) -> list[Imported]:
    """Return valid logs with unique ids, of at most so many messages; the others are added to `faults`."""
    made: list[Imported] = []
    places: dict[str, str] = {}
    for imported in found:
        name = imported.log.get("id")
        messages = len(imported.log["messages"]) + len(imported.log.get("history", ()))
        if most is not None and messages > most:
            faults.append(Fault(imported.place, f"{messages} messages, where {most} are allowed"))
            continue
        try:
            Log.model_validate_json(json.dumps(imported.log))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            faults.append(Fault(imported.place, f"{place}: {first['msg']}"))
            continue
        if name in places:
            faults.append(Fault(imported.place, f"its id {name!r} is that of {places[name]}"))
            continue
        if name is not None:
            places[name] = imported.place
        made.append(imported)
    return made


def _content(asked: ImportRequest) -> bytes:
    """The bytes to read. Raises InvalidRequest unless there is exactly one content."""
    if asked.text is not None and asked.encoding is not None:
        raise InvalidRequest.at(
            "/encoding", "the encoding of a text is known", "leave it out, or send bytes in `base64`"
        )
    if asked.text is not None and asked.base64 is None:
        return asked.text.encode()
    if asked.text is not None or asked.base64 is None:
        raise InvalidRequest.at("/text", "one content is needed", "send `text`, or `base64`, and not both")
    try:
        return binascii.a2b_base64(asked.base64, strict_mode=True)
    except ValueError:  # of characters beyond ASCII too
        raise InvalidRequest.at(
            "/base64", "not base64", "encode the bytes with the standard alphabet and padding"
        ) from None


def _wanted(asked: ImportRequest) -> Wanted:
    return Wanted(
        asked.system,
        asked.domain,
        {},
        mapping.fields(asked.map or {}),
        mapping.roles(asked.roles or {}),
        asked.encoding if asked.text is None else "utf-8",
        bool(asked.one_file_one_conversation),
    )


def _patiently(found: Iterator[Imported], patience: Patience) -> Iterator[Imported]:
    for imported in found:
        patience.check()
        yield imported


def _nothing(pointer: str, faults: Sequence[Fault]) -> InvalidRequest:
    """Return the refusal of a content that holds no conversation: each place, and why."""
    shown: Sequence[object] = faults[:_MOST_SHOWN] or [Fault("the content", "it contains no conversation.")]
    return InvalidRequest(
        f"{pointer}: {shown[0]}", errors=[FieldError(pointer, str(fault), _FIX) for fault in shown]
    )
