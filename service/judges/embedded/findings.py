"""Findings of a factor in a reading, before they become a verdict."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ...domain.verdict import DetectedFault, Evidence, Flag, TurnScore


@dataclass(frozen=True, slots=True)
class Finding:
    """A score on the factor's scale with its reasons."""

    score: float
    rationale: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    turns: tuple[TurnScore, ...] | None = None
    flags: tuple[Flag, ...] = ()
    counts: Mapping[str, float] | None = None
    faults: tuple[DetectedFault, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a factor cannot be assessed, and the fields that are missing."""

    code: str
    detail: str
    missing: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files(__package__) / "wording.toml").read_text(encoding="utf-8"))


def phrase(key: str, **values: object) -> str:
    """Return the text `table.key` of `wording.toml` with its values. Raises KeyError for a missing key or value."""
    name, _, rest = key.partition(".")
    return _texts()[name][rest].format(**values)


def count(number: int, noun: str) -> str:
    """Return "one reply", "3 replies": `noun` is a key of the table of plurals."""
    return f"one {noun}" if number == 1 else f"{number or 'no'} {phrase(f'plurals.{noun}')}"


def sure(instances: float, half: float = 2) -> float:
    """Return a confidence by amount, n / (n + half)."""
    return round(instances / (instances + half), 2)
