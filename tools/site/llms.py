"""`llms.txt`: the pages of the site with a sentence each, for language models (https://llmstxt.org)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ABOUT = (
    "A REST service that evaluates conversational recommender systems: scores with reasons, debates, simulated users, "
    "computed metrics, calibration to people."
)


def llms_text(nav: Sequence[Any], pages: Path) -> str:
    """The text for a site with this navigation, whose pages lie in `pages`."""
    return "\n".join(["# crs-eval", "", f"> {ABOUT}", *_sections(nav, pages), ""])


def _sections(nav: Sequence[Any], pages: Path) -> Iterator[str]:
    for part in nav:
        for title, entries in part.items():
            if isinstance(entries, str):
                yield from ("", _line(title, entries, pages))
                continue
            yield from ("", f"## {title}", "")
            for entry in entries:
                # Results of benchmarks are a list of pages, which the site's own index holds.
                yield from (_line(name, page, pages) for name, page in entry.items() if isinstance(page, str))


def _line(name: str, page: str, pages: Path) -> str:
    address = page.removesuffix("README.md").removesuffix("index.md").removesuffix(".md")
    said = _aim((pages / page).read_text(encoding="utf-8"))
    link = f"[{name}]({address.rstrip('/')}/)" if address else f"[{name}](index.html)"
    return f"- {link}: {said}" if said else f"- {link}"


def _aim(text: str) -> str:
    """Return what the reader can do at the end of a page, or else the first sentence, without marks."""
    for paragraph in text.split("\n\n"):
        plain = " ".join(paragraph.split())
        if plain and plain[0] not in "#<!|-:{=" and not paragraph.startswith(("    ", "```")):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
            sentences = re.split(r"(?<=[.!?])\s", plain.replace("**", ""))
            return next((one for one in sentences if one.startswith("At the end")), sentences[0])
    return ""
