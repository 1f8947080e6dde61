"""Every list that a request may hold is bounded."""

from collections.abc import Iterator
from typing import Any

from service.app import create_app
from service.settings import Settings


def unbounded(schema: Any, known: dict[str, Any], place: str, seen: set[str]) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from unbounded(part, known, place, seen)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield place
    if "$ref" in schema and schema["$ref"] not in seen:
        seen.add(schema["$ref"])
        name = schema["$ref"].rpartition("/")[2]
        yield from unbounded(known[name], known, name, seen)
    for name, part in schema.items():
        if name not in {"example", "examples", "default", "enum"}:
            yield from unbounded(part, known, f"{place}/{name}", seen)


def test_every_list_of_a_request_has_a_most() -> None:
    document = create_app(Settings()).openapi()
    known = document["components"]["schemas"]
    bodies = [
        operation["requestBody"]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    assert len(bodies) > 8
    seen: set[str] = set()
    assert not [place for body in bodies for place in unbounded(body, known, "", seen)]
