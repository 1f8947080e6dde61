"""`POST /behavior-alignment` over ASGI: the three methods, logs, and what is refused."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.alignment.llm import LLMLabeller
from service.alignment.strategies import StrategyName
from service.domain.completion import CacheMode, Call, Completion, LLMRequest, Usage
from service.domain.rounding import rounded
from service.judges.embedded import EmbeddedJudge
from service.llm.capability import Capability
from service.llm.failures import Answer, TimedOut, Unauthorised
from tests.api.posting import answered
from tests.api.scripted import deployed_client
from tests.factories import in_turns


class Labels:
    """A model that sees facts and questions; `scripted:slow` never answers, `scripted:locked` may not."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return [self._answer(request, call) for request in requests]

    def _answer(self, request: LLMRequest, call: Call) -> Answer:
        if request.model == "slow":
            return TimedOut("no answer in time")
        if request.model == "locked":
            return Unauthorised("the key is wrong")
        replies = request.messages[1].content.removesuffix("\n</log>").split("[reply ")[1:]
        entries = [
            {
                "reply": number,
                "reason": "so it reads",
                "strategy": "opinion_inquiry" if "?" in reply else "credibility",
                "second": None,
            }
            for number, reply in enumerate(replies, 1)
        ]
        text = json.dumps({"replies": entries})
        return Completion(text, "labels-1", Usage(100, 20), cached=call.cache is CacheMode.ONLY)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    models = SimpleNamespace(
        labeller=lambda name: LLMLabeller(Labels(), name, "http://nowhere"),
        capability=lambda _: Capability(),
    )
    with deployed_client(lambda _: EmbeddedJudge(), registry=models) as client:
        yield client


post = partial(answered, path="/behavior-alignment")


def pair(candidate: str, reference: str, turn: int | None = 2, **more: Any) -> dict[str, Any]:
    return {"candidate": candidate, "reference": reference, "dialogue": "d", "turn": turn, **more}


def labelled(candidate: str, reference: str, turn: int) -> dict[str, Any]:
    return pair("x", "y", turn, candidate_strategy=candidate, reference_strategy=reference)


LABELLED = [
    labelled("opinion_inquiry", "opinion_inquiry", 1),
    labelled("credibility", "credibility", 2),
    labelled("encouragement", "personal_opinion", 3),
    labelled("no_strategy", "credibility", 4),
    labelled("similarity", "similarity", 5),
]


@pytest.mark.parametrize(("denominator", "score"), [("pairs", 2 / 3), ("paper", 2 / 4)])
def test_explicit_scores_are_those_worked_out_by_hand(
    client: TestClient, denominator: str, score: float
) -> None:
    answer = post(client, method="explicit", pairs=LABELLED, denominator=denominator)
    assert answer["score"] == rounded(score)
    assert answer["counted"] == 3
    assert answer["left_out"] == {"no_counterpart": 0, "failed": 0, "no_strategy": 1, "first_turn": 1}
    assert [one["aligned"] for one in answer["pairs"]] == [True, True, False, None, True]
    assert [one["left_out"] for one in answer["pairs"]] == ["first_turn", None, None, "no_strategy", None]
    assert answer["confusions"] == [
        {"candidate": "encouragement", "reference": "personal_opinion", "count": 1}
    ]
    assert answer["distributions"]["candidate"]["no_strategy"] == 1
    assert answer["pairs"][1]["rationale"] == "Both replies use credibility."
    assert answer["interval"] is None, "one dialogue cannot be resampled"


def test_pairs_that_do_not_say_their_turn_are_all_counted_and_that_is_said(client: TestClient) -> None:
    given = [{**one, "turn": None, "dialogue": None} for one in LABELLED[1:3]]
    answer = post(client, method="explicit", pairs=given)
    assert answer["counted"] == 2
    assert [warning["code"] for warning in answer["warnings"]] == ["first_turns_unknown", "dialogues_unknown"]
    assert answer["interval"]["units"] == "pairs"
    assert answer["stage_weighted"] == {"value": None, "interval": None}


def test_an_unknown_strategy_is_an_error_that_lists_the_known_ones(client: TestClient) -> None:
    problem = post(client, 422, method="explicit", pairs=[labelled("flattery", "credibility", 2)])
    (error,) = problem["errors"]
    assert error["pointer"] == "/pairs/0/candidate_strategy"
    assert all(name.value in problem["detail"] for name in StrategyName)


def test_explicit_needs_every_label(client: TestClient) -> None:
    problem = post(client, 422, method="explicit", pairs=[pair("x", "y")])
    assert problem["errors"][0]["pointer"] == "/pairs/0/candidate_strategy"


