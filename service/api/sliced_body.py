"""Bodies whose longest list is checked slice by slice, so that never much of it is in memory as values."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotated_types import MaxLen
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ..errors import BodyTooLarge
from .body import RATINGS_TIMES, Model, check_shape, invalid, parse, shape, values
from .faults import details, faults

SLICE = 500
"""Entries of a long list that are checked together."""

SLICED = 1 / 3
"""The share of its memory as a whole that a list takes when it is checked in slices."""

_FLAT = rb'\{(?>[^{}"]*+(?:"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"[^{}"]*+)*)\}'
_SLICE = re.compile(rb"(?<!\s)\s*(%b(?:\s*,\s*%b){0,%d})\s*[,\]]" % (_FLAT, _FLAT, SLICE - 1))


def parse_list(
    model: type[Model],
    field: str,
    entry: TypeAdapter[Any],
    body: bytes,
    max_depth: int,
    *,
    most: int | None = None,
) -> tuple[Model, Iterator[list[Any]]]:
    """The body as a `model` whose longest list is its `field`, and the entries of that list in slices: never
    are more than SLICE of them in memory. The model's own list holds the first slice alone; later ones are lists that
    `entry` reads.

    Raises as `parse` does; for entries after the first slice when they are reached. Raises BodyTooLarge for a body of more
    than `most` bytes that cannot be read in slices."""
    found = shape(body)
    large = most is not None and len(body) > most
    long = SLICE < found.objects <= _most(model, field)
    cuts = _cuts(body, field) if large or long else []
    if large and not cuts:
        raise BodyTooLarge(
            f"The body exceeds {most} bytes. Only `{field}` one by one may have up to {RATINGS_TIMES} times as many, as objects "
            "without lists or objects in them. Send fewer, or have the operator raise CRS_EVAL_MAX_BODY."
        )
    if not (long and cuts):
        whole = parse(model, body, max_depth)
        return whole, iter([getattr(whole, field)])
    check_shape(found, max_depth, SLICED)
    sliced = _Sliced(model, field, entry, body, cuts)
    head = sliced.head()
    return head, itertools.chain([getattr(head, field)], sliced.others())


def _most(model: type[BaseModel], field: str) -> int:
    return int(
        next(rule.max_length for rule in model.model_fields[field].metadata if isinstance(rule, MaxLen))
    )


def _cuts(body: bytes, field: str) -> list[tuple[int, int]]:
    """Return where each slice of a list of flat objects begins and ends; empty where the list cannot be made out."""
    name = re.compile(rb'"%b"\s*:\s*\[' % field.encode())
    found = [match.end() for match in itertools.islice(name.finditer(body), 2)]
    if len(found) != 1:
        return []
    [at] = found
    cuts = [(at, at)]
    while begun := _SLICE.match(body, at):
        at = begun.end()
        cuts.append((begun.start(1), begun.end(1)))
        if body[at - 1 : at] == b"]":
            return cuts[1:]
    return []


@dataclass(frozen=True)
class _Sliced:
    """A body whose list `field` is checked slice by slice; `cuts` tells where each begins and ends."""

    model: type[BaseModel]
    field: str
    entry: TypeAdapter[Any]
    body: bytes
    cuts: Sequence[tuple[int, int]]

    def head(self) -> Any:
        """The body with the first slice alone."""
        value = values(self.body[: self.cuts[0][1]] + self.body[self.cuts[-1][1] :])
        try:
            return self.model.model_validate(value)
        except ValidationError as error:
            found = details(error)
        raise invalid(self.model, itertools.chain(faults(self.model, found, value), self._faults(1)))

    def others(self) -> Iterator[list[Any]]:
        """The entries of the other slices. Raises as `parse` does when a wrong one is reached."""
        for number in range(1, len(self.cuts)):
            try:
                entries = self.entry.validate_python(self._slice(number))
            except ValidationError:
                raise invalid(self.model, self._faults(number)) from None
            yield entries

    def _slice(self, number: int) -> Any:
        start, end = self.cuts[number]
        return values(b"[%b]" % self.body[start:end])

    def _faults(self, number: int) -> Iterator[ErrorDetails]:
        """The faults of this slice and those behind it."""
        for later in range(number, len(self.cuts)):
            entries = self._slice(later)
            try:
                self.entry.validate_python(entries)
            except ValidationError as error:
                yield from faults(self.model, details(error), entries, (self.field,), later * SLICE)
