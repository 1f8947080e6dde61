"""Read a model's answer without trust: the last verdict in the text, checked against the scale."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.rubric import Factor, Scale
from ...domain.verdict import Evidence, Flag, TurnScore
from ...llm.answer_text import objects_in, printable

PARSER_REVISION = 3
"""Raised with every change that makes another verdict of the same answer."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that the model says decided, and in which message it says to have found it."""

    message: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One factor's verdict as the model gave it, or as code made it of a list. `score` None: nothing to apply the rubric
    to. What code has checked by itself stands in `evidence` instead of `quotes`."""

    score: float | None
    rationale: str
    assessable: bool
    quotes: tuple[Quote, ...]
    evidence: tuple[Evidence, ...] = ()
    turns: tuple[TurnScore, ...] | None = None
    counts: Mapping[str, float] | None = None
    flags: tuple[Flag, ...] = ()
    confidence: float | None = None
    scale_share: float | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason why no verdict can be had from an answer, in words that the model can mend it by."""

    problem: str


def read_answer(text: str, factors: Sequence[Factor]) -> dict[str, Reading | Unreadable]:
    """Each factor's verdict in an answer, by slug.

    The last JSON object with a verdict counts, whatever stands around it: fences, prose, an earlier
    verdict. An object that begins and cannot be read spoils what came before it, since it may have
    been meant to replace that."""
    found: dict[str, Any] | Unreadable = Unreadable("it holds no JSON object")
    slugs = {factor.slug for factor in factors}
    for value in objects_in(text):
        if value is None:
            found = Unreadable("its JSON is cut off or malformed")
        elif "score" in value or not slugs.isdisjoint(value):
            found = value
        elif isinstance(found, Unreadable):
            found = Unreadable("its JSON object holds no score")
    if isinstance(found, Unreadable):
        return dict.fromkeys(slugs, found)
    if len(factors) == 1:
        [factor] = factors
        inner = found.get(factor.slug) if "score" not in found else None
        return {factor.slug: _verdict(inner if isinstance(inner, dict) else found, factor)}
    return {factor.slug: _member(found, factor) for factor in factors}


def is_readable(text: str, factors: Sequence[Factor]) -> bool:
    """Return whether an answer holds a verdict for every factor."""
    return all(isinstance(reading, Reading) for reading in read_answer(text, factors).values())


def _member(whole: Mapping[str, Any], factor: Factor) -> Reading | Unreadable:
    part = whole.get(factor.slug)
    if not isinstance(part, dict):
        return Unreadable(f'there is no object under "{factor.slug}"')
    reading = _verdict(part, factor)
    return Unreadable(f"{factor.slug}: {reading.problem}") if isinstance(reading, Unreadable) else reading


def _verdict(raw: Mapping[str, Any], factor: Factor) -> Reading | Unreadable:
    rationale = raw.get("rationale")
    if not isinstance(rationale, str) or not rationale.strip():
        return Unreadable('"rationale" is missing or empty')
    if "score" not in raw:
        return Unreadable('"score" is missing')
    score = _level(raw["score"], factor.scale)
    if isinstance(score, Unreadable):
        return score
    assessable = raw.get("assessable")
    if not isinstance(assessable, bool):
        assessable = score is not None
    if assessable is (score is None) and (assessable or score != factor.no_occasion):
        return Unreadable(_contradiction(assessable, score, factor.no_occasion))
    return Reading(score, printable(rationale.strip()), assessable, tuple(_quotes(raw.get("evidence"))))


def _contradiction(assessable: bool, score: int | None, no_occasion: int | None) -> str:
    """Return what contradicts itself in a verdict, in words that the model can mend it by."""
    if assessable:
        return (
            '"assessable" is true and "score" is null: give one of the levels, or set "assessable" to false'
        )
    instead = "null" if no_occasion is None else f"null or {no_occasion}"
    return f'"assessable" is false and "score" is {score}: the score is then {instead}'


def _level(value: object, scale: Scale) -> int | Unreadable | None:
    if value is None:
        return None
    number = value
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,4}(\.0{1,9})?", value.strip()):
        number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or number not in scale.levels:
        return Unreadable(f'"score" is none of the levels {scale.min} to {scale.max}, nor null')
    return int(number)


def _quotes(raw: object) -> Iterator[Quote]:
    for entry in raw if isinstance(raw, list) else ():
        text = entry.get("quote") if isinstance(entry, dict) else entry
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(text, str) and text.strip():
            number = message if isinstance(message, int) and not isinstance(message, bool) else None
            yield Quote(number, printable(text.strip()))


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a draw gave no verdict, though its answer may have been read."""

    code: str
    detail: str
    retry_after: float | None = None
