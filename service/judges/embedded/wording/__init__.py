"""The texts of rationales, reasons and flags: a TOML file for each stage of the judge, a table for each rule or module.

They stand outside the revision's digest, so that a better sentence leaves scores comparable. A text is one string, with its
values as `{name}`, or the two forms of a word for one and for many."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def texts() -> Mapping[str, Mapping[str, str | list[str]]]:
    """Return every table of every file, by its name."""
    found: dict[str, Mapping[str, str | list[str]]] = {}
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def table(name: str) -> Mapping[str, str]:
    """Return the plain texts of one table, by key."""
    return {key: text for key, text in texts()[name].items() if isinstance(text, str)}


def say(key: str, **values: object) -> str:
    """Return the text `table.key` with its values in their places. Raises KeyError for a key or a value that is missing."""
    text = _look_up(key)
    assert isinstance(text, str), key
    return text.format(**values)


def pair(key: str) -> tuple[str, str]:
    """Return the two forms of a word or phrase: for one, for many."""
    one, many = list(_look_up(key))
    return one, many


def _look_up(key: str) -> str | list[str]:
    name, _, rest = key.partition(".")
    return texts()[name][rest]
