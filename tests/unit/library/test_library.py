"""The library in a process without a service: what it answers, and how it refuses."""

import asyncio
import doctest
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic_core import to_json

import service as crs_eval
from service.cli.exits import CommandError
from service.errors import ConfigurationError, InvalidRequest, UpstreamFailed
from service.library import aio
from service.settings import ProviderAccess, Settings
from service.usecases.wire.log import Log
from tests.factories import in_turns
from tests.provider.behaviours import Hang
from tests.provider.server import ProviderServer

LOG = {"messages": in_turns("A tense film, please.", "Try Paper Lanterns (2009), a slow thriller.")}


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    crs_eval.close()


def test_examples_of_the_docstrings_run() -> None:
    failed, tried = doctest.testmod(aio, extraglobs={"crs_eval": crs_eval, "log": LOG})
    assert (failed, tried) == (0, 10)


def test_the_import_is_light() -> None:
    heavy = "import sys, crs_eval; sys.exit({'pydantic', 'fastapi', 'numpy'} & sys.modules.keys() and 1 or 0)"
    assert subprocess.run([sys.executable, "-c", heavy], check=False).returncode == 0


def test_twins_and_kinds_of_logs_answer_the_same() -> None:
    value = Log.model_validate(LOG).value()
    waited = crs_eval.score(LOG, factors=("coherence",), settings=Settings())
    awaited = asyncio.run(crs_eval.aio.score(value, factors=["coherence"], settings=Settings()))
    assert waited == awaited


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> str:
        return crs_eval.score(LOG, factors=["coherence"]).verdicts[0].factor

    assert asyncio.run(notebook()) == "coherence"


def test_verdicts_of_one_answer_go_into_the_next() -> None:
    verdicts = crs_eval.score(LOG).verdicts
    debate = crs_eval.debate(LOG, verdicts=verdicts, max_rounds=1)
    assert to_json(debate.verdicts) == to_json(verdicts)


def test_errors_name_the_field_and_the_fix() -> None:
    with pytest.raises(InvalidRequest) as unknown:
        crs_eval.score(LOG, factor=["coherence"])
    assert unknown.value.errors[0].pointer == "/factor"
    assert "'factors'" in unknown.value.errors[0].fix
    with pytest.raises(InvalidRequest) as judge:
        crs_eval.score(LOG, judge="openai:gpt-4o", settings=Settings())
    assert judge.value.errors[0].pointer == "/judge"
    assert "builtin" in judge.value.__notes__[0]
    with pytest.raises(InvalidRequest) as odd:
        crs_eval.score(LOG, samples=object())
    assert "pass dicts" in odd.value.errors[0].fix
    with pytest.raises(ConfigurationError):
        crs_eval.score(LOG, settings={"judges": "builtin"})  # type: ignore[arg-type]


HOLDS_ITSELF: dict[str, Any] = {}
HOLDS_ITSELF["log"] = HOLDS_ITSELF


