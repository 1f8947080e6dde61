"""Pydantic's errors in the form that a caller needs: where, what, and what to send instead."""

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..domain.nearest import nearest
from ..errors import MOST_ERRORS, ConfigurationError, FieldError

Context = Mapping[str, Any]
Place = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)

_OBJECTS = ("dict_type", "model_type", "dataclass_type")
_WHOLE = ("int_type", "int_from_float", "int_parsing")
_FIXES: dict[str, Callable[[Context], str]] = {
    "missing": lambda _: "add this field",
    **dict.fromkeys(("enum", "literal_error"), lambda c: f"send {c['expected']}"),
    "string_type": lambda _: "send a string",
    "string_pattern_mismatch": lambda c: (
        "send a string with at least one visible character"
        if c["pattern"] == r"\S"
        else f"send a string of the form {c['pattern']}"
    ),
    "string_too_short": lambda c: f"send at least {c['min_length']} characters",
    "string_too_long": lambda c: f"send at most {c['max_length']} characters",
    **dict.fromkeys(_WHOLE, lambda _: "send a whole number, without quotes or decimals"),
    "float_type": lambda _: "send a number, without quotes",
    "bool_type": lambda _: "send true or false, without quotes",
    "list_type": lambda _: "send an array",
    **dict.fromkeys(_OBJECTS, lambda _: "send an object"),
    "finite_number": lambda _: "send a finite number; leave out the field if the value is unknown",
    "too_short": lambda c: f"send at least {c['min_length']}",
    "too_long": lambda c: f"send at most {c['max_length']}",
    "greater_than_equal": lambda c: f"send a value of at least {c['ge']}",
    "less_than_equal": lambda c: f"send a value of at most {c['le']}",
    "less_than": lambda c: f"send a value below {c['lt']}",
    "greater_than": lambda c: f"send a value above {c['gt']}",
}


def pointer(place: Sequence[str | int]) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place)


def field_errors(model: type[BaseModel], faults: Iterable[ErrorDetails]) -> list[FieldError]:
    """The first faults of a payload, each with its pointer and fix; never the payload's own text."""
    return [_field_error(model, fault) for fault in islice(faults, MOST_ERRORS)]


def read_document(place: str, text: bytes, model: type[Model]) -> Model:
    """A file of the operator's, or a line of it, as a `model`. Raises ConfigurationError that names `place` and the field."""
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        if found[0]["type"] == "json_invalid":
            raise ConfigurationError(f"{place}: not JSON: {found[0]['ctx']['error']}") from None
        first = field_errors(model, found)[0]
        raise ConfigurationError(f"{place}: {first.pointer}: {first.detail}; {first.fix}") from None


def read_folder(folder: Path, what: str, model: type[Model]) -> dict[str, Model]:
    """Every `*.json` of an operator's folder, by its file's stem. Raises ConfigurationError as `read_document` does."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder of {what}")
    return {
        path.stem: read_document(path.name, path.read_bytes(), model)
        for path in sorted(folder.glob("*.json"))
    }


def _field_error(model: type[BaseModel], fault: ErrorDetails) -> FieldError:
    place = fault["loc"]
    if fault["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return FieldError(pointer(place), "no such field", _nearest(model, place))
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        return FieldError(pointer(place), str(context["error"]), "change this field")
    fix = _FIXES.get(fault["type"])
    # Pydantic's message would name a class of Python.
    wants_object = fault["type"] in _OBJECTS
    detail = "should be an object" if wants_object else fault["msg"].replace("Input should", "should")
    return FieldError(pointer(place), detail, fix(context) if fix else "send what the document describes")


def _nearest(model: type[BaseModel], place: Place) -> str:
    fields = _fields(annotation_at(model, place[:-1]))
    known = sorted(fields)
    if holder := next(
        (name for name, kind in fields.items() if place[-1] in _fields(_unwrapped(kind))), None
    ):
        return f"move it into {holder!r}"
    near = nearest(str(place[-1]), known)
    if near:
        own = " Put your own labels into `metadata`" if "metadata" in known else ""
        return f"did you mean {near!r}?{own}"
    other = ". Convert a log in another format with POST /import first" if "log" in place else ""
    return f"remove it; available: {', '.join(known)}{other}"


def _fields(kind: Any) -> Mapping[str, Any]:
    """The types of the fields of a model or a value, by name; none of anything else."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
    return get_type_hints(kind) if is_dataclass(kind) else {}


def annotation_at(model: type[BaseModel], place: Place) -> Any:
    """Return the type at `place`, without bounds and without None; None for an unknown place."""
    found: Any = model
    for part in place:
        found = _unwrapped(found)
        if fields := _fields(found):
            found = fields.get(str(part))
        else:
            found = get_args(found)[-1] if get_args(found) else None
    return _unwrapped(found)


def _unwrapped(annotation: Any) -> Any:
    """The annotation without Annotated and without `| None`."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, types.UnionType):
            annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
        else:
            return annotation
