"""Text of logs and judges in formats where it could do more than be read."""

import html
import json
import re
from typing import Any

ZERO_WIDTH = "\u200b"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~])")
# Signs that could end the script that a JSON value stands in, or a line of it; surrogates have no bytes.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
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


def script_json(value: Any) -> str:
    """A JSON value inside a script element of HTML, which nothing in it can end."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cell(text: str) -> str:
    """A cell of a spreadsheet that is text, whatever it begins with."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def xml(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
