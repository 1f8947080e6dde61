"""Records for tests: a run in which every conversation has the scores that a test says."""

from collections.abc import Mapping
from typing import Any

from service.cli.records import Record
from service.cli.scores import Run

Outcome = float | str | None
"""A score; None where the factor cannot be assessed; a code where the judge failed."""


def verdict(factor: str, outcome: Outcome, revision: str = "aaaaaaaaaaaa", **more: Any) -> dict[str, Any]:
    """A verdict on the wire."""
    scored = isinstance(outcome, int | float)
    return {
        "factor": factor,
        "status": "scored" if scored else "not_assessable" if outcome is None else "failed",
        "score": outcome if scored else None,
        "level": None,
        "scale": {"min": 0, "max": 4},
        "rationale": f"because of {factor}" if scored else None,
        "evidence": [],
        "turns": None,
        "confidence": None,
        "reason": None if scored else {"code": outcome or "missing_list", "detail": "no list", "missing": []},
        "flags": [],
        "faults": [],
        "judge": {"name": "builtin", "model": None},
        "evaluator_revision": revision,
        "samples": {"requested": 1, "n": 1, "scores": [], "spread": None},
        "cached": False,
        "prompt_hash": None,
        "usage": {"cost": None, "input_tokens": 0, "output_tokens": 0},
        **more,
    }


def fault(slug: str, message: int | None = 1, probability: float = 0.9, *quotes: str) -> dict[str, Any]:
    """A fault on the wire; certain where its probability is 1."""
    return {
        "fault": slug,
        "message": message,
        "probability": probability,
        "certain": probability == 1,
        "severity": None,
        "quotes": list(quotes),
    }


def rating(**more: Any) -> dict[str, Any]:
    """A person's rating on the wire."""
    return {"conversation": "c1", "factor": "coherence", "rater": "anna", "kind": "human", "score": 3, **more}


def record(conversation: str, outcomes: Mapping[str, Outcome], key: str = "key", **more: Any) -> Record:
    """Return what `/score` made of a conversation."""
    answer = {
        "verdicts": [verdict(factor, outcome, **more) for factor, outcome in outcomes.items()],
        "comparison_key": key,
        "usage": {"cost": None, "input_tokens": 0},
    }
    return Record(conversation, "ours", "/score", f"digest-{conversation}", answer, None, replies=1)


def run(name: str, scores: Mapping[str, Mapping[str, Outcome]], key: str = "key", **more: Any) -> Run:
    """A run: by conversation, then by factor."""
    return Run(
        name, [record(conversation, outcomes, key, **more) for conversation, outcomes in scores.items()]
    )
