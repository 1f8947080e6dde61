"""The answers that simulators ask models for: what they must hold, and how they are read. Messages that no user would send are
refused: a model's loops, leftovers of prompts and templates, text without words."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from ..llm.answer_text import objects_in, printable
from ..llm.context import is_looping


class Form(BaseModel):
    """The answer that is asked for. Fields are required; what a model adds is let pass. A `message` must be one that a user would
    send."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    @field_validator("message", check_fields=False)
    @classmethod
    def _is_no_junk(cls, message: str, info: ValidationInfo) -> str:
        heard = info.context or ""
        if message and (problem := junk_in(message) or _echo_in(message, heard)) is not None:
            raise PydanticCustomError("junk", "{problem}", {"problem": problem})
        return message


class Spoken(Form):
    """The words that the user says, alone."""

    message: str = Field(min_length=1)


F = TypeVar("F", bound=Form)


def read(text: str, form: type[F], heard: str = "") -> F | str:
    """The last JSON object of an answer that fits the form, or what is wrong where none does; words and fences around it are let
    pass. `heard` is the prompt, whose words of the recommender are no user's message."""
    problem = "it contains no JSON object"
    for value in reversed(list(objects_in(text))):
        if value is None:
            return "its JSON is cut off or malformed"
        try:
            return form.model_validate(printable(value), context=heard)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            problem = f'"{".".join(str(part) for part in first["loc"])}": {first["msg"]}'
    return problem


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


LONGEST = 4_000
"""Characters of a message that a user may send."""
LONGEST_PHRASE = 6
FEWEST_REPEATS = 4
LEAST_LETTERS = 0.4
FEWEST_WORDS = 4

_LETTER = re.compile(r"[^\W\d_]")
_RUN = re.compile(r"([^\s.\-_=*])\1{9}")
_LEFTOVER = re.compile(
    r"<\|[^|\s]{1,40}\|>|</?(?:s|log|think|answer|schema|user|assistant)>|\[/?INST\]|\{\{|\}\}|```|\{\"|\"\}|\\n\\n"
    r"|\[(?:your|insert|item|title|movie|name|genre|actor|director|city|place|date|price|brand|product)\b[^\]\n]{0,40}\]"
    r"|\{(?:title|item|name|message|movie|genre|actor|price|product)\}"
    r"|^[^\S\n]{0,9}(?:user|assistant|recommender|system)[^\S\n]{0,3}:|\bas an? (?:AI|artificial|large) (?:language )?(?:model|intelligence)\b",
    re.IGNORECASE | re.MULTILINE,
)


def junk_in(message: str) -> str | None:
    """Return what makes a message unfit to be a user's, in words that a model can repair it by; None for a usable one."""
    if not _LETTER.search(message):
        return "it has no words"
    if len(message) > LONGEST:
        return f"it has {len(message)} characters: a user writes a few sentences"
    if _LEFTOVER.search(message):
        return "it contains a model's control mark, which no user writes"
    if is_looping(message) or _RUN.search(message) or _repeats_a_phrase(message):
        return "it says the same again and again"
    shown = [character for character in message if not character.isspace()]
    if len(shown) > 10 and len(_LETTER.findall(message)) < LEAST_LETTERS * len(shown):
        return "it has hardly any words"
    return None


def _echo_in(message: str, heard: str) -> str | None:
    """Return what is wrong with a message that is one of the recommender's, word for word. A user may repeat a few words."""
    replies = (one.partition("</recommender>")[0] for one in heard.split("<recommender>")[1:])
    said = [" ".join(one.partition("\n[shows] ")[0].casefold().split()) for one in replies]
    words = message.casefold().split()
    is_echo = len(words) >= FEWEST_WORDS and " ".join(words) in said
    return "it repeats the recommender's message" if is_echo else None


def _repeats_a_phrase(message: str) -> bool:
    """Return whether a phrase follows itself three times, and makes up half of the message."""
    words = [word for part in message.casefold().split() if (word := part.strip(".,;:!?\"'()"))]
    for length in range(1, LONGEST_PHRASE + 1):
        same = 0
        for at in range(length, len(words)):
            same = same + 1 if words[at] == words[at - length] else 0
            repeated = same + length
            if (
                repeated >= FEWEST_REPEATS * length
                and 2 * repeated >= len(words)
                and repeated >= FEWEST_REPEATS + 1
            ):
                return True
    return False
