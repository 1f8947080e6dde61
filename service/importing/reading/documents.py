"""Files as entries: what each holds by its content, whatever its name."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from ..entries import Entry, Fault, text_entries
from ..imported import UnreadableError
from . import tables, texts, transcripts


class Kind(StrEnum):
    """The notation of a file."""

    JSON = "JSON"
    TABLE = "table"
    TEXT = "text"


_BINARY = {
    b"PAR1": "Parquet; write it as JSON Lines first",
    b"PK\x03\x04": "a zip file or a spreadsheet; unpack it, or save the sheet as CSV",
    b"%PDF": "a PDF; save its text as .txt",
    b"SQLite format 3": "a SQLite database; export the table as CSV or JSON Lines",
}


_NO_TALK = (
    "no speaker was found in it, and it is neither JSON nor a table. In a text each message begins on a line of its own with a name "
    "and a colon: User: Hi"
)


@dataclass(frozen=True)
class Document:
    """A file's entries. `noted` says what of it is worth telling: an encoding, a delimiter."""

    name: str
    kind: Kind
    entries: Sequence[Entry]
    noted: str | None = None


def documents(
    contents: Iterable[tuple[str, bytes]],
    kinds: Sequence[Kind],
    faults: list[Fault],
    *,
    encoding: str | None = None,
    roles: Mapping[str, str] = MappingProxyType({}),
    is_text: Callable[[str], bool] = lambda _: False,
) -> Iterator[Document]:
    """Every content, given by its name, with its entries, read as one of these kinds: JSON values, rows of a table, or the whole
    text. What cannot be read is added to `faults`. `roles` are names that begin messages too; `is_text` knows texts of other
    forms. Raises OptionError for an encoding that nobody knows."""
    for name, content in contents:
        binary = next((told for mark, told in _BINARY.items() if content.startswith(mark)), None)
        if binary is not None:
            faults.append(Fault(name, f"{binary}."))
            continue
        text, told = texts.decoded(content, encoding)
        del content  # nobody needs it any longer, while what is made of it grows
        noted = None if told.startswith("utf-8") or encoding else f"encoding {told}"
        document = _document(
            name, text, Kind.TEXT if is_text(text) else _kind(text, kinds, roles), noted, faults
        )
        del text
        yield document


def _document(name: str, text: str, kind: Kind, noted: str | None, faults: list[Fault]) -> Document:
    if not text.strip():
        faults.append(Fault(name, "empty"))
        return Document(name, kind, ())
    match kind:
        case Kind.TABLE:
            delimiter = tables.delimiter_of(text) or ","
            if delimiter not in ",\t":
                noted = "; ".join(filter(None, (noted, f"columns separated by {delimiter!r}")))
            try:
                rows = tuple(tables.rows_of(name, text, delimiter))
            except UnreadableError as error:
                faults.append(Fault(name, str(error)))
                rows = ()
            return Document(name, kind, rows, noted)
        case Kind.TEXT:
            return Document(name, kind, (Entry(name, text),), noted)
    if text.lstrip()[0] not in '[{"':
        faults.append(Fault(name, _NO_TALK))
        return Document(name, Kind.JSON, ())
    return Document(name, Kind.JSON, tuple(text_entries(name, text, faults)), noted)


def _kind(text: str, kinds: Sequence[Kind], roles: Mapping[str, str]) -> Kind:
    """By what the text begins with, by who speaks in it, by its columns; the first of `kinds` where nothing tells."""
    if len(kinds) == 1:
        return kinds[0]
    talks = Kind.TEXT in kinds and transcripts.is_transcript(text, roles)
    if Kind.JSON in kinds and text.lstrip()[:1] in ("[", "{") and not talks:
        return Kind.JSON
    if talks:
        return Kind.TEXT
    if Kind.TABLE in kinds and tables.delimiter_of(text) is not None:
        return Kind.TABLE
    later = Kind.TEXT in kinds and transcripts.is_transcript(text, roles, from_the_start=False)
    return Kind.TEXT if later else kinds[0]
