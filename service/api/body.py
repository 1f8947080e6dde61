"""Bodies: read within the limits, parsed once, every fault named by its place and its fix."""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from annotated_types import MaxLen
from fastapi import Request
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator
from starlette.requests import ClientDisconnect

from ..errors import BodyTooLarge, CallerGone, FieldError, InvalidRequest, MalformedBody, UnsupportedMediaType
from .json_shape import Shape, check_shape, shape
from .validation_errors import field_errors, pointer

Model = TypeVar("Model", bound=BaseModel)
Entry = TypeVar("Entry", bound=BaseModel)

FEW = 200
"""Objects, and tens of keys and entries, of a body in which every fault is looked for."""

SLICE = 500
"""Entries of a long list that are checked together."""

SLICED = 1 / 3
"""The share of its memory as a whole that a list takes when it is checked in slices."""

_FLAT = rb'\{(?>(?:[^{}"]|"(?>[^"\\]|\\.)*")*)\}'
_SLICE = re.compile(rb"(?<!\s)\s*(%b(?:\s*,\s*%b){0,%d})\s*[,\]]" % (_FLAT, _FLAT, SLICE - 1))
_SURROGATE = re.compile("[\ud800-\udfff]")


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body. Raises UnsupportedMediaType unless declared as JSON, BodyTooLarge past
    `limit` bytes, which a declared length decides before anything is read, CallerGone where it breaks off."""
    media = media_type(request, "JSON with Content-Type: application/json")
    if media != "application/json" and not re.fullmatch(r"application/[\w.+-]+\+json", media):
        raise UnsupportedMediaType(
            f"The body is declared as {media!r}. Send JSON with Content-Type: application/json."
        )
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            if chunk:
                chunks.append(chunk)
    except ClientDisconnect:
        raise CallerGone("The caller left while it sent the body.") from None
    return b"".join(chunks)


def media_type(request: Request, expected: str) -> str:
    """The media type that a body is declared as. Raises UnsupportedMediaType where none is: a page of another
    origin can send a body without a type and need not ask."""
    declared = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if not declared:
        raise UnsupportedMediaType(f"The body has no Content-Type. Send {expected}.")
    return declared


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"The body exceeds {limit} bytes. Send fewer or shorter messages, or have the operator raise CRS_EVAL_MAX_BODY."
    )


def parse(model: type[Model], body: bytes, max_depth: int) -> Model:
    """The body as a `model`.

    Raises MalformedBody where it is no JSON, InvalidRequest where it does not fit: with every fault of a
    short body (twenty at most), and of a long one the faults up to each list's first wrong entry."""
    found = shape(body)
    check_shape(found, max_depth)
    return _validated(model, body, short=_is_short(found))


def parse_list(
    model: type[Model], field: str, entry: TypeAdapter[list[Entry]], body: bytes, max_depth: int
) -> tuple[Model, Iterator[list[Entry]]]:
    """The body as a `model` whose longest list is its `field`, and the entries of that list in slices: never
    are more than SLICE of them in memory. The model's own list holds the first slice alone.

    Raises as `parse` does; for entries after the first slice when they are reached."""
    found = shape(body)
    cuts = _cuts(body, field) if SLICE < found.objects <= _most(model, field) else []
    check_shape(found, max_depth, SLICED if cuts else 1.0)
    if not cuts:
        whole = _validated(model, body, short=_is_short(found))
        return whole, iter([getattr(whole, field)])
    head = _validated(model, body[: cuts[0][1]] + body[cuts[-1][1] :], short=True)
    return head, itertools.chain([getattr(head, field)], _slices(model, field, entry, body, cuts))


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


def _slices(
    model: type[BaseModel],
    field: str,
    entry: TypeAdapter[list[Entry]],
    body: bytes,
    cuts: Sequence[tuple[int, int]],
) -> Iterator[list[Entry]]:
    for number, (start, end) in enumerate(cuts[1:], start=1):
        try:
            yield entry.validate_json(b"[" + body[start:end] + b"]")
        except ValidationError as error:
            raise _refusal(model, body, error, (field,), number * SLICE) from None


def _is_short(found: Shape) -> bool:
    return found.objects <= FEW and found.keys + found.entries <= 10 * FEW


def _validated(model: type[Model], body: bytes, *, short: bool) -> Model:
    try:
        if short:
            return model.model_validate_json(body)
        fitting: Model = _hasty(model).validate_json(body)
        return fitting
    except ValidationError as error:
        raise _refusal(model, body, error) from None


def _refusal(
    model: type[BaseModel],
    body: bytes,
    error: ValidationError,
    place: tuple[str, ...] = (),
    before: int = 0,
) -> MalformedBody | InvalidRequest:
    """The problem that a fault becomes; the fault's own place begins behind the first `before` entries of `place`."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return _malformed(body, str(first["ctx"]["error"]))
    return invalid(model, error, place, before)


@cache
def _hasty(model: type[BaseModel]) -> SchemaValidator:
    """The model's validator, made to leave each list at its first wrong entry: pydantic notes every fault,
    at half a kilobyte each, before it tells the first."""
    return SchemaValidator(_leaving_early(model.__pydantic_core_schema__), _use_prebuilt=False)


def _leaving_early(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_leaving_early(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    early = {"fail_fast": True} if schema.get("type") == "list" else {}
    return {name: _leaving_early(part) for name, part in schema.items()} | early


def invalid(
    model: type[BaseModel], error: ValidationError, place: tuple[str, ...] = (), before: int = 0
) -> InvalidRequest:
    """The problem that a payload of `model` with these faults becomes. `place` is the list that was checked
    from its entry `before` on; empty where it was the whole payload."""
    errors = field_errors(model, error, place, before)
    first = errors[0]
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{first.pointer or 'The body'}: {first.detail}; {first.fix}{more}", errors=errors)


def _malformed(body: bytes, reason: str) -> MalformedBody | InvalidRequest:
    if "escape" in reason and (at := _lone_surrogates(body)):
        fix = "replace it, for example by U+FFFD; encode characters beyond the BMP as a pair"
        return InvalidRequest(
            f"{at[0]}: a lone surrogate, which is no character",
            errors=[FieldError(place, "holds a lone surrogate, which is no character", fix) for place in at],
        )
    if not body.strip():
        return MalformedBody("The body is empty. Send a JSON object.")
    return MalformedBody(f"The body is not JSON: {reason}. Send one UTF-8 encoded JSON object.")


def _lone_surrogates(body: bytes) -> list[str]:
    """Pointers to the strings with lone surrogates, which only Python's own parser lets through."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    _walk(value, (), found)
    return found[:20]


def _walk(value: object, place: tuple[str | int, ...], found: list[str]) -> None:
    if isinstance(value, str):
        if _SURROGATE.search(value):
            found.append(pointer(place))
    elif isinstance(value, dict):
        for key, member in value.items():
            if _SURROGATE.search(key):
                found.append(pointer(place))
            _walk(member, (*place, key if not _SURROGATE.search(key) else "?"), found)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            _walk(member, (*place, index), found)
