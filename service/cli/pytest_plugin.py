"""A pytest plugin: `assert_quality(log, coherence=3)` in the tests of a recommender.

    def test_it_listens(assert_quality):
        log = {"messages": talk_to_my_recommender("Something tense, but no horror.")}
        assert_quality(log, coherence=3, recoverability=3)

Bars are on the factor's own scale; hyphens in a factor's name become underscores. The judge is the
service's default, `builtin` unless `--crs-eval-judge` says otherwise."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ..errors import CrsEvalError, InvalidRequest


class JudgeFailedError(RuntimeError):
    """The judge or the service gave no usable answer: an error of the test's surroundings, no failed test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--crs-eval-url` and `--crs-eval-judge`."""
    group = parser.getgroup("crs-eval", "quality of conversational recommenders")
    group.addoption("--crs-eval-url", help="A running service. Without it, logs are judged in this process.")
    group.addoption("--crs-eval-judge", help="builtin, or name:model.")


@pytest.fixture(scope="session")
def assert_quality(pytestconfig: pytest.Config) -> Callable[..., None]:
    """A function that judges a log and fails, with the reasons, where a factor's score is under its bar."""
    url, judge = pytestconfig.option.crs_eval_url, pytestconfig.option.crs_eval_judge

    def check(log: Mapping[str, Any], /, catalog: str | None = None, **bars: float) -> None:
        __tracebackhide__ = True
        if not bars:
            raise TypeError("assert_quality needs a bar, such as coherence=3")
        named = {name.replace("_", "-"): bar for name, bar in bars.items()}
        answer = _scored(url, log=dict(log), factors=list(named), judge=judge, catalog=catalog)
        failed = [v for v in answer["verdicts"] if v["status"] == "failed"]
        if failed:
            raise JudgeFailedError(f"{failed[0]['factor']}: {failed[0]['reason']['detail']}")
        if several := named.keys() - {verdict["factor"] for verdict in answer["verdicts"]}:
            raise ValueError(f"{min(several)} names several factors, and a bar is for one: name each of them")
        for verdict in answer["verdicts"]:
            bar, low, high = named[verdict["factor"]], verdict["scale"]["min"], verdict["scale"]["max"]
            if not isinstance(bar, int | float) or not low <= bar <= high:
                raise ValueError(
                    f"{verdict['factor']}={bar!r} is no number on its scale, {low:g} to {high:g}"
                )
        short = [text for v in answer["verdicts"] if (text := _shortfall(v, named[v["factor"]]))]
        if short:
            pytest.fail("\n".join(short), pytrace=False)

    return check


def _scored(url: str | None, **fields: Any) -> Any:
    from ..library import score
    from .inputs import present
    from .remote import Remote, ServiceRefusal

    body = present(fields)

    if url is None:
        try:
            return score(**body).model_dump(mode="json")
        except InvalidRequest as error:
            fixes = (one.fix for one in error.errors[:1] if one.fix not in str(error))
            raise ValueError("; ".join([str(error), *fixes])) from None
        except CrsEvalError as error:
            raise JudgeFailedError(str(error)) from None

    async def ask() -> Any:
        async with Remote(url) as remote:
            return await remote.post("/score", body)

    answer = asyncio.run(ask())
    if isinstance(answer, ServiceRefusal):
        raise (ValueError if answer.status == 422 else JudgeFailedError)(answer.detail)
    return answer


def _shortfall(verdict: Mapping[str, Any], bar: float) -> str | None:
    """Return the shortfall of a verdict, with its reasons and quotes; None if there is none."""
    if verdict["status"] == "not_assessable":
        return f"{verdict['factor']} cannot be assessed: {verdict['reason']['detail']}"
    if verdict["score"] >= bar:
        return None
    quotes = [f"\n    message {e['message']}: {e['quote']}" for e in verdict["evidence"] if e["quote"]]
    text = f"{verdict['factor']} is {verdict['score']:g}, where {bar:g} is asked. {verdict['rationale']}"
    return text + "".join(quotes[:3])
