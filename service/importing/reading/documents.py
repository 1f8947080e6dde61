"""Files as entries, recognised by content, not by name."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...domain.plurals import counted
from ..entries import Entry, Fault, bad_byte, text_entries
from ..imported import UnreadableError, Wanted, refusing
from . import tables, texts, transcripts


class Kind(StrEnum):
    """The notation of a file."""

    JSON = "JSON"
    TABLE = "table"
    TEXT = "text"


_BINARY = {
    b"PAR1": "Parquet; write it as JSON Lines first",
    b"PK\x03\x04": "a zip file or a spreadsheet; unpack it, or save the sheet as CSV",
    b"\x1f\x8b": "a gzip file; unpack it",
    b"%PDF": "a PDF; save its text as .txt",
    b"SQLite format 3": "a SQLite database; export the table as CSV or JSON Lines",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file; save it as text or CSV",
    b"{\\rtf": "RTF; save its text as .txt",
}


_JSON = re.compile(r"(?:\{|\[\s*(?:[\[{\"'\]]|-?\d[\d.eE+-]*\s*[,\]]|(?:true|false|null)\b))")
"""The begin of JSON; `[10:02] Anna` and `[LINE]` begin other texts."""
_NO_TALK = (
    "it has no speakers, and is neither JSON nor a table. In a text, start each message on a new line with a name and a colon: "
    "User: Hi. Names that say no role need an option: --roles Anna=user,Ben=assistant"
)


_YAML = re.compile(
    r"^[ \t-]{0,20}(?:messages|conversations?|dialogues?|dialogs?|turns|steps|history|test_cases|stories):[ \t]{0,9}\r?\n[ \t]{0,20}- ",
    re.IGNORECASE | re.MULTILINE,
)
"""A list under its name in YAML, which would be read as a transcript."""
_CELL = '<div class="outer-cell'
"""The begin of each activity in Google's My Activity, saved as HTML."""
_WHEN = re.compile(r"<br ?/?>([^<>]{4,60}\d:\d\d[^<>]{0,30})<br ?/?>")


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
    wanted: Wanted,
    faults: list[Fault],
    is_text: Callable[[str], bool],
) -> Iterator[Document]:
    """Every content, given by its name, with its entries, read as one of these kinds: JSON values, rows of a table, or the whole
    text. What cannot be read is added to `faults`. The caller's roles are names that begin messages too; `is_text` knows texts of
    other forms. Raises OptionError for an encoding that nobody knows."""
    for name, content in contents:
        binary = next((detail for mark, detail in _BINARY.items() if content.startswith(mark)), None)
        if binary is not None:
            faults.append(Fault(name, f"{binary}."))
            continue
        text, encoding = texts.decoded(content, wanted.encoding)
        if "\n" not in text:
            text = text.replace("\r", "\n")
        del content  # freed early, while the entries made from it grow
        noted = [] if encoding.startswith("utf-8") or wanted.encoding else [f"encoding {encoding}"]
        kind = Kind.TEXT if is_text(text) else _kind(text, kinds, wanted.roles)
        entries: tuple[Entry, ...] = ()
        with refusing(name, faults):
            entries = tuple(_entries(name, text, kind, noted, faults))
        del text
        yield Document(name, kind, entries, "; ".join(noted) or None)


def _entries(name: str, text: str, kind: Kind, noted: list[str], faults: list[Fault]) -> Iterable[Entry]:
    if not text.strip():
        raise UnreadableError("empty")
    start = text[:2000].lstrip()
    if start.startswith("<") and _CELL in text:
        return _activities(name, text)
    _check_notation(start)
    if kind is Kind.TABLE:
        delimiter = tables.delimiter_of(text) or ","
        if delimiter not in ",\t":
            noted.append(f"columns separated by {delimiter!r}")
        if titles := tables.titles_in(text, delimiter):
            noted.append(f"{counted(titles, 'line')} before the header left out")
        return tables.rows_of(name, text, delimiter, titles)
    if kind is Kind.TEXT:
        if wrong := bad_byte(text):
            raise UnreadableError(wrong)
        return [Entry(name, text)]
    if not (_JSON.match(start) or start.startswith('"')):
        raise UnreadableError(_NO_TALK)
    return text_entries(name, text, faults)


def _check_notation(start: str) -> None:
    """Raise UnreadableError for the beginning of a text that is HTML, XML or YAML."""
    if start.startswith("<") and "</" in start and not transcripts.is_template(start):
        raise UnreadableError("HTML or XML. Export it as JSON, or save what it shows as text")
    if _YAML.search(start):
        raise UnreadableError("YAML. Write it as JSON, for example by yq -o json")


def _kind(text: str, kinds: Sequence[Kind], roles: Mapping[str, str]) -> Kind:
    """Recognise a kind by the text's start, speakers or columns; else return the first of `kinds`."""
    if len(kinds) == 1:
        return kinds[0]
    if Kind.TEXT in kinds and transcripts.is_transcript(text, roles):
        return Kind.TEXT
    if Kind.JSON in kinds and (_JSON.match(text[:2000].lstrip()) or _CELL in text):
        return Kind.JSON
    if Kind.TABLE in kinds and tables.delimiter_of(text) is not None:
        return Kind.TABLE
    later = Kind.TEXT in kinds and transcripts.is_transcript(text, roles, from_the_start=False)
    return Kind.TEXT if later else kinds[0]


def _activities(name: str, text: str) -> list[Entry]:
    """The activities of a page of Google's, oldest first, as its JSON has them."""
    found = []
    for at, cell in enumerate(text.split(_CELL)[1:]):
        header = cell.partition('typography--title">')[2].partition("<")[0]
        body = cell.partition('typography--body-1">')[2].partition('<div class="content-cell')[0]
        title, time, answer = [*_WHEN.split(body, maxsplit=1), "", ""][:3]
        asked = html.unescape(re.sub(r"<br ?/?>", "\n", title)).replace("\xa0", " ")
        items = [{"html": answer}] if "<" in answer.removesuffix("</div>").strip() else []
        value = {"header": header, "products": [header], "title": asked, "time": time, "safeHtmlItem": items}
        found.append(Entry(f"{name}[{at}]", value))
    return found[::-1]
