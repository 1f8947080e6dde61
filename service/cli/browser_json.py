"""JSON and numbers to the byte as a browser writes them, so that files of the command line equal those of the page."""

import json
import re
from decimal import Decimal
from typing import Any

# Signs that could end the script that the results stand in, or a line of it; surrogates have no bytes.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def script_json(value: Any) -> str:
    """A JSON value inside a script element of HTML, which nothing in it can end."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", browser_json(value))


def browser_json(value: Any) -> str:
    """A JSON value as JSON.stringify writes it."""
    match value:
        case dict():
            return "{" + ",".join(f"{_text(str(k))}:{browser_json(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(map(browser_json, value)) + "]"
        case str():
            return _text(value)
        case float():
            return browser_number(value)
        case _:
            return json.dumps(value)


def browser_number(value: float) -> str:
    """The shortest decimal that is this number, as ECMAScript writes it: `4`, `0.00005`, `1e-7`."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        digits = format(Decimal(repr(value)), "f")
        return digits.removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
