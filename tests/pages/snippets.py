"""Snippets of a page: its fenced blocks, each with the mark before it that says what becomes of it.

A mark is an HTML comment on the line before the fence, so that readers do not see it:

    <!-- file: crs-eval.toml -->      the block is written to that file in the page's folder
    <!-- post: /score -->             the JSON is posted to the running service, which must answer 200
    <!-- exit: 1 -->                  the block's last command ends with 1
    <!-- as: 8900 -->                 a command that keeps running, and answers on that port when it is ready
    <!-- not run: needs a cluster --> nobody runs it; `test_pages.py` bounds how many there are

Without a mark, `console` holds commands, `env` settings of the service, `text` what is neither.
`<!-- run: COMMAND -->` and `<!-- start: PORT COMMAND -->` stand by themselves: steps that readers do by hand, such as
labelling, and programs of theirs that run already."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    path for pattern in ("README.md", "docs/*.md", "examples/*/README.md") for path in ROOT.glob(pattern)
)
_MARK = re.compile(r"<!-- (?P<name>file|post|exit|as|not run|run|start): (?P<value>.+?) -->\s*$")


@dataclass(frozen=True)
class Snippet:
    """A block of a page, or a step between blocks (`language` is empty)."""

    page: Path
    line: int
    language: str
    text: str
    mark: str
    value: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def snippets(page: Path) -> Iterator[Snippet]:
    """All blocks of code of a page, in order. Raises ValueError for a block that is indented instead of fenced."""
    mark, value = "", ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "html_block" and (found := _MARK.search(token.content.strip())):
            mark, value = found["name"], found["value"]
            if mark in ("run", "start"):
                yield Snippet(page, line, "", value, mark, value)
                mark, value = "", ""
        elif token.type == "code_block":
            raise ValueError(f"{page.relative_to(ROOT)}:{line}: fence this block, and name its language")
        elif token.type == "fence":
            yield Snippet(page, line, token.info.split(" ")[0], token.content, mark, value)
            mark, value = "", ""


@dataclass(frozen=True)
class Command:
    """A command and what the page says that it prints (None: the page does not say)."""

    text: str
    printed: str | None


def commands(console: str) -> list[Command]:
    """Commands of a block in the language `console`: each begins with `$ `, goes on after a backslash, and prints the
    lines up to the next one."""
    found: list[tuple[list[str], list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif not found:
            raise ValueError(f"a block in the language console begins with a command, not with {line!r}")
        elif found[-1][0][-1].endswith("\\"):
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return [Command("\n".join(command), "\n".join(printed).strip() or None) for command, printed in found]
