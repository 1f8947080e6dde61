"""Bodies whose longest list is checked slice by slice, so that never much of it is in memory as values."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from annotated_types import MaxLen
from pydantic import BaseModel, TypeAdapter, ValidationError

from ..errors import BodyTooLarge
from .body import RATINGS_TIMES, Model, check_shape, checked, details, invalid, parse, shape, values

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
    head = checked(model, values(body[: cuts[0][1]] + body[cuts[-1][1] :]))
    return head, itertools.chain([getattr(head, field)], _others(model, field, entry, body, cuts))


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


def _others(
    model: type[BaseModel], field: str, entry: TypeAdapter[Any], body: bytes, cuts: Sequence[tuple[int, int]]
) -> Iterator[list[Any]]:
    """The entries of all slices but the first."""
    for number, (start, end) in enumerate(cuts[1:], 1):
        try:
            entries = entry.validate_python(values(b"[%b]" % body[start:end]))
        except ValidationError as error:
            found = details(error)
        else:
            yield entries
            continue
        for fault in found:
            index, *inner = fault["loc"]
            fault["loc"] = (field, number * SLICE + int(index), *inner)
        raise invalid(model, found)
