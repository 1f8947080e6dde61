"""Check the prose of pages: long sentences, long paragraphs, and words that house style replaces. Docstrings, comments and
descriptions must also begin as house style asks. In docstrings, which list fields, a colon or semicolon ends a sentence too.

`python -m tools.prose [FILE ...]` prints one line a finding and exits with 1 if there is any. Without files it reads every page,
module and contract that git tracks. Only running text counts: code, tables and
headings are left out.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from io import StringIO
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

MOST_WORDS = 24
MOST_LINES = 6
MODULES = ("*.py",)
CONTRACTS = ("openapi/openapi.json", "openapi/live.json")
PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "docs/**/*.md",
    "clients/*/README.md",
    "examples/**/*.md",
    "benchmarks/results/*.md",
)

REPLACED = {
    r"takes its leave": "ends the conversation",
    r"anew": "again, or: regenerated, rebuilt, repeated",
    r"told apart|tells? apart": "distinguished",
    r"of ours": "our own",
    r"wants an? key": "requires a key",
    r"as far as": "in proportion to, or: where",
    r"not held so": "not limited",
    r"speaks HTTP to": "calls over HTTP",
    r"finds no room": "is over the limit",
    r"waits? in line": "waits in a queue",
    r"lets no one wait": "shares",
    r"(?:is|are) held to": "must keep to, or: is limited to",
    r"for want of": "because ... is missing",
    r"whoever": "the program that, or: the user who",
    r"goes by": "uses, or: depends on, or: is called",
}
_REPLACED = [
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), better) for pattern, better in REPLACED.items()
]
_QUESTION = re.compile(r"(?:What|Whether|How|Who|Whom|Whose|Which|Where|When|Why)\b")
_QUESTION_IN_COMMENT = re.compile(
    rf"#:\s*{_QUESTION.pattern}|#\s*(?:What|Whether|How|Who|Whom|Whose|Which|Why)\b"
)
_DESCRIPTION = re.compile(r'\s*"(?:description|summary)": (".*"),?$')
_SENTENCE_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][)\"”]))\s+")
_CLAUSE_END = re.compile(r"(?:(?<=[.!?:;])|(?<=[.!?:;][)\"”]))\s+")
#: Names in a row, as in a list of fields, which count as one word.
_NAMES = re.compile(r"CODE(?:,? (?:and |or )?CODE)+")


class Finding(NamedTuple):
    """A fault of a page: `line` is 1-based, where its paragraph begins."""

    line: int
    fault: str


class Paragraph(NamedTuple):
    """Running text of a page, code spans as one word each; `lines` are the lines that it takes in the source."""

    line: int
    lines: int
    text: str


def paragraphs(markdown: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a page, those of lists included, tables, code and quoted talk left out."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    quoted = 0
    for before, token in pairwise(tokens):
        quoted += {"blockquote_open": 1, "blockquote_close": -1}.get(before.type, 0)
        if quoted:
            continue
        if before.type == "paragraph_open" and token.type == "inline" and before.map:
            first, end = before.map
            yield Paragraph(first + 1, end - first, _text(token.children or []))


def _text(children: Sequence[Token]) -> str:
    stands_for = {"softbreak": " ", "code_inline": "CODE"}
    return "".join(
        token.content if token.type == "text" else stands_for.get(token.type, "") for token in children
    )


def findings(markdown: str) -> Iterator[Finding]:
    """Yield what house style says against a page: sentences of 25 words or more, paragraphs over six lines, replaced words."""
    for line, lines, text in paragraphs(markdown):
        if lines > MOST_LINES:
            yield Finding(line, f"a paragraph of {lines} lines (at most {MOST_LINES})")
        yield from _faults(line, text, _SENTENCE_END)


def _faults(line: int, text: str, end: re.Pattern[str]) -> Iterator[Finding]:
    for sentence in end.split(_NAMES.sub("CODE", text)):
        if (words := len(sentence.split())) > MOST_WORDS:
            yield Finding(line, f"a sentence of {words} words (at most {MOST_WORDS}): {sentence[:70]}...")
    for pattern, better in _REPLACED:
        for match in pattern.finditer(text):
            yield Finding(line, f"“{match[0]}”: write {better}")


def docstrings(source: str) -> Iterator[Finding]:
    """Yield what house style says against the docstrings of a module, those of its values too: long sentences, replaced words, and a
    question word at the beginning instead of a verb or a noun. Trees are left out."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if "├" not in text:
                if _QUESTION.match(text.strip()):
                    fault = f"a docstring that begins with a question word: {text.strip()[:50]}..."
                    yield Finding(node.lineno, fault)
                for line, _, paragraph in paragraphs(cleandoc(text)):
                    yield from _faults(node.lineno + line - 1, paragraph, _CLAUSE_END)


def described(contract: str) -> Iterator[Finding]:
    """Yield what house style says against the descriptions of a contract: the faults of pages, and beginning with a question word."""
    lines = contract.splitlines()
    for number, line in enumerate(lines, 1):
        if description := _DESCRIPTION.match(line):
            text = json.loads(description[1])
            yield from (
                Finding(number, found.fault) for found in findings(text) if "paragraph" not in found.fault
            )
            if _QUESTION.match(text):
                yield Finding(number, f"a description that begins with a question word: {text[:50]}...")


def comments(source: str) -> Iterator[Finding]:
    """Yield the comments of a module that begin with a question word, and words in them that house style replaces. A plain one may
    begin with Where or When: both begin conditions."""
    last = 0
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if line > last + 1 and _QUESTION_IN_COMMENT.match(token.string):
                yield Finding(line, f"a comment that begins with a question word: {token.string[:50]}...")
            for pattern, better in _REPLACED:
                if found := pattern.search(token.string):
                    yield Finding(line, f"“{found[0]}”: write {better}")
            last = line


def main() -> None:
    """Print the findings of the files named, or of every page, module and contract; exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    files = parser.parse_args().files or _tracked()
    found = [f"{path}:{fault.line}: {fault.fault}" for path in files for fault in _read(path)]
    print("\n".join(found) or f"prose: {len(files)} files, nothing found")
    sys.exit(bool(found))


def _read(path: Path) -> Iterator[Finding]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return chain(docstrings(text), comments(text))
    return described(text) if path.suffix == ".json" else findings(text)


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *PAGES, *MODULES, *CONTRACTS],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted({Path(name) for name in listed.split("\0") if name and "/generated/" not in name})


if __name__ == "__main__":
    main()
