"""`/simulate` over ASGI: steps, whole sessions, rewordings, profiles, and what is refused."""

import json
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.usecases.wire.metrics import MetricsRequest
from tests.api.posting import answered, refused
from tests.api.simulating import MODEL

WANTS = {"persona": "Trust", "age_group": "adults", "attributes": ["mystery", "playful"]}
SCRIPTED = {"type": "scripted", "seed": 1}


def _log(*lines: tuple[str, str], **fields: Any) -> dict[str, Any]:
    messages = [{"role": role, "content": content} for role, content in lines]
    return {"user": WANTS, "messages": messages, **fields}


_post = partial(answered, path="/simulate")


def test_a_whole_session_is_answered_as_a_log_with_verdicts(simulations: TestClient) -> None:
    log = _log(id="s1", metadata={"run": "7"})
    answer = _post(
        simulations, simulator=SCRIPTED, log=log, crs="advisor", score=["proactiveness", "explainability"]
    )
    assert (answer["done"], answer["outcome"], answer["detail"]) == (True, "accepted", None)
    session = answer["log"]
    assert (session["id"], session["system"], session["metadata"]) == ("s1", "advisor", {"run": "7"})
    assert session["outcome"] == {"accepted": True, "message": len(session["messages"]) - 1}
    assert session["complete"] is True
    assert session["messages"][-1]["content"] == answer["message"]
    assert [verdict["factor"] for verdict in answer["verdicts"]] == ["proactiveness", "explainability"]
    assert answer["summaries"][0]["protocol"] == "core"
    assert answer["comparison_key"]
    again = _post(simulations, path="/score", log=session, factors=["proactiveness"])
    assert again["verdicts"][0]["score"] == answer["verdicts"][0]["score"]


def test_a_recommender_that_fails_is_an_answer_with_its_reason(simulations: TestClient) -> None:
    answer = _post(simulations, simulator=SCRIPTED, log=_log(), crs="broken", score=["core"])
    assert (answer["done"], answer["outcome"]) == (True, "crs_error")
    assert answer["detail"] == "it answered with status 500"
    assert [message["role"] for message in answer["log"]["messages"]] == ["user"]
    assert answer["log"]["complete"] is False
    assert answer["verdicts"] is None
    assert [warning["code"] for warning in answer["warnings"]] == ["nothing_to_judge"]


def test_a_session_streams_messages_verdicts_and_the_answer(simulations: TestClient) -> None:
    body: dict[str, Any] = {
        "simulator": SCRIPTED,
        "log": _log(),
        "crs": "advisor",
        "score": ["coherence", "naturalness"],
    }
    response = simulations.post("/simulate", json=body, headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [_event(frame) for frame in response.text.strip().split("\n\n")]
    names = [name for name, _ in events]
    assert names == ["message"] * names.count("message") + ["verdict", "verdict", "done"]
    done = events[-1][1]
    said = [data for name, data in events if name == "message"]
    assert [one["index"] for one in said] == list(range(len(said)))
    assert [one["message"]["content"] for one in said] == [m["content"] for m in done["log"]["messages"]]
    assert done == _post(simulations, **body)


def _event(frame: str) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in frame.split("\n"))
    return fields["event"], json.loads(fields["data"])


def test_rewordings_by_rule_and_their_replies_as_pairs(simulations: TestClient) -> None:
    log = _log(("user", "Could you recommend a playful film? I'm looking for something light."))
    answer = _post(simulations, simulator={"type": "paraphrase", "count": 3}, log=log, crs="advisor")
    assert [one["by_rule"] for one in answer["paraphrases"]] == [True, True, True]
    assert len(answer["replies"]) == 4
    assert answer["replies"][0]["text"] == log["messages"][0]["content"]
    assert len(answer["reply_pairs"]) == 3
    assert answer["reply_pairs"][0]["attributes"] == ["mystery", "playful"]
    body = {"logs": [], "reply_pairs": answer["reply_pairs"]}
    assert len(MetricsRequest.model_validate_json(json.dumps(body)).reply_pairs or ()) == 3
    alone = _post(simulations, simulator={"type": "paraphrase"}, log=log)
    assert (len(alone["paraphrases"]), alone["replies"], alone["reply_pairs"]) == (3, None, None)


