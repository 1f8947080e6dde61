"""The faults of a body beyond each list's first wrong entry.

pydantic notes every fault, at half a kilobyte each, before it tells the first. Lists of what callers send are
therefore left at their first wrong entry (`wire.model.Incoming`), and read on here, a slice at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from .validation_errors import Place, annotation_at
from .wire.model import Early, Incoming

SLICE = 200
"""Entries of a list that are checked together."""


def details(error: ValidationError) -> list[ErrorDetails]:
    """Return what an error tells, without the payload's own values."""
    return error.errors(include_url=False, include_input=False)


def faults(
    model: type[BaseModel], found: Sequence[ErrorDetails], value: Any, place: Place = (), before: int = 0
) -> Iterator[ErrorDetails]:
    """The faults in a payload of `model`, each with its whole place: those `found`, then those that follow in the
    lists that were left early. `value` may be some entries of the list at `place` alone, the first of which stands
    behind `before` others."""
    for fault in found:
        yield {**fault, "loc": _whole(fault["loc"], place, before)}
    for at, index in _left([fault["loc"] for fault in found], value).items():
        start = index + 1 if at or not place else before + index + 1
        entries = _reached(value, at)[index + 1 :]
        yield from _read_on(model, entries, _whole(at, place, before), start)


def _read_on(
    model: type[BaseModel], entries: Sequence[Any], place: Place, before: int
) -> Iterator[ErrorDetails]:
    entry: Any = Annotated[annotation_at(model, place), Early()]
    adapter = TypeAdapter[Any](entry, config=Incoming.model_config)
    for start in range(0, len(entries), SLICE):
        some = entries[start : start + SLICE]
        try:
            adapter.validate_python(some)
        except ValidationError as error:
            yield from faults(model, details(error), some, place, before + start)


def _left(places: Sequence[Place], value: Any) -> Mapping[Place, int]:
    """The lists that were left early and the last entry that was looked at, inner lists first."""
    left: dict[Place, int] = {}
    for place in places:
        for depth, part in enumerate(place):
            if isinstance(part, int) and isinstance(_reached(value, place[:depth]), list):
                left[place[:depth]] = part
    return dict(sorted(left.items(), key=lambda each: -len(each[0])))


def _reached(value: Any, place: Place) -> Any:
    """The part of a value at a place; None where a validator made that place up."""
    for part in place:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _whole(found: Place, place: Place, before: int) -> Place:
    if not place:
        return found
    if not found:
        return place
    index, *inner = found
    return (*place, before + int(index), *inner)
