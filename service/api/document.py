"""The OpenAPI document: what FastAPI derives, completed by hand where it cannot know."""

import tomllib
from collections.abc import Iterable
from dataclasses import is_dataclass
from importlib import resources
from typing import Any, get_args, get_type_hints

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from pydantic_core import from_json, to_json

from ..usecases.wire.model import Incoming, Outgoing, describe
from .middleware.access import PROBES, is_open
from .openapi_parts import BODIES, EXAMPLES, problems

Schema = dict[str, Any]
_REF = "#/components/schemas/{model}"


def operation_id(route: APIRoute) -> str:
    """The function's name: short, stable, and what generated clients call."""
    return route.name


def document(app: FastAPI) -> Schema:
    """The whole document, the same bytes from the same code."""
    spec: Schema = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        separate_input_output_schemas=False,
        servers=[{"url": "/", "description": "The service that this document comes from"}],
        contact={"name": "The maintainers of crs-eval"},
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=app.openapi_tags,
    )
    schemas = spec.setdefault("components", {}).setdefault("schemas", {})
    paths = str(spec["paths"])  # another application in this process has other bodies
    bodies: list[tuple[type[BaseModel], Any]] = [
        (model, "validation") for model in BODIES.values() if f"{_REF.format(model=model.__name__)}'" in paths
    ]
    sent = models_json_schema(bodies, ref_template=_REF)[1].get("$defs", {})
    schemas.update(sent)
    for model in _models(Incoming) + _models(Outgoing):
        extra = model.model_config.get("json_schema_extra")
        if model.__name__ in schemas and isinstance(extra, dict):
            schemas[model.__name__].update(extra)  # FastAPI drops the nulls from examples
    for name in EXAMPLES.keys() & schemas.keys():
        schemas[name]["examples"] = [_as_written(from_json(to_json(EXAMPLES[name]())))]
    for path, operations in spec["paths"].items():
        for operation in operations.values():
            _guard(operation, path)
            _complete(operation)
    spec["components"]["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "Required where the operator has set keys.",
        }
    }
    answered = _values(_models(Outgoing))
    for value in answered | _values(_models(Incoming)):
        if value.__name__ in schemas:
            _complete_value(value, schemas[value.__name__], answered=value in answered)
            if value.__name__ in sent:  # where pydantic sorts keys
                schemas[value.__name__] = _sorted(schemas[value.__name__])
    unused = {"HTTPValidationError", "ValidationError"}
    spec["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas.keys() - unused)}
    for name, schema in schemas.items():
        _without_titles(schema)
        _describe(name, schema)
    return spec


def _models(parent: type[BaseModel]) -> list[type[BaseModel]]:
    return [model for child in parent.__subclasses__() for model in (child, *_models(child))]


def _values(models: Iterable[type[BaseModel]]) -> set[type]:
    """The classes of the domain that models have in their fields."""
    found: set[type] = set()
    waiting: list[Any] = [field.annotation for model in models for field in model.model_fields.values()]
    while waiting:
        annotation = waiting.pop()
        waiting += get_args(annotation)
        if isinstance(annotation, type) and is_dataclass(annotation) and annotation not in found:
            found.add(annotation)
            waiting += get_type_hints(annotation).values()
    return found


def _complete_value(value: type, schema: Schema, *, answered: bool) -> None:
    """Describe a value of the domain. In an answer every field is present."""
    describe(value, schema["properties"])
    if answered:
        schema["required"] = list(schema["properties"])
        for described in schema["properties"].values():
            described.pop("default", None)


def _sorted(schema: Schema) -> Schema:
    properties = {name: dict(sorted(member.items())) for name, member in schema["properties"].items()}
    return dict(sorted((schema | {"properties": properties}).items()))


def _as_written(value: Any) -> Any:
    """Return JSON with whole numbers as people write them: 4 for 4.0."""
    if isinstance(value, dict):
        return {name: _as_written(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_written(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _guard(operation: Schema, path: str) -> None:
    """Add the checks between callers and the route: hosts and headers; keys, limits, load where it is not open; types
    and slowness of bodies."""
    statuses = [431]
    if path not in PROBES:
        statuses.append(421)
    if not is_open(path):
        statuses += [401, 403, 429, 503]
        operation["security"] = [{}, {"key": []}]
    else:
        operation["security"] = []
    if "requestBody" in operation:
        statuses += [408, 415]
    for status, response in problems(*statuses).items():
        operation["responses"].setdefault(str(status), response)


def _complete(operation: Schema) -> None:
    """Take out FastAPI's own 422 and the JSON twin that it adds to every problem."""
    responses = operation["responses"]
    for status, response in list(responses.items()):
        content = response.get("content", {})
        if "HTTPValidationError" in str(content):
            del responses[status]
        elif "application/problem+json" in content:
            content.pop("application/json", None)
        response.pop("model", None)
        response.setdefault("headers", {})["X-Request-ID"] = {
            "description": "The request's id: the caller's, else one made here.",
            "schema": {"type": "string"},
        }
    operation["responses"] = dict(sorted(responses.items()))


def _describe(model: str, schema: Schema) -> None:
    """Describe the properties that their model does not."""
    texts = tomllib.loads(resources.files(__package__).joinpath("properties.toml").read_text("utf-8"))
    for name, member in schema.get("properties", {}).items():
        text = texts.get(model.removeprefix("Score").removeprefix("Debate"), {}).get(name)
        if text := text or texts["every"].get(name):
            member.setdefault("description", text)


def _without_titles(schema: object) -> None:
    """Drop the titles that pydantic makes from field names: noise in every generated client."""
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):  # a field called `title` maps to a schema, not to a text
            del schema["title"]
        for name, member in schema.items():
            if name not in ("examples", "example"):
                _without_titles(member)
    elif isinstance(schema, list):
        for member in schema:
            _without_titles(member)
