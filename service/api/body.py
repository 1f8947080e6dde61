"""Bodies: read within the limits, parsed once, every fault named by its place and its fix."""

import itertools
import json
import re
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect

from ..errors import (
    BodyTooLarge,
    CallerGone,
    FieldError,
    InvalidRequest,
    MalformedBody,
    UnsupportedMediaType,
)
from .faults import field_errors, pointer

Model = TypeVar("Model", bound=BaseModel)
_DELTAS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NOT_STRUCTURE = bytes(set(range(256)) - set(_DELTAS))
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

    Raises MalformedBody where it is no JSON, InvalidRequest where it does not fit."""
    depth = nesting(body)
    if depth > max_depth:
        raise InvalidRequest.at(
            "",
            f"nested {depth} levels deep, where {max_depth} are allowed",
            "send the structure that the document describes",
        )
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise _malformed(body, str(first["ctx"]["error"])) from None
        raise invalid(model, error) from None


def invalid(model: type[BaseModel], error: ValidationError) -> InvalidRequest:
    """The problem that a payload of `model` with these faults becomes."""
    errors = field_errors(model, error)
    first = errors[0]
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{first.pointer or 'The body'}: {first.detail}; {first.fix}{more}", errors=errors)


def nesting(body: bytes) -> int:
    """How deep the arrays and objects of a JSON text nest, without parsing it: a parser that
    recurses would be the victim."""
    outside = b"".join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])
    structure = outside.translate(None, _NOT_STRUCTURE)
    return max(itertools.accumulate(map(_DELTAS.__getitem__, structure)), default=0)


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
