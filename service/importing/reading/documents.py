"""Files as entries, recognised by content, not by name, in any usual encoding."""

import codecs
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from ...domain.plurals import counted
from ..entries import Entry, Fault, bad_byte, text_entries
from ..imported import OptionError, UnreadableError, Wanted, refusing
from . import tables, transcripts


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
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_OF_CODE = frozenset({
    "unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape", "punycode", "idna", "undefined",
})  # fmt: skip
"""Codecs from bytes to text that no file is written in; punycode takes quadratic time."""
WINDOWS = "cp1252"
"""The encoding of spreadsheets of Western Europe that are not in UTF-8."""
_STRANGE = re.compile(
    "[\u00c0-\u00ff]{5}|\\b[\u00c0-\u00ff]{3,}\\b|[^\\W\\d_][\u00a1-\u00a9\u00ab\u00ac\u00ae\u00af\u00b1-\u00b3\u00b5\u00b6\u00b8\u00b9\u00bb-\u00bf][^\\W\\d_]"
)
"""Letters of Windows-1252 in an order that no language of Western Europe has: those of another code page."""
_ICELANDIC, _OTHER = frozenset("ðþÐÞ"), frozenset("çüÇÜ")
"""Letters that stand together in no language, and in Turkish text that is taken for Windows-1252."""


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
        text, encoding = decoded(content, wanted.encoding)
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


def decoded(content: bytes, encoding: str | None = None) -> tuple[str, str]:
    """The text, and the name of its encoding: the one that is asked for, else what the first bytes say, else UTF-8; and
    Windows-1252 where no character beyond ASCII is UTF-8 and the letters make words.

    A byte that does not fit becomes a lone surrogate, so that it spoils the entry it stands in and no other. Raises
    OptionError for an encoding that nobody knows, or that is none of text."""
    if encoding is not None:
        return _in_encoding(content, encoding).removeprefix("\ufeff"), encoding
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if marked is not None:
        return content.decode(marked, "surrogateescape" if marked == "utf-8-sig" else "replace"), marked
    silent = _without_mark(content)
    if silent is not None:
        return content.decode(silent, "replace"), silent
    text = content.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= character <= "\udcff" for character in text)
    if bad and bad == sum(character > "\x7f" for character in text):
        with suppress(UnicodeDecodeError):
            western = content.decode(WINDOWS)
            letters = frozenset(western)
            if not (_STRANGE.search(western) or (letters & _ICELANDIC and letters & _OTHER)):
                return western, WINDOWS
    return text, "utf-8"


def _in_encoding(content: bytes, encoding: str) -> str:
    """The text in an encoding that somebody named. `bytes.decode` refuses codecs that unpack bytes, as zlib does."""
    try:
        is_text = codecs.lookup(encoding).name not in _OF_CODE
        return content.decode(encoding if is_text else "undefined", "surrogateescape")
    except UnicodeDecodeError as error:
        raise OptionError("encoding", f"{encoding}: {error}") from None
    except (LookupError, ValueError):
        raise OptionError("encoding", f"{encoding}: unknown encoding of text") from None


def _without_mark(content: bytes) -> str | None:
    """UTF-16 by its zeros, which no other text has: in names and numbers every second byte is one."""
    first = content[:400]
    even, odd = first[::2].count(0), first[1::2].count(0)
    if odd > 3 * even + 1:
        return "utf-16-le"
    return "utf-16-be" if even > 3 * odd + 1 else None
