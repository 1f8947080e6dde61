"""The forms of models' answers as JSON schemas: evidence first, then the reasons, the score last.

They use only words that all providers' strict modes take: no bounds, everything required, nothing added."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...domain.rubric import Factor, Itemised, Part, Scale
from ...domain.verdict import Severity
from .itemised.entries import kinds_of
from .itemised.outline import ITEM_FORMS, NO_OUTLINE, Outline
from .rubrics import faults_lowering, occasions

Schema = dict[str, Any]


def response_schema(factors: Sequence[Factor]) -> str:
    """Return the schema of an answer about these factors: one verdict, or one for each under its slug."""
    return _rating_schema(tuple((factor.slug, factor.scale) for factor in factors))


@lru_cache(maxsize=256)
def _rating_schema(factors: tuple[tuple[str, Scale], ...]) -> str:
    if len(factors) == 1:
        return as_text(_verdict(factors[0][1]))
    names = {slug: f"verdict_{scale.min}_{scale.max}" for slug, scale in factors}
    whole = object_schema({slug: {"$ref": f"#/$defs/{name}"} for slug, name in names.items()})
    # Written out for each factor, the form alone would cost a third of a prompt about all of them.
    return as_text(whole | {"$defs": {names[slug]: _verdict(scale) for slug, scale in factors}})


def _verdict(scale: Scale) -> Schema:
    """Return the form of a verdict. Its one field for the score, null if nothing can be assessed, cannot contradict itself."""
    quote = object_schema({"message": {"type": "integer"}, "quote": {"type": "string"}})
    score = {"type": "integer", "enum": list(scale.levels)}
    return object_schema(
        {
            "evidence": {"type": "array", "items": quote},
            "rationale": {"type": "string"},
            "score": {"anyOf": [score, {"type": "null"}]},
        }
    )


def items_schema(factors: Sequence[Factor], outline: Outline) -> str:
    """Return the schema of an answer with lists: one, or one for each factor under its slug. A list whose entries code can
    count is an object that requires an entry under each key."""
    alone = len(factors) == 1
    forms, definitions = list_forms(factors, outline, "entry" if alone else None)
    whole = next(iter(forms.values())) if alone else object_schema(forms)
    return as_text(whole | {"$defs": definitions})


def list_forms(factors: Sequence[Factor], outline: Outline, name: str | None = None) -> tuple[Schema, Schema]:
    """Return the form of each factor's list by its slug, and the definitions of their entries, called `name` or by the slug."""
    forms = {factor.slug: _list(factor, outline, name or factor.slug) for factor in factors}
    return forms, {name or factor.slug: _entry(factor, outline) for factor in factors}


def _list(factor: Factor, outline: Outline, entry: str) -> Schema:
    of_entry = {"$ref": f"#/$defs/{entry}"}
    keys = outline.keys(factor)
    if keys is not None:
        return object_schema({"items": object_schema(dict.fromkeys(keys, of_entry))})
    listed = {"type": "array", "items": of_entry}
    return object_schema({"items": listed, "replies_read": {"type": "integer"}})


def _entry(factor: Factor, outline: Outline) -> Schema:
    asked = factor.itemised
    assert asked is not None
    keyed = outline.keys(factor) is not None
    parts = {
        key.name: _part(part, asked, outline.domain)
        for part, key in asked.keys.items()
        if not (keyed and part is Part.ITEM)
    }
    if not keyed and asked.form not in ITEM_FORMS:
        parts = {"message": {"type": "integer"}, **parts}
    return object_schema(parts)


def _part(part: Part, asked: Itemised, domain: str) -> Schema:
    match part:
        case Part.APPLIES | Part.HOLDS:
            return {"type": "boolean"}
        case Part.CORRECTED_BY:
            return {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        case Part.KIND:
            return {"type": "string", "enum": list(kinds_of(asked, domain))}
        case Part.CHARACTERISTICS:
            pair = object_schema({"dimension": {"type": "string"}, "value": {"type": "string"}})
            return {"type": "array", "items": pair}
        case _:
            return {"type": "string"}


def fault_schema(slugs: tuple[str, ...], lists: Sequence[Factor] = (), outline: Outline = NO_OUTLINE) -> str:
    """Return the JSON schema of an answer about these factors, with the `lists` of items after the faults."""
    forms, definitions = list_forms(lists, outline)
    whole = object_schema({**dict(_properties(slugs)), **forms})
    return as_text(whole | ({"$defs": definitions} if lists else {}))


def _properties(slugs: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    numbers = {"type": "array", "items": {"type": "integer"}}
    yield from ((name, numbers) for name in occasions(slugs))
    entry = {
        "message": {"type": "integer"},
        "fault": {"type": "string", "enum": [fault.slug for fault in faults_lowering(slugs)]},
        "severity": {"type": "string", "enum": [severity.value for severity in Severity]},
        "quote": {"type": "string"},
    }
    yield "faults", {"type": "array", "items": object_schema(entry)}
    yield "replies_read", {"type": "integer"}


def as_text(schema: Schema) -> str:
    """Return a schema as compact JSON."""
    return json.dumps(schema, separators=(",", ":"))


def object_schema(properties: Schema) -> Schema:
    """Return the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
