"""Patterns and word lists as data: one TOML file a subject, read and compiled at first use."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Any


@cache
def load(name: str) -> dict[str, Any]:
    """The tables of `<name>.toml`."""
    return tomllib.loads(source(name))


@cache
def source(name: str) -> str:
    """The text of `<name>.toml`: what an evaluator's revision covers."""
    return (files(__name__) / f"{name}.toml").read_text(encoding="utf-8")


class Finder:
    """A pattern that ignores case. Small letters are looked for in small letters, which takes less time
    than ignoring case: so matches tell where something stands, and not how it is written there."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._small = None if "(?-i:" in pattern else re.compile(_small(pattern), re.MULTILINE)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        pattern, text = self._ready(text)
        return pattern.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches."""
        pattern, text = self._ready(text)
        return pattern.finditer(text)

    def sub(self, instead: str, text: str) -> str:
        """The text with `instead` for all matches, the rest as it is written."""
        return self._as_written.sub(instead, text)

    def _ready(self, text: str) -> tuple[re.Pattern[str], str]:
        if self._small is not None and len(small := text.lower()) == len(text):
            return self._small, small
        return self._as_written, text  # a letter that is two when small would move all that follow

    @cached_property
    def _as_written(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE | re.MULTILINE)


def _small(pattern: str) -> str:
    """The pattern with its letters small, classes such as `\\W` left alone."""
    return re.sub(r"(\\.)|([^\W\d_])", lambda found: found[1] or found[2].lower(), pattern)


@cache
def compiled(name: str, *path: str) -> Finder:
    """The alternatives listed at a path, as one pattern that ignores case. `{name}` in an alternative
    stands for the entry of that name in the file's table `parts`; `(?-i:...)` minds case."""
    tables = load(name)
    found: Any = tables
    for key in path:
        found = found[key]
    joined = "|".join(f"(?:{alternative})" for alternative in found)
    for part, pattern in tables.get("parts", {}).items():
        joined = joined.replace("{" + part + "}", f"(?:{pattern})")
    return Finder(joined)


@cache
def word_set(name: str, *path: str) -> frozenset[str]:
    """The words listed at a path, in one string or in several."""
    found: Any = load(name)
    for key in path:
        found = found[key]
    return frozenset((found if isinstance(found, str) else " ".join(found)).split())
