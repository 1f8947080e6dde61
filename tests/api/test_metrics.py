"""`POST /computational-metrics` over ASGI."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.posting import answered

JSON = dict[str, Any]
PATH = "/computational-metrics"
ITEMS = [
    {"id": "p", "title": "Paper Lanterns (2009)", "attributes": {"genre": ["drama", "war"]}},
    {"title": "Harbour Lights (2010)", "attributes": {"genre": ["comedy"]}},
]


def log(**fields: object) -> JSON:
    return {
        "system": "ours",
        "messages": [
            {"role": "user", "content": "Something sad?"},
            {
                "role": "assistant",
                "content": 'Try "Paper Lanterns" or "The Tin Admiral".',
                "recommendations": ["Harbour Lights (2010)", "p"],
            },
            {"role": "user", "content": "I will watch Paper Lanterns."},
        ],
        "items": ITEMS,
        "user": {"persona": "Trust", "attributes": ["drama"]},
        "outcome": {"accepted": True, "message": 2},
        **fields,
    }


def rows(answer: JSON, metric: str, **where: object) -> list[JSON]:
    return [
        row
        for row in answer["rows"]
        if row["metric"] == metric and all(row[name] == value for name, value in where.items())
    ]


def test_the_table_and_the_abilities(client: TestClient) -> None:
    answer = answered(client, path=PATH, logs=[log()], k=[1, 2], group_by=["system"])
    (row,) = rows(answer, "recall", scope="last", k=2)
    assert row == {
        "metric": "recall",
        "view": "lists",
        "scope": "last",
        "k": 2,
        "turn": None,
        "group": {"system": "ours"},
        "value": 1.0,
        "unit": "share",
        "n": 1,
        "interval": None,
        "undefined": None,
    }
    assert rows(answer, "success_rate", view="lists", turn=None)[0]["value"] == 0.0
    assert rows(answer, "nonexistent_items")[0]["value"] == 0.5
    (quality,) = answer["abilities"]["quality"]
    assert quality["score"] == pytest.approx(1 + 4 * (1 + 0 + 1 + 1) / 4)
    assert answer["abilities"]["identity"][0]["missing"] == ["persuasiveness"]


def test_verdicts_of_score_feed_the_abilities(client: TestClient) -> None:
    verdict = client.post("/score/coherence", json={"log": log()}).json()
    social = {**verdict, "factor": "concept-social-awareness", "score": 4, "scale": {"min": 1, "max": 5}}
    answer = client.post(PATH, json={"logs": [log()], "verdicts": [[verdict, social]]}).json()
    assert answer["abilities"]["social_awareness"][0]["score"] == 4
