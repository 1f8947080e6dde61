"""The form in which a model gives its verdict: the reasons first, the score last."""

import json
from collections.abc import Sequence
from typing import Any

from ...domain.rubric import Factor, Scale


def response_schema(factors: Sequence[Factor]) -> str:
    """The JSON schema of an answer about these factors: one verdict, or one for each under its slug.

    Only words that both providers' strict modes take: no bounds, everything required, nothing
    added."""
    if len(factors) == 1:
        return _text(_verdict(factors[0].scale))
    names = {factor.slug: f"verdict_{factor.scale.min}_{factor.scale.max}" for factor in factors}
    whole = _object({slug: {"$ref": f"#/$defs/{name}"} for slug, name in names.items()})
    # Written out for each factor, the form alone would cost a third of a prompt about all of them.
    return _text(whole | {"$defs": {names[factor.slug]: _verdict(factor.scale) for factor in factors}})


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"))


def _verdict(scale: Scale) -> dict[str, Any]:
    quote = _object({"message": {"type": "integer"}, "quote": {"type": "string"}})
    score = {"type": "integer", "enum": list(scale.levels)}
    return _object(
        {
            "rationale": {"type": "string"},
            "evidence": {"type": "array", "items": quote},
            "arises": {"type": "boolean"},
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
