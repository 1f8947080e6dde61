"""Patterns and word lists as data: one TOML file a subject, read and compiled at first use."""

import re
import tomllib
from functools import cache
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


@cache
def compiled(name: str, *path: str) -> re.Pattern[str]:
    """The alternatives listed at a path, as one pattern that ignores case. `{name}` in an alternative
    stands for the entry of that name in the file's table `parts`; `(?-i:...)` minds case."""
    tables = load(name)
    found: Any = tables
    for key in path:
        found = found[key]
    joined = "|".join(f"(?:{alternative})" for alternative in found)
    for part, pattern in tables.get("parts", {}).items():
        joined = joined.replace("{" + part + "}", f"(?:{pattern})")
    return re.compile(joined, re.IGNORECASE | re.MULTILINE)


@cache
def word_set(name: str, *path: str) -> frozenset[str]:
    """The words listed at a path, in one string or in several."""
    found: Any = load(name)
    for key in path:
        found = found[key]
    return frozenset((found if isinstance(found, str) else " ".join(found)).split())
