"""Log text is data written by strangers. Before it enters a prompt it loses what could pass for the
prompt's own: tags, the special tokens of chat templates, characters that nobody sees."""

# ruff: noqa: RUF001 - lookalike characters are what this is about

import re
from collections.abc import Sequence

_LINE_END = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Control characters, and all that Unicode calls default-ignorable but the two joiners.
_UNSEEN = (
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Joiners stay where scripts and emoji need them: one at a time, between letters or between pictures.
_JOINED = "[^\\W\\d_]|[\u0900-\u0dff\u0300-\u036f\u064b-\u065f\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff]"
_GONE = (
    re.compile(f"\r(?=\n)|[{_UNSEEN}]"),
    re.compile(f"[\u200c\u200d](?!{_JOINED})|(?<!{_JOINED})[\u200c\u200d]"),
)
# A `<` stays before a number, and before a blank that neither a letter nor the sign of a tag follows.
_TAG = re.compile(r"[<＜﹤](?!\s*(?!0[xX])\d|\s+[^\s/!?|｜\w])")
_TEMPLATE_MARK = re.compile(
    r"\[(?=/?(?:(?i:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|ARGS|CALL_ID|"
    r"gMASK|sMASK|CLS|SEP|PAD|UNK|BOS|EOS|IMG)|[A-Z][A-Z_]{3,})\])"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

OPENING = "‹"
"""Stands for a `<` that could open a tag: looks alike to a reader, and is none."""


def neutralise(text: str) -> str:
    """The text with its words untouched, but unable to open or close a tag, to look like a special
    token, or to hide anything. Doing it twice changes nothing more."""
    for gone in _GONE:
        text = gone.sub("", text)
    text = _LONE_SURROGATE.sub("\ufffd", _LINE_END.sub("\n", text))
    return _TEMPLATE_MARK.sub("(", _TAG.sub(OPENING, text))


def origins(text: str) -> Sequence[int]:
    """For each character of `neutralise(text)` the index of the one in `text` that it stands for."""
    places: Sequence[int] = range(len(text))
    for gone in _GONE:
        kept: list[int] = []
        end = 0
        for found in gone.finditer(text):
            kept += places[end : found.start()]
            end = found.end()
        places = [*kept, *places[end:]] if end else places
        text = gone.sub("", text)
    return places


def one_line(text: str) -> str:
    """The text made harmless, on a single line: nothing after a line break can pass for a line of the prompt."""
    return " ".join(neutralise(text).split())