@pytest.mark.parametrize(
    ("function", "given", "pointer"),
    [
        (
            crs_eval.score,
            {"log": {"messages": [{"role": "user", "content": b"\xff"}]}},
            "/log/messages/0/content",
        ),
        (crs_eval.score, {"log": {"messages": in_turns("Half: \ud83d")}}, "/log/messages/0/content"),
        (crs_eval.score, {"log": HOLDS_ITSELF}, "The body"),
        (crs_eval.metrics, {"logs": 5}, "/logs"),
        (crs_eval.metrics, {"logs": LOG}, "/logs"),
        (crs_eval.behavior_alignment, {"pairs": "ab"}, "/pairs"),
        (crs_eval.simulate, {"log": LOG, "recommender": 5}, "/recommender"),
        (crs_eval.simulate, {"log": LOG, "simulator": 3}, "/simulator"),
        (crs_eval.simulate, {"log": LOG, "simulator": lambda: "Hi."}, "/simulator"),
        (crs_eval.simulate, {"log": LOG, "simulator": lambda _: "Hi.", "judge": "openai:gpt-4o"}, "/judge"),
    ],
)
def test_wrong_arguments_are_refused_by_their_place(
    function: Callable[..., Any], given: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(InvalidRequest, match=f"^{pointer}: "):
        function(**given)


def test_any_iterable_is_a_list() -> None:
    factors: Any = {"coherence": 0}.keys()
    answer = crs_eval.score({"messages": iter(LOG["messages"])}, factors=factors)
    assert [verdict.factor for verdict in answer.verdicts] == ["coherence"]
    assert {row.k for row in crs_eval.metrics([LOG], metrics=["mrr"], k=np.arange(1, 3)).rows} >= {1, 2}


def interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@pytest.mark.parametrize("end", [crs_eval.close, interrupt])
def test_nobody_waits_or_pays_for_a_call_that_was_ended(end: Callable[[], None]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins without one
    with ProviderServer(Hang()) as provider:
        settings = Settings(providers={"openai": ProviderAccess(base_url=provider.openai_url)})

        def end_when_asked() -> None:
            while not provider.in_flight:
                time.sleep(0.01)
            end()

        threading.Thread(target=end_when_asked).start()
        with pytest.raises((CancelledError, KeyboardInterrupt)):
            crs_eval.score(LOG, factors=["coherence"], judge="openai:gpt-4o-mini", settings=settings)
        assert provider.wait_idle()


async def recommend(messages: list[dict[str, Any]]) -> str:
    return "Try Glass Harvest."


async def reply_later(messages: list[dict[str, str]]) -> str:
    await asyncio.sleep(0)
    return f"Try Night Line, number {len(messages)}."


def fail(_: object) -> str:
    raise RuntimeError("secret")


USER = {"id": "u", "messages": [], "ground_truth": ["Night Line"]}


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("verify", {}, "verify"),
        ("core", {"recommender": 5}, "recommender"),
        ("core", {"recommender": {"a=b": recommend}}, "recommender"),
        ("core", {"recommender": lambda: "", "users": USER}, "one argument"),
        ("core", {"recommender": recommend, "logs": LOG}, "--crs"),
        ("core", {"user": [USER]}, "users"),
        ("core", {"seeds": 0}, "--seeds"),
        ("core", {"variant": "publishd"}, "--variant"),
        ("core", {"users": "nowhere.jsonl"}, r"nowhere\.jsonl"),
        ("core", {"users": [{"messages": [], "ground_truth": 5}]}, r"^users\.jsonl: ground_truth"),
        ("core", {"users": [{"messages": []}]}, "`ground_truth`"),
        ("core", {"users": []}, "--users"),
        ("core", {"users": USER, "panel": "builtin"}, "--panel"),
        ("core", {"users": USER, "worse": "recommender"}, "--worse"),
        ("core", {"users": USER, "url": "http://127.0.0.1:9"}, "--url"),
        ("core", {"users": USER, "recommender": fail}, "RuntimeError in test_library"),
        ("ievalm", {"users": USER, "mixture": "core"}, "--mixture"),
        ("concept", {}, "catalogue"),
        ("concept", {"catalog": [{"title": "Night Line"}]}, "--groups"),
        ("concept", {"catalog": [{"title": "Night Line"}], "group_sizes": "x"}, "--group-sizes"),
    ],
)
def test_a_study_says_what_is_wrong_with_its_arguments(
    tmp_path: Path, name: str, options: dict[str, Any], named: str
) -> None:
    with pytest.raises(CommandError, match=named):
        crs_eval.study(name, out=tmp_path, **{"recommender": recommend, **options})


def test_a_study_takes_objects_in_the_place_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRS_EVAL_URL", "http://127.0.0.1:1")
    log = crs_eval.simulate(USER, recommender=reply_later).log
    crs_eval.study("core", logs=[log], catalog=[{"title": "Night Line"}], out=tmp_path, debate=False)
    assert (tmp_path / "tables" / "factors-builtin.csv").is_file()


