"""Log text is data written by strangers. Before it enters a prompt it loses what could pass for the
prompt's own: tags, the special tokens of chat templates, characters that nobody sees."""

# ruff: noqa: RUF001 - lookalike characters are what this is about

import re

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
# Signs without width may stand between `<` and what makes it a tag; other brackets look like it.
_TAG = re.compile("[<＜﹤](?=[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*[/!?|｜a-zA-Z_])")
_TEMPLATE_MARK = re.compile(r"\[(?=/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])", re.IGNORECASE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

OPENING = "‹"
"""Stands for a `<` that could open a tag: looks alike to a reader, and is none."""


def neutralise(text: str) -> str:
    """The text with its words untouched, but unable to open or close a tag, to look like a special
    token, or to hide anything. Doing it twice changes nothing more."""
    text = _LONE_SURROGATE.sub("\ufffd", text)
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    return _TEMPLATE_MARK.sub("(", _TAG.sub(OPENING, text))
