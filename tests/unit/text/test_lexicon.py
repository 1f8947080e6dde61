"""Every lexicon is whole, and none can be made to run for long by hostile text."""

import time
import tomllib

import pytest

from service.text.lexicon import compiled, load, source

PATTERNS = [
    (name, path)
    for name in ("acts", "courtesy", "degenerate", "grammar", "reasons")
    for path in (
        [(key,) for key, value in load(name).items() if isinstance(value, list)]
        + [
            (table, key)
            for table, rows in load(name).items()
            if isinstance(rows, dict)
            for key, value in rows.items()
            if isinstance(value, list)
        ]
    )
]
HOSTILE = ["a" * 60_000, "i " * 30_000, "the " * 15_000, "?" * 60_000, "tell me " * 8_000, "what movie " * 6_000, " " * 60_000,
           "is a\n" * 12_000, "A" * 30_000 + "a" * 30_000, "1: a\n" * 12_000, "you are " * 8_000, "not " * 15_000, "<" * 60_000,
           "have you seen The " * 4_000, "the great " * 6_000, "User" * 15_000]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["acts", "courtesy", "degenerate", "grammar", "languages", "reactions", "reasons", "topics"]
)
def test_lexicons_parse(name: str) -> None:
    assert tomllib.loads(source(name)) == load(name)


@pytest.mark.parametrize(("name", "path"), PATTERNS, ids=str)
def test_patterns_stay_linear(name: str, path: tuple[str, ...]) -> None:
    pattern = compiled(name, *path)
    for text in HOSTILE:
        start = time.process_time()
        for _ in pattern.finditer(text):
            pass
        assert time.process_time() - start < 5, (name, path, text[:20])
