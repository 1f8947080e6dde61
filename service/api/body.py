"""Bodies: read within the limits, parsed once, every fault named by its place and its fix."""

import asyncio
import itertools
import json
import re
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotated_types import MaxLen
from fastapi import Request
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from ..errors import BodyTooLarge, CallerGone, FieldError, InvalidRequest, MalformedBody, UnsupportedMediaType
from .faults import details, faults
from .json_shape import check_shape, shape
from .validation_errors import field_errors, pointer

Model = TypeVar("Model", bound=BaseModel)

SLICE = 500
"""Entries of a long list that are checked together."""

RATINGS_TIMES = 3
"""The body of `/calibrate` may be so many times as large as others once it is inflated, if its ratings are read slice by slice."""

SLICED = 1 / 3
"""The share of its memory as a whole that a list takes when it is checked in slices."""

_FLAT = rb'\{(?>[^{}"]*+(?:"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"[^{}"]*+)*)\}'
_SLICE = re.compile(rb"(?<!\s)\s*(%b(?:\s*,\s*%b){0,%d})\s*[,\]]" % (_FLAT, _FLAT, SLICE - 1))
_SURROGATE = re.compile("[\ud800-\udfff]")


def body_limit(path: str, limit: int) -> int:
    """Return how many bytes a route's body may have, where `limit` is that of most."""
    return limit * RATINGS_TIMES if path == "/calibrate" else limit


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body. Raises UnsupportedMediaType unless declared as JSON, BodyTooLarge past
    `limit` bytes, which a declared length decides before anything is read, CallerGone where it breaks off."""
    media = media_type(request, "JSON with Content-Type: application/json")
    if media != "application/json" and not re.fullmatch(r"application/[\w.+-]+\+json", media):
        raise UnsupportedMediaType(
            f"The body is declared as {media!r}. Send JSON with Content-Type: application/json."
        )
    return await read_whole(request, limit)


async def read_whole(request: Request, limit: int) -> bytes:
    """The whole body, of any type. Raises BodyTooLarge past `limit` bytes, CallerGone where it breaks off."""
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

    Raises MalformedBody where it is no JSON, InvalidRequest where it does not fit, with the first twenty faults."""
    check_shape(shape(body), max_depth)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        found = details(error)
    if wrong := _not_json(found):
        raise _malformed(body, wrong)
    raise invalid(model, faults(model, found, body))


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
        text = self.body[: self.cuts[0][1]] + self.body[self.cuts[-1][1] :]
        try:
            return self.model.model_validate_json(text)
        except ValidationError as error:
            found = details(error)
        self._check_json(found)
        raise invalid(self.model, itertools.chain(faults(self.model, found, text), self._faults(1)))

    def others(self) -> Iterator[list[Any]]:
        """The entries of the other slices. Raises as `parse` does when a wrong one is reached."""
        for number in range(1, len(self.cuts)):
            try:
                entries = self.entry.validate_json(self._slice(number))
            except ValidationError:
                raise invalid(self.model, self._faults(number)) from None
            yield entries

    def _slice(self, number: int) -> bytes:
        start, end = self.cuts[number]
        return b"[%b]" % self.body[start:end]

    def _faults(self, number: int) -> Iterator[ErrorDetails]:
        """The faults of this slice and those behind it."""
        for later in range(number, len(self.cuts)):
            text = self._slice(later)
            try:
                self.entry.validate_json(text)
            except ValidationError as error:
                found = details(error)
            else:
                continue
            self._check_json(found)
            yield from faults(self.model, found, text, (self.field,), later * SLICE)

    def _check_json(self, found: Sequence[ErrorDetails]) -> None:
        if wrong := _not_json(found):
            raise _malformed(self.body, wrong)


def _not_json(found: Sequence[ErrorDetails]) -> str | None:
    """Return what the parser met where the text is no JSON."""
    first = found[0]
    return str(first["ctx"]["error"]) if first["type"] == "json_invalid" else None


def invalid(model: type[BaseModel], found: Iterable[ErrorDetails]) -> InvalidRequest:
    """The problem that a payload of `model` with these faults becomes."""
    errors = field_errors(model, found)
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


T = TypeVar("T")


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; CallerGone, with `work` cancelled, if the caller leaves first. The
    body must have been read before."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise CallerGone("The caller closed the connection.")
    finally:
        for pending in (task, gone):
            pending.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