LOG = {
    "id": "c1",
    "messages": [
        {"role": "user", "content": "Hi!"},
        {"role": "assistant", "content": "Try this one.", "recommendations": ["Glass Harvest (2018)"]},
        {"role": "user", "content": "Not for me."},
        {"role": "assistant", "content": "It won two prizes."},
    ],
    "ground_truth": ["Glass Harvest (2018)"],
}
PERSON = {
    "id": "r1",
    "messages": [
        *in_turns("Hi!", "Hello!"),
        {"role": "assistant", "content": "What do you like?"},
        *in_turns("Drama.", "Is it for tonight?", "Yes.", "It runs at the Odeon."),
    ],
}


def with_labels(log: dict[str, Any], *labels: str) -> dict[str, Any]:
    left = iter(labels)
    return {
        **log,
        "messages": [
            {**message, "metadata": {"strategy": next(left)}} if message["role"] == "assistant" else message
            for message in log["messages"]
        ],
    }


def test_two_logs_are_paired_turn_by_turn(client: TestClient) -> None:
    answer = post(
        client,
        method="explicit",
        candidate_log=with_labels(LOG, "encouragement", "credibility"),
        reference_log=with_labels(
            PERSON, "no_strategy", "opinion_inquiry", "experience_inquiry", "credibility"
        ),
    )
    assert [one["left_out"] for one in answer["pairs"]] == ["first_turn", None, "no_counterpart"]
    assert (answer["score"], answer["counted"]) == (0.0, 1)
    assert answer["candidate"]["turns_before_recommendation"] == 0
    assert answer["candidate"]["success"] is True
    assert answer["reference"]["turns_before_recommendation"] is None
    assert [warning["code"] for warning in answer["warnings"]] == ["unequal_logs"]


def test_logs_need_known_labels_for_explicit(client: TestClient) -> None:
    body: dict[str, Any] = {
        "method": "explicit",
        "candidate_log": with_labels(LOG, "encouragement", "chat"),
        "reference_log": PERSON,
    }
    problem = post(client, 422, **body)
    assert problem["errors"][0]["pointer"] == "/candidate_log/messages/3/metadata/strategy"
    assert "transparency" in problem["errors"][0]["fix"]


def test_llm_labels_each_side_of_a_dialogue_in_one_call(client: TestClient) -> None:
    response = client.post(
        "/behavior-alignment",
        json={"method": "llm", "judge": "scripted:m", "candidate_log": LOG, "reference_log": PERSON},
    )
    answer = response.json()
    assert response.status_code == 200, response.text
    assert [one["aligned"] for one in answer["pairs"]] == [False, False, None]
    assert answer["usage"]["input_tokens"] == 200
    assert answer["judge"] == {"name": "scripted", "model": "labels-1"}
    assert response.headers["Cache-Status"] == 'crs-eval; fwd=miss; detail="hits=0/2"'
    assert "so it reads" in answer["pairs"][1]["rationale"]


def test_llm_labels_as_often_as_it_is_told(client: TestClient) -> None:
    body: dict[str, Any] = {"method": "llm", "judge": "scripted:m", "pairs": [pair("Is it?", "It is.", 2)]}
    once, thrice = post(client, **body), post(client, **body, samples=3)
    assert [one["pairs"][0]["strategies"]["candidate"] for one in (once, thrice)] == [
        [{"strategy": "opinion_inquiry", "probability": share}] for share in (None, 1)
    ]
    assert thrice["usage"]["input_tokens"] == 3 * once["usage"]["input_tokens"]
    assert "samples_not_independent" in {one["code"] for one in thrice["warnings"]}
    assert (
        thrice["comparison_key"]
        != once["comparison_key"]
        == post(client, **body, samples=1)["comparison_key"]
    )
    problem = post(client, 422, method="implicit", pairs=[pair("x", "y")], samples=3)
    assert problem["errors"][0]["pointer"] == "/samples"


def test_llm_needs_a_language_model(client: TestClient) -> None:
    for judge in ({}, {"judge": "builtin"}):
        problem = post(client, 422, method="llm", pairs=[pair("x", "y")], **judge)
        assert problem["errors"][0]["pointer"] == "/judge"
        assert "language model" in problem["errors"][0]["detail"]
    problem = post(client, 422, method="llm", judge="elsewhere:m", pairs=[pair("x", "y")])
    assert "scripted:*" in problem["errors"][0]["fix"]


@pytest.mark.parametrize(("model", "status"), [("slow", 504), ("locked", 502)])
def test_an_upstream_that_labels_nothing_is_an_error(client: TestClient, model: str, status: int) -> None:
    post(client, status, method="llm", judge=f"scripted:{model}", pairs=[pair("x", "y")])


@pytest.mark.parametrize(
    "body",
    [
        {"method": "explicit"},
        {"method": "implicit", "candidate_log": LOG},
        {"method": "implicit", "pairs": [pair("x", "y")], "candidate_log": LOG, "reference_log": PERSON},
    ],
)
def test_what_does_not_fit_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    post(client, 422, **body)
