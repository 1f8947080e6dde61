"""Enumerations of the contract whose values a registry holds."""

from collections.abc import Iterable
from enum import StrEnum


def choice(name: str, values: Iterable[str], meaning: str) -> type[StrEnum]:
    """An enumeration of these values, which the contract calls `name` and describes by `meaning`."""
    made: type[StrEnum] = StrEnum(name, [(value, value) for value in values])  # type: ignore[misc]
    made.__doc__ = meaning
    return made
