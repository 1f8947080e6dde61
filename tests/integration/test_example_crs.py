"""The example recommender over HTTP: it does its job, and each of its weaknesses can be seen."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import httpx2
import pytest

from service.catalogue.catalogue import Catalogue, load_catalogues
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.inquiry import Case, Inquiry
from service.simulators.http_recommender import connect
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.session import Ended, converse, finish
from tools.example_crs import running_crs
from tools.simulated_users import CATALOGUES, simulated_users

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "crs"
CORE = tuple(factor for factor in load_factors().values() if factor.protocol == "core")


@cache
def _catalogues() -> Mapping[str, Catalogue]:
    return load_catalogues(EXAMPLES)


async def _sessions(weakness: str | None) -> list[Ended]:
    """The sessions of all 48 users with a recommender that has a weakness, or none."""
    ended = []
    with running_crs([weakness] if weakness else []) as url:
        async with httpx2.AsyncClient() as client:
            recommender = connect("example", f"{url}/reply", client)
            for user in simulated_users():
                who = User(user.persona, user.age_group, attributes=user.attributes)
                log = ConversationLog(messages=(), domain=user.domain, user=who)
                ended.append(await finish(converse(Simulator(Scripted(user.seed)), recommender, log, Call())))
    return ended


def _all(sessions: Sequence[Ended]) -> list[Ended]:
    return list(sessions)


def _films(sessions: Sequence[Ended]) -> list[Ended]:
    return [session for session in sessions if session.log.domain == "movie"]


async def _scores(sessions: Sequence[Ended]) -> dict[str, list[float]]:
    """The embedded judge's scores by factor; verdicts without one are left out."""
    scores: dict[str, list[float]] = {factor.slug: [] for factor in CORE}
    judge = EmbeddedJudge()
    for session in sessions:
        case = Case(session.log, _catalogues()[CATALOGUES[session.log.domain]])
        async for verdict in judge.ask(Inquiry(case, CORE), Call()):
            if isinstance(verdict, Scored):
                scores[verdict.factor].append(verdict.score)
    return scores


Judged = Callable[[Sequence[Ended]], list[Ended]]


@pytest.fixture(scope="module")
async def sound() -> dict[Judged, dict[str, list[float]]]:
    """The scores of sessions with the recommender without a weakness: of all, and of those about films."""
    sessions = await _sessions(None)
    return {judged: await _scores(judged(sessions)) for judged in (_all, _films)}


@pytest.mark.parametrize(
    ("weakness", "factors", "judged"),
    [
        ("never-asks", ["coherence"], _all),
        ("repeats-itself", ["naturalness"], _all),
        ("ignores-rejections", ["naturalness"], _all),
        ("invents-items", ["semantic-relevance"], _all),
        # Of restaurants the embedded judge can check the cuisine alone, and hardly anything was claimed of it.
        ("oversells", ["groundness", "effectiveness"], _films),
    ],
)
async def test_a_weakness_is_visible_in_the_verdicts(
    sound: dict[Judged, dict[str, list[float]]], weakness: str, factors: list[str], judged: Judged
) -> None:
    sessions = await _sessions(weakness)
    assert all(session.finished for session in sessions)
    weak, better = await _scores(judged(sessions)), sound[judged]
    for factor in factors:
        lost = statistics.mean(better[factor]) - statistics.mean(weak[factor])
        assert lost > 0.2, f"{weakness} costs {lost:.2f} points of {factor}"


@pytest.mark.parametrize("catalogue", ["films", "restaurants"])
async def test_it_lists_what_it_knows(catalogue: str) -> None:
    with running_crs() as url:
        items = httpx2.get(f"{url}/items/{catalogue}").json()
        assert httpx2.get(f"{url}/items/cars").status_code == 404
        assert httpx2.post(f"{url}/reply", json={"messages": "none"}).status_code == 400
    assert {item["title"] for item in items} == {item.title for item in _catalogues()[catalogue].items}
