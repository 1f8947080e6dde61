"""`make -C research evidence`: whether a model that reads the embedded judge's faults prefers the better conversation more often.

    python -m research.measure_evidence MODEL

Compares the two conversations of short pairs of the exam, in both orders, without and with `evidence: faults`. The model is one of
those that the environment configures, such as `llama:smollm2-135m-instruct`. Prints counts by evidence; nothing is learned from them."""

import json
import os
import sys
from collections import Counter
from typing import Any

from starlette.testclient import TestClient

from service.app import create_app
from service.exams.pair import sampled
from service.main import read_settings
from service.usecases.exam import FOLDER, shipped_exam

PAIRS, SHORT = 40, 6
"""Pairs, and messages of the longest conversations: a small model's context holds two of them and a rubric."""


def short_pairs() -> list[dict[str, Any]]:
    """Return pairs of short English conversations, spread over the faults."""
    chosen = {
        one.id for one in sampled(shipped_exam(), 3 * PAIRS, 0).pairs if len(one.good.messages) <= SHORT
    }
    lines = (FOLDER / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [one for one in map(json.loads, lines) if one["id"] in chosen]
    return [one for one in pairs if one.get("language", "en") == "en"][:PAIRS]


def main() -> None:
    """Compare every pair twice and print how often the better conversation is preferred."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found: dict[str, Counter[str]] = {"none": Counter(), "faults": Counter()}
    with TestClient(create_app(read_settings(os.environ))) as client:
        for pair in short_pairs():
            for evidence, counted in found.items():
                first, second = ({"domain": pair["domain"], "messages": pair[one]} for one in ("good", "bad"))
                body = {"first": first, "second": second, "factors": ["coherence"], "judge": sys.argv[1]}
                shown = {} if evidence == "none" else {"evidence": evidence}
                answer = client.post("/compare", json=body | shown).json()
                asked = [one for one in answer.get("preferences", ()) if one["factor"] == "coherence"]
                for name, one in (
                    ("coherence", asked[0] if asked else None),
                    ("overall", answer.get("overall")),
                ):
                    counted[f"{name} {one['preferred'] if one else 'failed'}"] += 1
            print({name: dict(sorted(counted.items())) for name, counted in found.items()}, flush=True)


if __name__ == "__main__":
    main()
