"""Changes of the contract that would break a client of a released one: additions are allowed, removals are not.

`python -m tools.contract_changes` writes the contract of today as `openapi/released/<version>.json`, until the tag of that
version is there."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TODAY = ROOT / "openapi" / "openapi.json"
RELEASED = ROOT / "openapi" / "released"
BOUNDS = {"minimum": 1, "minLength": 1, "minItems": 1, "maximum": -1, "maxLength": -1, "maxItems": -1}
"""Bounds of what callers send: 1 where a greater one refuses more, -1 where a smaller one does."""

Json = dict[str, Any]


def breaks(old: Json, new: Json) -> list[str]:
    """Return the sentences that say what a client of `old` loses with `new`; empty where there is nothing."""
    return sorted(set(_paths(old, new)))


def _paths(old: Json, new: Json) -> Iterator[str]:
    for path, item in old["paths"].items():
        for method, operation in item.items():
            now = new["paths"].get(path, {}).get(method)
            if now is None:
                yield f"{method.upper()} {path} is gone"
                continue
            if operation.get("operationId") != now.get("operationId"):
                yield f"{method.upper()} {path} has another operationId"
            yield from _operation(f"{method.upper()} {path}", operation, now, (old, new))


def _operation(place: str, old: Json, new: Json, documents: tuple[Json, Json]) -> Iterator[str]:
    known = {(one["name"], one["in"]) for one in old.get("parameters", [])}
    for one in new.get("parameters", []):
        if one.get("required") and (one["name"], one["in"]) not in known:
            yield f"{place} requires {one['name']}"
    for name, where in known - {(one["name"], one["in"]) for one in new.get("parameters", [])}:
        yield f"{place} lost the parameter {name} ({where})"
    now = _contents(new)
    for (part, media), schema in _contents(old).items():
        if (part, media) in now:
            schemas = _Schemas(documents, sent=part == "body")
            yield from schemas.compare(f"{place} {part}", schema, now[part, media])
        else:
            yield f"{place} no longer {'takes' if part == 'body' else f'answers {part} as'} {media}"


def _contents(operation: Json) -> dict[tuple[str, str], Json]:
    """The schemas of an operation's body and of its answers, by the status, and by their media types."""
    parts = {"body": operation.get("requestBody", {}), **operation.get("responses", {})}
    return {
        (name, media): content.get("x-line") or content.get("schema", {})
        for name, part in parts.items()
        for media, content in part.get("content", {}).items()
    }


class _Schemas:
    """Compares schemas of what callers send, or of what they get."""

    def __init__(self, documents: tuple[Json, Json], *, sent: bool) -> None:
        self._documents = documents
        self._sent = sent
        self._seen: set[tuple[str, str]] = set()

    def compare(self, place: str, old: Json, new: Json) -> Iterator[str]:
        """Yield what breaks between two schemas."""
        if "$ref" in old and "$ref" in new:
            pair = (old["$ref"], new["$ref"])
            if pair in self._seen:
                return
            self._seen.add(pair)
            place = old["$ref"].rpartition("/")[2]
        old, new = self._resolved(old, 0), self._resolved(new, 1)
        yield from self._kinds(place, old, new)
        yield from self._properties(place, old, new)
        for name in ("items", "additionalProperties"):
            if isinstance(old.get(name), dict) and isinstance(new.get(name), dict):
                yield from self.compare(f"{place}/{name}", old[name], new[name])
        if self._sent:
            yield from self._bounds(place, old, new)

    def _resolved(self, schema: Json, side: int) -> Json:
        """The schema itself, without references and without the alternative null, which `type` names instead."""
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self._documents[side]["components"]["schemas"][name]
        options = schema.get("anyOf") or schema.get("oneOf") or []
        others = [one for one in options if one.get("type") != "null"]
        if len(others) == 1:
            inner = self._resolved(others[0], side)
            return {**inner, "type": sorted({*_types(inner), *(["null"] if len(options) > 1 else [])})}
        return schema

    def _kinds(self, place: str, old: Json, new: Json) -> Iterator[str]:
        before, now = _types(old), _types(new)
        lost, gained = before - now, now - before
        if self._sent and lost and now:
            yield f"{place} no longer takes {', '.join(sorted(lost))}"
        if not self._sent and gained and before:
            yield f"{place} may now be {', '.join(sorted(gained))}"
        if self._sent and "enum" in old and "enum" in new and (gone := set(old["enum"]) - set(new["enum"])):
            yield f"{place} no longer takes {', '.join(sorted(map(str, gone)))}"

    def _properties(self, place: str, old: Json, new: Json) -> Iterator[str]:
        before, now = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            if name not in now:
                yield f"{place}/{name} is gone"
            else:
                yield from self.compare(f"{place}/{name}", schema, now[name])
        needed, wanted = set(old.get("required", [])), set(new.get("required", []))
        if self._sent:
            yield from (f"{place} requires {name}" for name in wanted - needed)
        else:
            yield from (f"{place}/{name} may now be absent" for name in needed - wanted)

    def _bounds(self, place: str, old: Json, new: Json) -> Iterator[str]:
        for name, way in BOUNDS.items():
            limit = new.get(name)
            if limit is not None and (name not in old or way * (limit - old[name]) > 0):
                yield f"{place} has a narrower {name}: {old.get(name, 'none')} became {limit}"


def _types(schema: Json) -> set[str]:
    found = schema.get("type", [])
    types = {found} if isinstance(found, str) else set(found)
    # Every whole number is a number.
    return types | {"integer"} if "number" in types else types


def released() -> dict[str, Json]:
    """The contracts that were released, by their version."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(RELEASED.glob("*.json"))}


def tagged(version: str) -> bool:
    """Return whether the repository has the tag of a version: it was published."""
    command = ["git", "tag", "--list", f"v{version}"]
    return bool(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip())


def main() -> int:
    """Write the contract of today as a released one. Returns the exit code."""
    today = json.loads(TODAY.read_text())
    number = today["info"]["version"]
    if tagged(number) and released().get(number) != today:
        print(f"{number} is published, and its contract stays: raise the version", file=sys.stderr)
        return 1
    for version, contract in released().items():
        if version != number and (wrong := breaks(contract, today)):
            print(f"breaks {version}:", *wrong, sep="\n  ", file=sys.stderr)
            return 1
    RELEASED.mkdir(exist_ok=True)
    (RELEASED / f"{number}.json").write_bytes(TODAY.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
