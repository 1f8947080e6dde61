"""Pairs of sessions of our own over many domains, one recommender plainly better than the other at the same wish: in films
and elsewhere, terse and wordy, with marked titles and without, finished and live. Whatever changes in the rules, the
embedded judge and debaters must go on telling them apart."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings

PAIRS = json.loads((Path(__file__).parent / "contrasts.json").read_text(encoding="utf-8"))
#: Points of the debate's 0-100 that lie between the two at least.
APART = 10
#: Points of coherence that the better session has at least: well above the middle of level 3.
SOUND = 3.1
pytestmark = pytest.mark.slow  # together: 202 sessions are judged and debated


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings())) as client:
        yield client


def _log(domain: str, talk: list[str]) -> dict[str, Any]:
    roles = {"U": "user", "A": "assistant"}
    return {"domain": domain, "messages": [{"role": roles[line[0]], "content": line[3:]} for line in talk]}


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["name"] for pair in PAIRS])
def test_the_better_recommender_is_told_from_the_worse(client: TestClient, pair: dict[str, Any]) -> None:
    overall, coherence, offensive = [], [], []
    for talk in (pair["better"], pair["worse"]):
        log = _log(pair["domain"], talk)
        debate = client.post("/debate", json={"log": log}).json()
        overall.append(debate["overall"])
        verdicts = client.post("/score", json={"log": log}).json()["verdicts"]
        scores = {each["factor"]: each["score"] for each in verdicts if each["status"] == "scored"}
        coherence.append(scores["coherence"])
        offensive.append(scores["appropriateness"])
    assert overall[0] - overall[1] >= APART
    assert coherence[0] > coherence[1]
    assert coherence[0] >= SOUND
    assert offensive[0] == 4
