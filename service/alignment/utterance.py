"""Normalise the spelling of a reply for the pair classifier, in training and in service alike."""

import re

MAX_TOKENS = 64
"""Word pieces of an utterance that the encoder reads, its two marks included."""

# UTF-8 that was read as Windows-1252, and a lost apostrophe; both are common in exported chat logs.
_MOJIBAKE = re.compile("[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac]")
_LOST_APOSTROPHE = re.compile("(?<=[^\\W\\d_])\ufffd+(?=[^\\W\\d_])")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2026": "..."}
)
_MARK = re.compile(r"QUOTATION_MARK")
_YEAR = re.compile(r"\s{0,9}[(\[]\s{0,9}(?:18|19|20)\d\d\s{0,9}[)\]]")
_MENTION = re.compile(r"@\d{2,}")


def normalise(text: str) -> str:
    """One line in lower case: mojibake mended, quotes straight, years behind titles gone, ReDial's
    `@12345` read as a title. Empty for a text without a visible character."""
    if _MOJIBAKE.search(text):
        text = _mended(text)
    text = _LOST_APOSTROPHE.sub("'", text).replace("\ufffd", " ")
    text = _MARK.sub('"', text.translate(_QUOTES))
    text = _MENTION.sub("that movie", _YEAR.sub("", text))
    return " ".join(text.lower().split())


def _mended(text: str) -> str:
    for wrong in ("cp1252", "latin-1"):
        try:
            return text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
    return text
