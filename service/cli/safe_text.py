"""Text of logs and judges in formats where it could do more than be read."""

import html
import re

ZERO_WIDTH = "\u200b"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def markdown(text: str, longest: int = 300) -> str:
    """One line of Markdown that shows the text, calls nobody by an @, links and opens nothing."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= longest else flat[: longest - 1] + "…"
    escaped = _MARKDOWN.sub(r"\\\1", html.escape(cut, quote=False))
    # A bare address becomes a link, and a name behind an @ is told.
    return (
        escaped.replace("@", f"@{ZERO_WIDTH}")
        .replace("://", f":{ZERO_WIDTH}//")
        .replace("www.", f"www{ZERO_WIDTH}.")
    )


def cell(text: str) -> str:
    """A cell of a spreadsheet that is text, whatever it begins with."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def xml(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
