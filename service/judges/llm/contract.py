"""The form in which a model gives its verdict: the reasons first, the score last."""

import json
from collections.abc import Sequence
from typing import Any

from ...domain.rubric import Factor


def response_schema(factors: Sequence[Factor]) -> str:
    """The JSON schema of an answer about these factors: one verdict, or one for each under its slug.

    Only words that both providers' strict modes take: no bounds, everything required, nothing
    added."""
    schema = _verdict(factors[0]) if len(factors) == 1 else _object({f.slug: _verdict(f) for f in factors})
    return json.dumps(schema, separators=(",", ":"))


def _verdict(factor: Factor) -> dict[str, Any]:
    quote = _object({"message": {"type": "integer"}, "quote": {"type": "string"}})
    score = {"type": "integer", "enum": list(factor.scale.levels)}
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
