"""Files of the page that are derived: the wire's types for its checker, and its examples."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TYPES = ROOT / "service" / "web" / "page" / "wire.d.ts"
EXAMPLES = ROOT / "service" / "web" / "page" / "examples.json"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def examples() -> str:
    """The logs of `examples/logs`, under the names of their files."""
    logs = [
        {"name": path.stem, "log": json.loads(path.read_text(encoding="utf-8"))["log"]}
        for path in sorted((ROOT / "examples" / "logs").glob("*.json"))
    ]
    return json.dumps(logs, ensure_ascii=False, indent=1) + "\n"


def types() -> str:
    """Every schema of the committed contract as a TypeScript type."""
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    told = [f"export type {name} = {_type(schema)};" for name, schema in schemas.items()]
    return "// Generated from openapi/openapi.json by `make generate`.\n" + "\n".join(told) + "\n"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        return f"({_type(schema.get('items', {}))})[]"
    if kind == "object":
        return _object(schema)
    return _PLAIN.get(str(kind), "unknown")


def _object(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    fields = [
        f"{name}{'' if name in required else '?'}: {_type(value)}"
        for name, value in schema.get("properties", {}).items()
    ]
    if fields:
        return "{ " + "; ".join(fields) + " }"
    values = schema.get("additionalProperties")
    return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
