"""Base classes and types that all wire models share."""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ...domain.rounding import WHOLE, Figure, Whole

__all__ = ["WHOLE", "Figure", "Whole"]

NonBlank = Annotated[str, StringConstraints(pattern=r"\S", max_length=2000)]

FEW = 100
MANY = 1_000
PLENTY = 20_000
MOST = 100_000
"""The number of entries that the lists of requests may have: choices; parts of a message, an item or a verdict; items and
pairs; messages and logs. What they may take together is bounded by their bytes (`api.body`)."""


def choice(name: str, values: Iterable[str], meaning: str) -> type[StrEnum]:
    """An enumeration of these values, which the contract calls `name` and describes by `meaning`."""
    made: type[StrEnum] = StrEnum(name, [(value, value) for value in values])  # type: ignore[misc]
    made.__doc__ = meaning
    return made


def _leaving_early(schema: Any, handler: GetCoreSchemaHandler) -> Any:
    """Have lists, at whatever depth, left at their first wrong entry, as `pydantic.FailFast` does for one. Enumerations and values
    of the domain read the strings and objects that JSON brings, which strict ones leave to texts of JSON."""
    if isinstance(schema, list):
        return [_leaving_early(part, handler) for part in schema]
    if not isinstance(schema, dict):
        return schema
    own: dict[str, Any] = {}
    match schema.get("type"):
        case "list":
            own["fail_fast"] = True
        case "enum" | "dataclass":
            own["strict"] = False
        case "definition-ref":  # it stands in the model more than once
            named: Any = handler.resolve_ref_schema(cast("CoreSchema", schema))
            if named["type"] in {"enum", "dataclass"}:
                named.update(_leaving_early(named, handler))
    return {name: _leaving_early(part, handler) for name, part in schema.items()} | own


Value = TypeVar("Value")


class WireModel(BaseModel):
    """A model of the contract, which is made from a value of the domain and becomes one where their fields have the same names.
    `value`, where a model has it, makes the value that the rest of the service reads. The string below a field describes it in the contract."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # Pydantic itself would read the strings whenever a model is made, which takes a fifth of a start.
        schema = handler(core_schema)
        described = handler.resolve_ref_schema(schema).get("properties", {})
        for parent in cls.__mro__:
            describe(parent, described)
        return schema

    @classmethod
    def of(cls, value: Any, /, **others: Any) -> Self:
        """Read a value's fields, and those of the values in it. `others` are fields that it lacks or has in another form."""
        fields = {name: getattr(value, name) for name in cls.model_fields if name not in others}
        return cls.model_validate(fields | others, from_attributes=True, strict=False)

    def to(self, kind: type[Value], /, **others: Any) -> Value:
        """Return a value with these fields, its lists as tuples. `others` are fields that it has in another form."""
        fields = {name: tuple(field) if isinstance(field, list) else field for name, field in self}
        return kind(**fields | others)


def describe(kind: type, properties: Mapping[str, Any]) -> None:
    """Describe the properties of a schema by the strings below the fields of their class."""
    for name, text in _descriptions(kind.__module__).get(kind.__name__, {}).items():
        properties[name].setdefault("description", text)


@cache
def _descriptions(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the strings that stand below fields, by class and field; none for modules of other packages."""
    if not module.startswith(__package__.partition(".")[0]):
        return {}
    classes = (
        one for one in ast.parse(inspect.getsource(sys.modules[module])).body if isinstance(one, ast.ClassDef)
    )
    return {one.name: dict(_below(one)) for one in classes}


def _below(made: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(made.body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                yield name, " ".join(doc.split())


class Incoming(WireModel):
    """A model that callers send: strict types, no unknown fields, no NaN. Its lists are left at their first wrong
    entry: pydantic notes every fault, at half a kilobyte each."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        made: CoreSchema = _leaving_early(handler(source), handler)
        return made


class Outgoing(WireModel):
    """A model that the service answers with: every field always present, null where empty."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
