"""The library in a process without a service: what it answers, and how it refuses."""

import asyncio
import doctest
import subprocess
import sys
from collections.abc import Iterator

import pytest
from pydantic_core import to_json

import service as crs_eval
from service.errors import InvalidRequest
from service.library import aio
from service.settings import Settings
from service.usecases.wire.log import Log
from tests.factories import in_turns

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


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        getattr(crs_eval, "scores")  # noqa: B009


def test_it_works_again_after_it_was_closed() -> None:
    crs_eval.close()
    assert crs_eval.metrics([LOG]).rows
