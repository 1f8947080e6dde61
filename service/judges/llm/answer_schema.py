"""The form in which a model gives its verdict: the reasons first, the score last."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...domain.rubric import Factor, Itemised, Part, Scale
from .itemised.entries import kinds_of
from .itemised.outline import ITEM_FORMS


def response_schema(factors: Sequence[Factor]) -> str:
    """The JSON schema of an answer about these factors: one verdict, or one for each under its slug.

    Only words that both providers' strict modes take: no bounds, everything required, nothing
    added."""
    return _schema(tuple((factor.slug, factor.scale) for factor in factors))


@lru_cache(maxsize=256)
def _schema(factors: tuple[tuple[str, Scale], ...]) -> str:
    if len(factors) == 1:
        return _text(_verdict(factors[0][1]))
    names = {slug: f"verdict_{scale.min}_{scale.max}" for slug, scale in factors}
    whole = _object({slug: {"$ref": f"#/$defs/{name}"} for slug, name in names.items()})
    # Written out for each factor, the form alone would cost a third of a prompt about all of them.
    return _text(whole | {"$defs": {names[slug]: _verdict(scale) for slug, scale in factors}})


def items_schema(factors: Sequence[Factor], domain: str) -> str:
    """The JSON schema of an answer with lists: one, or one for each factor under its slug."""
    forms = {factor.slug: _items(factor, domain) for factor in factors}
    return _text(next(iter(forms.values())) if len(forms) == 1 else _object(forms))


def _items(factor: Factor, domain: str) -> dict[str, Any]:
    asked = factor.itemised
    assert asked is not None
    parts = {key.name: _part(part, asked, domain) for part, key in asked.keys.items()}
    entry = parts if asked.form in ITEM_FORMS else {"message": {"type": "integer"}, **parts}
    return _object({"items": {"type": "array", "items": _object(entry)}})


def _part(part: Part, asked: Itemised, domain: str) -> dict[str, Any]:
    match part:
        case Part.APPLIES | Part.HOLDS:
            return {"type": "boolean"}
        case Part.CORRECTED_BY:
            return {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        case Part.KIND:
            return {"type": "string", "enum": list(kinds_of(asked, domain))}
        case Part.CHARACTERISTICS:
            pair = _object({"dimension": {"type": "string"}, "value": {"type": "string"}})
            return {"type": "array", "items": pair}
        case _:
            return {"type": "string"}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"))


def _verdict(scale: Scale) -> dict[str, Any]:
    quote = _object({"message": {"type": "integer"}, "quote": {"type": "string"}})
    score = {"type": "integer", "enum": list(scale.levels)}
    return _object(
        {
            "rationale": {"type": "string"},
            "evidence": {"type": "array", "items": quote},
            "assessable": {"type": "boolean"},
            "score": {"anyOf": [score, {"type": "null"}]},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
