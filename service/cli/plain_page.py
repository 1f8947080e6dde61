"""A page that shows where a CI server forbids scripts to artifacts: it has none, and needs no other file."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

STYLE = Path(__file__).parent / "plain_page.css"


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
