"""The formats, a TOML file each. Adding one is adding a file here, and a module of `readers` where expressions do not suffice."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..declared.reading import Format

AUTO = "auto"
"""The name that distinguishes formats."""


def format_names() -> list[str]:
    """The names of all formats, by the names of their files."""
    names = (file.name for file in files(__package__).iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def formats() -> Mapping[str, "Format"]:
    """All formats by name."""
    from ..declared.reading import Format  # JMESPath is for imports alone

    return {name: Format.of(files(__package__) / f"{name}.toml") for name in format_names()}
