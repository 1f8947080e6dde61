"""Pairs of sessions of our own over many domains, one recommender plainly better than the other at the same wish: in films
and elsewhere, terse and wordy, with marked titles and without, finished and live. Whatever the weights, the embedded judge
ranks most of them rightly."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings

PAIRS = json.loads((Path(__file__).parent / "contrasts.json").read_text(encoding="utf-8"))
LEAST = 0.75
"""Share of the pairs whose better session has the higher overall score; a tie is half."""


def _overall(client: TestClient, domain: str, talk: list[str]) -> float:
    roles = {"U": "user", "A": "assistant"}
    messages = [{"role": roles[line[0]], "content": line[3:]} for line in talk]
    answer = client.post("/score", json={"log": {"domain": domain, "messages": messages}}).json()
    core = next(each for each in answer["summaries"] if each["protocol"] == "core")
    return float(core["overall"] or 0)


@pytest.mark.slow
def test_most_better_recommenders_are_ranked_above_the_worse() -> None:
    won, lost = 0.0, []
    with TestClient(create_app(Settings())) as client:
        for pair in PAIRS:
            better, worse = (_overall(client, pair["domain"], pair[side]) for side in ("better", "worse"))
            won += 0.5 if better == worse else better > worse
            if better <= worse:
                lost.append(f"{pair['name']}: {better} to {worse}")
    assert won >= LEAST * len(PAIRS), lost
