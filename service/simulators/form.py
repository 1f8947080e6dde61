"""The answers that simulators ask models for: what they must hold, and how they are read."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from ..llm.answer_text import objects_in, printable
from .junk import junk_in


class Form(BaseModel):
    """The answer that is asked for. Fields are required; what a model adds is let pass. A `message` must be one that a user would
    send."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    @field_validator("message", check_fields=False)
    @classmethod
    def _is_no_junk(cls, message: str) -> str:
        if message and (problem := junk_in(message)) is not None:
            raise PydanticCustomError("junk", "{problem}", {"problem": problem})
        return message


class Spoken(Form):
    """The words that the user says, alone."""

    message: str = Field(min_length=1)


F = TypeVar("F", bound=Form)


def read(text: str, form: type[F]) -> F:
    """The last JSON object of an answer that fits the form; words and fences around it are let
    pass. Raises ValueError, saying what is wrong, where there is none."""
    problem = "it holds no JSON object"
    for value in reversed(list(objects_in(text))):
        if value is None:
            raise ValueError("its JSON is cut off or malformed")
        try:
            return form.model_validate(printable(value))
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


def problem_of(text: str, form: type[Form]) -> str | None:
    """Return why an answer cannot be read into a form, None where it can."""
    try:
        read(text, form)
    except ValueError as wrong:
        return str(wrong)
    return None
