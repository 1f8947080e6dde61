"""Findings of a factor in a reading, before they become a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...domain.verdict import DetectedFault, Evidence, Flag, TurnScore
from ...text.patterns import Lexicon

_TEXTS = Lexicon(__package__, "wording")


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


def phrase(key: str, **values: object) -> str:
    """Return the text `table.key` of `wording.toml` with its values. Raises KeyError for a missing key or value."""
    name, _, rest = key.partition(".")
    text: str = _TEXTS.tables[name][rest]
    return text.format(**values)


def count(number: int, noun: str) -> str:
    """Return "one reply", "3 replies": `noun` is a key of the table of plurals."""
    return f"one {noun}" if number == 1 else f"{number or 'no'} {phrase(f'plurals.{noun}')}"


def sure(instances: float, half: float = 2) -> float:
    """Return a confidence by amount, n / (n + half)."""
    return round(instances / (instances + half), 2)
