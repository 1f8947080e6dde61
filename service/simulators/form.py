"""The answers that simulators ask models for: what they must hold, and how they are read."""

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

LONGEST = 20_000
"""Characters of an answer that are read."""

MOST_BRACES = 200


class Form(BaseModel):
    """The answer that is asked for. Fields are required; what a model adds is let pass."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


F = TypeVar("F", bound=Form)


def read(text: str, form: type[F]) -> F:
    """The last JSON object of an answer that fits the form; words and fences around it are let
    pass. Raises ValueError, saying what is wrong, where there is none."""
    problem = "it holds no JSON object"
    for value in reversed(list(_objects(text[-LONGEST:]))):
        try:
            return form.model_validate(_printable(value))
        except ValidationError as wrong:
            first = wrong.errors()[0]
            problem = f'"{".".join(str(part) for part in first["loc"])}": {first["msg"]}'
    raise ValueError(problem)


def schema_of(form: type[Form]) -> str:
    """The JSON schema of a form as providers take it: nothing optional, nothing referred to."""
    whole = form.model_json_schema()
    return json.dumps(_plain(whole, whole.get("$defs", {})), separators=(",", ":"))


def _plain(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_plain(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _plain(definitions[part["$ref"].rsplit("/", 1)[-1]], definitions)
    kept = {key: value for key, value in part.items() if key in _SCHEMA_WORDS}
    plain = {key: _plain(value, definitions) for key, value in kept.items() if key != "properties"}
    if "properties" in part:
        plain["properties"] = {name: _plain(one, definitions) for name, one in part["properties"].items()}
        plain |= {"required": list(part["properties"]), "additionalProperties": False}
    return plain


_SCHEMA_WORDS = frozenset({"type", "properties", "items", "anyOf", "enum", "description"})
"""Bounds are left out: several providers refuse them. They are checked when the answer is read."""


def is_readable(text: str, form: type[Form]) -> bool:
    """Whether an answer can be read into a form."""
    try:
        read(text, form)
    except ValueError:
        return False
    return True


def _printable(value: Any) -> Any:
    """An escaped half of a surrogate pair is legal JSON, and cannot be sent on as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if isinstance(value, dict):
        return {key: _printable(one) for key, one in value.items()}
    return value


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, in order."""
    decoder = json.JSONDecoder(strict=False)  # models leave raw newlines in strings
    at = text.find("{")
    for _ in range(MOST_BRACES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # a ValueError also for a number of thousands of digits
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)
