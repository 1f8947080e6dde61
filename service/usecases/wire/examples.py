"""Examples in the contract: of our own making, and checked against their schemas by a test."""

from typing import Any

LOG: dict[str, Any] = {
    "id": "session-4711",
    "system": "our-crs-2.3",
    "domain": "movie",
    "messages": [
        {"role": "user", "content": "Something tense and clever, please, but no horror."},
        {
            "role": "assistant",
            "content": "How about The Pelican Protocol (2019)? It is a tense thriller with no horror in it.",
            "recommendations": ["The Pelican Protocol (2019)", "Glass Harvest (2018)"],
        },
        {"role": "user", "content": "Sounds great, thank you!"},
    ],
    "ground_truth": ["Glass Harvest (2018)"],
}
FACTOR_REQUEST: dict[str, Any] = {"log": LOG, "judge": "builtin"}
SCORE_REQUEST: dict[str, Any] = {"log": LOG, "factors": ["core"]}
_WISH = {"role": "user", "content": "A board game for two under 30 euros, please."}
EXAM_REQUEST: dict[str, Any] = {
    "judge": "builtin",
    "pairs": [
        {
            "id": "budget-1",
            "domain": "shopping",
            "fault": "breaks-constraint",
            "message": 1,
            "good": [
                _WISH,
                {"role": "assistant", "content": "Try Patchwork: two players, 24 euros, half an hour."},
            ],
            "bad": [
                _WISH,
                {"role": "assistant", "content": "Try Patchwork: two players, 42 euros, half an hour."},
            ],
        }
    ],
}

_USAGE = {"input_tokens": 0, "output_tokens": 0, "cached_input_tokens": 0, "cost": None, "saved_tokens": 0}
VERDICT: dict[str, Any] = {
    "factor": "effectiveness",
    "status": "scored",
    "score": 4,
    "level": 4,
    "scale": {"min": 0, "max": 4},
    "rationale": "A wanted item, Glass Harvest (2018), is among the two recommended ones.",
    "evidence": [{"message": 1, "message_id": None, "quote": None, "effect": 4}],
    "turns": None,
    "confidence": 1,
    "reason": None,
    "flags": [],
    "judge": {"name": "builtin", "model": None},
    "evaluator_revision": "5f0c2b7a91de",
    "samples": {"requested": 1, "n": 1, "scores": [4], "spread": 0},
    "cached": False,
    "prompt_hash": None,
    "usage": _USAGE,
    "calibrated": None,
    "method": None,
    "counts": None,
    "scale_share": None,
    "faults": [],
    "panel": None,
    "comparison_key": None,
}
SCORE_ANSWER: dict[str, Any] = {
    "verdicts": [VERDICT],
    "summaries": [
        {
            "protocol": "core",
            "scale": {"min": 0, "max": 4},
            "mean": 4,
            "dimensions": {"recommended-items": 4},
            "assessed": 1,
            "not_assessable": 0,
            "failed": 0,
            "total": 4,
            "overall": None,
            "confidence": 0.47,
            "calibrated": None,
        }
    ],
    "faults": [],
    "judges": [{"name": "builtin", "model": None}],
    "comparison_key": "9c4e0f6d2ab81357",
    "usage": _USAGE,
    "warnings": [],
}
COMPARE_REQUEST: dict[str, Any] = {
    "first": LOG,
    "second": {
        "id": "session-4711",
        "system": "our-crs-2.4",
        "messages": [
            {"role": "user", "content": "Something tense and clever, please, but no horror."},
            {"role": "assistant", "content": "Do you like dogs?"},
        ],
    },
    "factors": ["coherence"],
}
_PREFERENCE: dict[str, Any] = {
    "factor": "coherence",
    "preferred": "first",
    "confidence": 0.9,
    "rationale": "The first scores 4 and the second 1.",
    "orders": [],
    "scores": {"first": 4, "second": 1, "dead_zone": 0.324},
    "reason": None,
    "judge": {"name": "builtin", "model": None},
    "evaluator_revision": "5f0c2b7a91de",
    "usage": _USAGE,
}
COMPARE_ANSWER: dict[str, Any] = {
    "preferences": [_PREFERENCE],
    "overall": {**_PREFERENCE, "factor": "overall", "scores": {"first": 4, "second": 1, "dead_zone": 0.136}},
    "judges": [{"name": "builtin", "model": None}],
    "comparison_key": "9c4e0f6d2ab81357",
    "usage": _USAGE,
    "warnings": [],
}
PROBLEM: dict[str, Any] = {
    "type": "/problems/invalid-request",
    "title": "The request does not fit the contract",
    "status": 422,
    "detail": "/log/messages/0/role: should be 'user' or 'assistant'; send 'user' or 'assistant'",
    "request_id": "6f1a0c3b9d2e4857",
    "retryable": False,
    "errors": [
        {
            "pointer": "/log/messages/0/role",
            "detail": "should be 'user' or 'assistant'",
            "fix": "send 'user' or 'assistant'",
        }
    ],
}
