"""Formats that several commands write: JSON, CSV, Markdown, HTML and XML, safe for text of logs and judges."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

from .exits import CommandError

ZERO_WIDTH = "\u200b"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~])")
# Signs that could end the script that a JSON value stands in, or a line of it; surrogates have no bytes.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
STYLE = Path(__file__).parent / "plain_page.css"
Writer = TypeVar("Writer")


def markdown(text: str, longest: int = 300) -> str:
    """One line of Markdown that shows the text, calls nobody by an @, links and opens nothing."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= longest else flat[: longest - 1] + "…"
    escaped = _MARKDOWN.sub(r"\\\1", escape(cut, quote=False))
    # A bare address becomes a link, and a name after an @ gets a notification.
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


def plain_page(title: str, parts: Iterable[str]) -> str:
    """The whole document of these parts, which are HTML."""
    # Log text cannot fetch or run anything, even if some escape were forgotten.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main><h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>\n"
    )


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of text."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def by_suffix(path: Path, writers: Mapping[str, Writer]) -> Writer:
    """Return the writer of a file's format. Raises CommandError for a suffix that is unknown."""
    try:
        return writers[path.suffix.lower()]
    except KeyError:
        message = f"{path}: unknown suffix. Use one of {', '.join(writers)}."
        raise CommandError(message) from None


def json_text(value: Any, *, sort_keys: bool = False) -> str:
    """A JSON value as a file for people and programs."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=sort_keys) + "\n"


def json_lines(values: Iterable[Any]) -> str:
    """JSON values as a file, one a line."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV. Columns that a row lacks are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def markdown_lines(columns: Sequence[str], rows: Iterable[Sequence[object]], right: int = 0) -> list[str]:
    """A table of escaped cells as lines of Markdown; the last `right` columns are numbers."""
    rules = ["---"] * (len(columns) - right) + ["---:"] * right
    return [f"| {' | '.join(map(str, line))} |" for line in (columns, rules, *rows)]


@dataclass(frozen=True)
class JUnitCase:
    """A test case; `kind` is `failure`, `error` or `skipped`, and None where it passed."""

    name: str
    classname: str
    kind: str | None
    message: str
    text: str = ""


def junit_suite(root: ElementTree.Element, name: str, cases: Sequence[JUnitCase]) -> ElementTree.Element:
    """Add a suite of test cases with their counts to a JUnit document."""
    counts = {"tests": len(cases)}
    for total, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[total] = sum(case.kind == kind for case in cases)
    numbers = {total: str(count) for total, count in counts.items()}
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml(name), **numbers})
    for case in cases:
        about = {"name": xml(case.name), "classname": xml(case.classname), "time": "0"}
        made = ElementTree.SubElement(suite, "testcase", about)
        if case.kind is None:
            ElementTree.SubElement(made, "system-out").text = xml(case.message)
        else:
            found = ElementTree.SubElement(made, case.kind, {"message": xml(case.message)})
            found.text = xml(case.text) or None
    return suite


def xml_text(root: ElementTree.Element) -> str:
    """An XML document as a file."""
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"
