"""The text of a file in any usual encoding, and which one that was."""

import codecs
import re
from contextlib import suppress

from ..imported import OptionError

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