def test_labels_of_an_import_are_labels_of_people(tmp_path: Path) -> None:
    humans = [
        {"id": name, "messages": in_turns("Hi.", f"Seen it, {name}?", "No.", f"See {name} first.")}
        for name in "abc"
    ]
    labels = [
        {"conversation": name, "message": at, "strategy": strategy}
        for name in "abc"
        for at, strategy in ((1, "experience_inquiry"), (3, "self_modeling"))
    ]
    options: dict[str, Any] = {"recommender": recommend, "humans": humans, "out": tmp_path}
    crs_eval.study("alignment", strategies=labels, **options)
    assert "people's replies" in (tmp_path / "tables" / "classifier.md").read_text()
    with pytest.raises(CommandError, match="--strategies"):
        crs_eval.study("alignment", strategies=[{**labels[0], "message": 4}], **options)


def test_a_study_has_an_async_twin(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.jsonl"):
        asyncio.run(crs_eval.aio.study("core", recommender=recommend, users="nowhere.jsonl", out=tmp_path))


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        getattr(crs_eval, "scores")  # noqa: B009


def test_it_works_again_after_it_was_closed() -> None:
    crs_eval.close()
    assert crs_eval.metrics([LOG]).rows


@pytest.mark.parametrize(
    ("recommender", "outcome"),
    [
        (reply_later, "accepted"),
        (lambda _: {"content": "Here.", "recommendations": ["Night Line"]}, "accepted"),
        (lambda _: {"recommendations": ("Night Line",)}, "accepted"),
        (lambda _: "", "crs_silent"),
        (lambda _: 5, "crs_unreadable"),
        (fail, "crs_error"),
        (lambda _: next(iter(())), "crs_error"),  # no future can hold a StopIteration
        (lambda _: sys.exit(), "crs_error"),
    ],
)
def test_a_function_plays_a_session(recommender: Any, outcome: str) -> None:
    session = crs_eval.simulate(USER, recommender=recommender)
    assert (session.outcome, session.done) == (outcome, True)
    assert "secret" not in to_json(session).decode()


async def open_and_accept(messages: list[dict[str, str]]) -> Any:
    return {"content": "Yes.", "accepted": True, "satisfaction": 5} if messages else "Hello, a tense film."


@pytest.mark.parametrize(
    ("user", "outcome", "messages", "accepted"),
    [
        (open_and_accept, "accepted", 3, True),
        (lambda said: "Hi, the same again, please." if len(said) < 4 else None, "left", 4, None),
        (lambda said: {"content": "No.", "accepted": False, "done": bool(said)}, "gave_up", 3, False),
        (lambda _: None, "left", 0, None),
        (lambda _: "More.", "round_cap", 100, None),
        (lambda _: " ", "simulator_failed", 0, None),
        (lambda _: 5, "simulator_failed", 0, None),
        (lambda _: {"content": "Yes.", "acepted": True}, "simulator_failed", 0, None),
        (fail, "simulator_failed", 0, None),
        (lambda _: sys.exit(), "simulator_failed", 0, None),
    ],
)
def test_a_function_plays_the_user(user: Any, outcome: str, messages: int, accepted: bool | None) -> None:
    session = crs_eval.simulate(USER, simulator=user, recommender=recommend)
    assert session.log is not None
    assert (session.outcome, len(session.log.messages)) == (outcome, messages)
    assert (session.log.outcome and session.log.outcome.accepted) == accepted
    assert [*session.removed, *session.flags] == []
    assert "secret" not in to_json(session).decode()


def test_a_function_says_the_next_message() -> None:
    assert crs_eval.simulate(USER, simulator=open_and_accept).message == "Hello, a tense film."
    with pytest.raises(UpstreamFailed, match="RuntimeError in test_library"):
        crs_eval.simulate(USER, simulator=fail)
