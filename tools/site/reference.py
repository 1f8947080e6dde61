"""Write the pages of the reference that come from data: the HTTP API, the factors and the faults."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from service.domain.rubric import Factor
from service.factors.catalogue import FactorCatalogue
from service.faults import Fault, load_faults

Json = Mapping[str, Any]
_REFERENCE = "#/components/schemas/"


def api(contract: Json) -> str:
    """Return the page of the HTTP API: each route with its fields, then each model once."""
    schemas = contract["components"]["schemas"]
    lead = "For developers who call the service. Generated from `openapi/openapi.json`."
    lines = ["# HTTP API", "", lead, ""]
    for path, operations in contract["paths"].items():
        for method, operation in operations.items():
            lines += _route(method, path, operation)
    lines += ["## Models", ""]
    for name, schema in sorted(schemas.items()):
        lines += _model(name, schema)
    return "\n".join(lines)


def _route(method: str, path: str, operation: Json) -> Iterator[str]:
    yield from (f"## {method.upper()} {path}", "", operation["summary"] + ".", "")
    if text := operation.get("description"):
        yield from (text, "")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from (f"Body (`{kind}`): {_type(content.get('schema', {}))}", "")
    for parameter in operation.get("parameters", []):
        yield from (f"- `{parameter['name']}` ({parameter['in']}): {parameter['description']}", "")
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            kinds = [
                f"{_type(one.get('schema', {}))} (`{kind}`)"
                for kind, one in answer.get("content", {}).items()
            ]
            yield from (f"Answer {status}: {', or '.join(kinds) or 'no body'}", "")
    problems = [status for status in operation["responses"] if not status.startswith("2")]
    yield from (f"Problems: {', '.join(problems)}", "")


def _model(name: str, schema: Json) -> Iterator[str]:
    yield from (f"### {name}", "")
    if text := schema.get("description"):
        yield from (" ".join(text.split()), "")
    if values := schema.get("enum"):
        yield from ("One of " + ", ".join(f"`{value}`" for value in values) + ".", "")
    if properties := schema.get("properties"):
        required = set(schema.get("required", ()))
        yield from ("| field | type | |", "| --- | --- | --- |")
        for field, one in properties.items():
            needed = "required. " if field in required else ""
            yield f"| `{field}` | {_type(one)} | {needed}{_cell(one.get('description', ''))} |"
        yield ""


def _type(schema: Json) -> str:
    if reference := schema.get("$ref"):
        name = reference.removeprefix(_REFERENCE)
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf"):
        return " or ".join(_type(option) for option in options if option.get("type") != "null")
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(schema.get("type", "any"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def factors(catalogue: FactorCatalogue) -> str:
    """Return the page of all factors by protocol: definition, scale, levels, inputs and exclusions."""
    lead = "For everybody who reads a verdict. Generated from the files in `service/factors`."
    parts = (line for factor in catalogue.values() for line in _factor(factor))
    return "\n".join(["# Factors", "", lead, "", *parts])


def _factor(factor: Factor) -> Iterable[str]:
    scale = f"{factor.scale.min} to {factor.scale.max}"
    yield from (f"## {factor.name} (`{factor.slug}`)", "", factor.definition, "")
    yield from (f"Scale {scale}. Needs {', '.join(factor.needs)}. Source: {factor.source}.", "")
    yield from ("| level | |", "| ---: | --- |")
    yield from (f"| {level} | {_cell(text)} |" for level, text in sorted(factor.levels.items()))
    yield ""
    if factor.excludes:
        yield from ("It does not cover:", "")
        yield from (f"- {one}" for one in factor.excludes)
        yield ""


def faults() -> str:
    """Return the page of all faults: definition, exceptions and an example."""
    lead = "For everybody who reads a fault in a verdict. Generated from the files in `service/faults`."
    parts = (line for fault in load_faults().values() for line in _fault(fault))
    return "\n".join(["# Faults, one by one", "", lead, "", *parts])


def _fault(fault: Fault) -> Iterator[str]:
    costs = ", ".join(f"{factor} {cost:g}" for factor, cost in fault.costs.items())
    yield from (f"## {fault.name} (`{fault.slug}`)", "", fault.definition, "")
    yield from (f"Costs, in points of 4: {costs}.", "", "It does not cover:", "")
    yield from (f"- {one}" for one in fault.excludes)
    yield from ("", "| | |", "| --- | --- |")
    yield f"| before | {'<br>'.join(map(_cell, fault.example.before))} |"
    yield f"| good | {_cell(fault.example.good)} |"
    yield from (f"| faulty | {_cell(fault.example.bad) or '(no reply)'} |", "")


def write(folder: Path, contract: Path, catalogue: FactorCatalogue) -> None:
    """Write `api.md`, `factors.md` and `faults.md` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api.md").write_text(api(json.loads(contract.read_text(encoding="utf-8"))), encoding="utf-8")
    (folder / "factors.md").write_text(factors(catalogue), encoding="utf-8")
    (folder / "faults.md").write_text(faults(), encoding="utf-8")
