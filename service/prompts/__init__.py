"""Prompts as text files, rendered strictly; and log text made harmless before it enters one.

A file has `{{name}}` in it. A missing or an extra name is an error, not an empty place."""

import re
from functools import cache
from importlib.resources import files

from .hostile import neutralise, one_line

__all__ = ["neutralise", "one_line", "prompt", "render"]

_NAME = re.compile(r"\{\{(\w+)\}\}")


def render(template: str, **values: str) -> str:
    """The template with every name replaced by its value. Values are taken as they are: a `{{name}}`
    inside one stays. Raises ValueError for a name without a value or a value without a name."""
    names = set(_NAME.findall(template))
    if names != values.keys():
        missing, extra = sorted(names - values.keys()), sorted(values.keys() - names)
        raise ValueError(f"no value for {missing}" if missing else f"no place for {extra}")
    return _NAME.sub(lambda found: values[found[1]], template)


@cache
def prompt(name: str) -> str:
    """The text of a file in this package: `judge/instruction` for judge/instruction.txt."""
    text = files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
    return text.removesuffix("\n")