def test_a_profile_from_reviews(simulations: TestClient) -> None:
    MODEL.lines = [{"likes": ["riddles"], "dislikes": []}, {"preferences": "You enjoy riddles."}]
    reviews = [
        {"item": "Dr. Moth (1991)", "text": "Clever.", "rating": 4},
        {"item": "Zebra Parade (1988)", "text": "Stripes.", "rating": 5, "held_out": True},
    ]
    answer = _post(simulations, path="/simulate/profile", reviews=reviews, judge="fake:model")
    assert answer["seen"] == [{"item": "Dr. Moth (1991)", "likes": ["riddles"], "dislikes": []}]
    assert (answer["preferences"], answer["targets"]) == ("You enjoy riddles.", ["Zebra Parade (1988)"])


def test_an_audit_of_logs_and_choices(simulations: TestClient) -> None:
    MODEL.lines = [{"number": 1}, {"number": 2}]
    leak = _log(("user", "Is it Dr. Moth?"), ("assistant", "No."), ground_truth=["Dr. Moth (1991)"])
    choice = {"preferences": "You like riddles.", "better": {"title": "A"}, "worse": {"title": "B"}}
    pleased, cross = ({**leak, "outcome": {"accepted": accepted}} for accepted in (True, False))
    answer = _post(
        simulations,
        path="/simulate/audit",
        logs=[pleased],
        people=[leak] * 10,
        worse=[cross, pleased],
        choices=[choice],
        judge="fake:model",
    )

    def found(audit: str, *fields: str) -> list[Any]:
        (one,) = [one for one in answer["findings"] if one["audit"] == audit]
        return [one[field] for field in fields]

    assert found("leaks_title", "value", "n", "people") == [1, 1, 1]
    assert found("acts_unlike_people", "value") == [0]
    assert found("human_likeness", "value", "people") == [None, 0.5]
    assert found("accepts", "value", "worse") == [1, 0.5]
    assert found("notices_faults", "value") == [0.5]
    assert found("prefers_higher_rated", "value", "n", "published") == [1, 2, 0.695]
    assert found("accepts_against_preferences", "published") == [0.0744]
    assert answer["judge"]["name"] == "fake"
    assert "choices" in _post(simulations, 422, path="/simulate/audit")["detail"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"simulator": {"type": "oracle"}}, "/simulator/type"),
        ({"simulator": {"type": "scripted", "judge": "builtin"}}, "/simulator/judge"),
        ({"simulator": {"type": "scripted", "count": 3}}, "/simulator/count"),
        ({"simulator": {"type": "persona"}}, "/simulator/judge"),
        ({"simulator": {"type": "persona", "judge": "openai:gone"}}, "/simulator/judge"),
        (
            {"simulator": {"type": "target", "judge": "fake:m", "min_rounds": 4, "max_rounds": 2}},
            "/simulator/min_rounds",
        ),
        ({"simulator": {"type": "target", "judge": "fake:m"}}, "/log/ground_truth"),
        ({"simulator": {"type": "target-free", "judge": "fake:m"}}, "/log/user/preferences"),
        ({"simulator": {"type": "paraphrase"}}, "/log/messages"),
        ({"crs": "unknown"}, "/crs"),
        ({"catalog": "unknown"}, "/catalog"),
        ({"score": ["core"]}, "/score"),
        ({"crs": "advisor", "score": ["core", "nonsense"]}, "/score/1"),
        ({"scoring": {"judge": "builtin"}}, "/scoring"),
        ({"crs": "advisor", "score": ["core"], "scoring": {"judge": "nobody:x"}}, "/scoring/judge"),
        ({"crs": "advisor", "score": ["core"], "scoring": {"judging": "itemised"}}, "/scoring/judging"),
        (
            {"crs": "advisor", "score": ["core"], "scoring": {"panel": ["builtin", "builtin"]}},
            "/scoring/panel/1",
        ),
        ({"crs": "advisor", "score": ["core"], "scoring": {"log": {}}}, "/scoring/log"),
        ({"log": {"messages": [], "user": {"persona": "grumpy"}}}, "/log/user/persona"),
        ({"log": {"messages": [{"role": "user", "content": "Hi"}]}}, "/log/messages"),
        ({"log": {}}, "/log/messages"),
        ({"simulater": {}}, "/simulater"),
    ],
)
def test_what_cannot_be_simulated_is_named(
    simulations: TestClient, body: dict[str, Any], pointer: str
) -> None:
    sent = {"simulator": SCRIPTED, "log": _log(), **body}
    assert refused(simulations, path="/simulate", **sent)[0] == pointer
