"""The Python client's hand-written parts in trouble, without a service."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import httpx
import pytest
from crs_eval_client import (
    AsyncCrsEval,
    AuthenticationError,
    CrsEval,
    CrsEvalError,
    InvalidRequestError,
    RateLimitError,
    Retries,
    ServiceError,
    Session,
    UnreachableError,
    Verdict,
)
from crs_eval_client.easy.lines import EventReader, windows
from crs_eval_client.easy.retries import retry_after
from crs_eval_client.generated.models.status import Status


def client(handler: Callable[[httpx.Request], httpx.Response], waits: list[float]) -> CrsEval:
    made = CrsEval("http://service", retries=Retries(attempts=3, longest=30), sleep=waits.append)
    made._http = httpx.Client(base_url="http://service", transport=httpx.MockTransport(handler))
    return made


def responses(*made: httpx.Response | Exception) -> Callable[[httpx.Request], httpx.Response]:
    given: Iterator[httpx.Response | Exception] = iter(made)

    def handler(request: httpx.Request) -> httpx.Response:
        response = next(given)
        if isinstance(response, Exception):
            raise response
        return response

    return handler


def test_an_answer_that_breaks_off_is_an_error_of_the_client() -> None:
    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"id: 1\nevent: progress\ndata: 1\n\n"
            raise httpx.ReadError("gone")

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=Broken())

    with pytest.raises(UnreachableError, match="broke off: gone"):
        client(handler, []).factors()
    events = client(handler, []).stream("/score", {"messages": []})
    assert next(events).name == "progress"
    with pytest.raises(UnreachableError, match="broke off: gone"):
        next(events)


def test_a_service_that_is_down_is_given_up_before_one_that_is_busy() -> None:
    retries = Retries()
    refused, broken = httpx.ConnectError("refused"), httpx.ReadError("gone")
    assert [retries.wait_for_connection(attempt, refused) is None for attempt in range(1, 7)] == [
        False
    ] * 2 + [True] * 4
    assert [retries.wait_for_connection(attempt, broken) is None for attempt in range(1, 7)] == [
        False
    ] * 5 + [True]
    assert Retries(connections=6).wait_for_connection(5, refused) is not None


def test_a_connection_that_times_out_is_not_tried_again() -> None:
    waits: list[float] = []
    with pytest.raises(UnreachableError, match="slow"):
        client(responses(httpx.ConnectTimeout("slow")), waits).factors()
    assert waits == []


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ([], "422 /judge: none such"),
        ([("/judge", "none such", "name one")], "422 It does not fit\n  /judge: none such; name one"),
        (
            [("", "no object", "send one"), ("/a", "b", "c")],
            "422 It does not fit\n  the body: no object; send one\n  /a: b; c",
        ),
    ],
)
def test_an_error_says_each_pointer_once(errors: list[tuple[str, str, str]], said: str) -> None:
    entries = [dict(zip(("pointer", "detail", "fix"), one, strict=True)) for one in errors]
    problem = {"title": "It does not fit", "detail": "/judge: none such", "errors": entries}
    assert str(CrsEvalError(422, problem)) == said


def test_reads_retry_after_as_a_date() -> None:
    assert retry_after(formatdate(time.time() + 20, usegmt=True)) == pytest.approx(20, abs=3)
    for unreadable in ("soon", "Fri, 31 Dec 9999999999 23:59:59 GMT"):
        assert retry_after(unreadable) is None
    assert retry_after("-3") == 0


def test_reads_events_with_comments_and_several_lines_of_data() -> None:
    reader = EventReader()
    text = ': still working\n\nid: 4\nevent: verdict\ndata: {\ndata: "a": 1}\n\ndata:2\n\n'
    events = [event for line in text.split("\n") if (event := reader.feed(line))]
    assert [(event.id, event.name, event.data) for event in events] == [
        ("4", "verdict", {"a": 1}),
        ("4", "message", 2),
    ]


def test_cuts_batches_into_windows_and_refuses_a_name_twice() -> None:
    lines = [{"custom_id": str(i)} for i in range(5)]
    assert [list(window) for window in windows(lines, 2)] == [["0", "1"], ["2", "3"], ["4"]]
    with pytest.raises(ValueError, match="custom_id"):
        list(windows([{"custom_id": "a"}, {"custom_id": "a"}], 2))


def test_a_batch_that_the_service_ends_is_continued() -> None:
    asked: list[list[str]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        names = [json.loads(line)["custom_id"] for line in request.content.splitlines()]
        asked.append(names)
        results: list[dict[str, Any]] = [{"line": 1, "custom_id": names[0], "status": 200, "body": {}}]
        if len(names) > 1:
            results.append({"line": 2, "custom_id": None, "status": 503, "body": {"detail": "stopping"}})
        return httpx.Response(200, text="".join(json.dumps(one) + "\n" for one in results))

    lines = [{"custom_id": name, "path": "/later", "body": {}} for name in "abc"]
    with client(handler, []) as made:
        assert [result.custom_id for result in made.batch(lines)] == ["a", "b", "c"]
    assert asked == [["a", "b", "c"], ["b", "c"], ["c"]]


def test_a_silent_recommender_ends_the_session() -> None:
    names = [
        "outcome",
        "detail",
        "satisfaction",
        "rationale",
        "item",
        "judge",
        "log",
        "verdicts",
        "summaries",
        "comparison_key",
    ]
    tokens = ("input_tokens", "output_tokens", "cached_input_tokens", "saved_tokens")
    step: dict[str, Any] = {
        **dict.fromkeys((*names, "paraphrases", "replies", "reply_pairs")),
        **{name: [] for name in ("removed", "flags", "warnings")},
        "usage": {**dict.fromkeys(tokens, 0), "cost": None},
        "message": "A film?",
        "thoughts": "hm",
        "done": False,
    }
    with client(lambda _: httpx.Response(200, json=step), []) as made:
        session = made.converse({"type": "scripted"}, lambda _: "  ", {"domain": "movie"})
    assert session.outcome == "crs_silent"
    assert session.log["messages"] == [{"role": "user", "content": "A film?", "thoughts": "hm"}]
    assert session.log["complete"] is False


def test_a_coroutine_may_be_the_recommender() -> None:
    async def crs(messages: list[dict[str, Any]]) -> str:
        return f"reply to {messages[-1]['content']}"

    async def run() -> Session:
        async with AsyncCrsEval() as made:
            begun = {"messages": [{"role": "user", "content": "hello"}]}
            return await made.converse({"type": "scripted"}, crs, begun, rounds=1)

    session = asyncio.run(run())
    assert session.messages[-1] == {"role": "assistant", "content": "reply to hello"}
    assert session.outcome == "round_cap"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, AuthenticationError),
        (422, InvalidRequestError),
        (429, RateLimitError),
        (500, ServiceError),
        (418, CrsEvalError),
    ],
)
def test_an_error_has_the_class_of_its_status_and_the_id_of_its_request(
    status: int, kind: type[CrsEvalError]
) -> None:
    response = httpx.Response(status, json={"title": "No", "request_id": "abc", "retryable": False})
    with pytest.raises(CrsEvalError) as error:
        client(responses(response), []).factors()
    assert type(error.value) is kind
    assert error.value.request_id == "abc"


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRS_EVAL_URL", "http://elsewhere:1234")
    monkeypatch.setenv("CRS_EVAL_API_KEY", "secret")
    with CrsEval() as made:
        assert str(made._http.base_url) == "http://elsewhere:1234"
        assert made._http.headers["Authorization"] == "Bearer secret"
    with CrsEval("http://here", "other") as made:
        assert str(made._http.base_url) == "http://here"
        assert made._http.headers["Authorization"] == "Bearer other"
        assert re.fullmatch(r"crs-eval-client-python/\S+", made._http.headers["User-Agent"])


def test_a_value_that_a_newer_service_knows_passes() -> None:
    later = Status("postponed")
    assert (later, str(later), later == "postponed", isinstance(later, Status)) == (
        "postponed",
        "postponed",
        True,
        True,
    )
    assert Status("scored") is Status.SCORED
    assert Verdict.__name__ == "Verdict"
