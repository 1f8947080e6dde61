"""The example recommender over HTTP: it does its job, and each of its weaknesses can be seen."""

import statistics
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

import httpx2
import pytest

from service.catalogue.catalogue import Catalogue, load_catalogues
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, User
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.session import FINISHED, Ended, converse, finish
from service.usecases.recommenders.http import HTTPRecommender
from tests.simulated_users import CATALOGUES, simulated_users
from tools.example_crs import running_crs

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "crs"
CORE = tuple(factor for factor in load_factors().values() if factor.protocol == "core")


@cache
def _catalogues() -> Mapping[str, Catalogue]:
    return load_catalogues(EXAMPLES)


async def _sessions(weakness: str | None) -> list[Ended]:
    """The sessions of 24 users, half of whom want a film, with a recommender that has a weakness, or none."""
    ended = []
    with running_crs([weakness] if weakness else []) as url:
        async with httpx2.AsyncClient() as client:
            recommender = HTTPRecommender("example", f"{url}/reply", client)
            for user in [user for place, user in enumerate(simulated_users()) if place % 4 < 2]:
                who = User(user.persona, user.age_group, attributes=user.attributes)
                log = ConversationLog(messages=(), domain=user.domain, user=who)
                ended.append(await finish(converse(Simulator(Scripted(user.seed)), recommender, log, Call())))
    return ended


WEAKNESSES = {
    "never-asks": ["coherence"],
    "repeats-itself": ["naturalness"],
    "ignores-rejections": ["naturalness"],
    "invents-items": ["semantic-relevance"],
    "oversells": ["groundness", "effectiveness"],
}
"""The factors that each weakness costs points."""
FILMS_ALONE = {"groundness", "effectiveness"}
"""Of restaurants the embedded judge can check the cuisine alone, and hardly anything was claimed of it."""


async def _means(sessions: Sequence[Ended], slugs: Collection[str]) -> dict[str, float]:
    """The embedded judge's mean score for each factor; verdicts without a score are left out."""
    scores: dict[str, list[float]] = {slug: [] for slug in slugs}
    judge = EmbeddedJudge()
    for session in sessions:
        factors = tuple(
            factor
            for factor in CORE
            if factor.slug in slugs and (session.log.domain == "movie" or factor.slug not in FILMS_ALONE)
        )
        judge_input = JudgeInput(session.log, _catalogues()[CATALOGUES[session.log.domain]])
        if factors:
            async for verdict in judge.ask(EvaluationRequest(judge_input, factors), Call()):
                if isinstance(verdict, Scored):
                    scores[verdict.factor].append(verdict.score)
    return {slug: statistics.mean(found) for slug, found in scores.items()}


@pytest.fixture(scope="module")
async def sound() -> dict[str, float]:
    """The means of sessions with the recommender without a weakness."""
    return await _means(await _sessions(None), set(chain.from_iterable(WEAKNESSES.values())))


@pytest.mark.parametrize("weakness", WEAKNESSES)
async def test_a_weakness_is_visible_in_the_verdicts(sound: dict[str, float], weakness: str) -> None:
    sessions = await _sessions(weakness)
    assert all(session.reason in FINISHED for session in sessions)
    for factor, mean in (await _means(sessions, WEAKNESSES[weakness])).items():
        lost = sound[factor] - mean
        assert lost > 0.2, f"{weakness} costs {lost:.2f} points of {factor}"


@pytest.mark.parametrize("catalogue", ["films", "restaurants"])
async def test_it_lists_what_it_knows(catalogue: str) -> None:
    with running_crs() as url:
        items = httpx2.get(f"{url}/items/{catalogue}").json()
        assert httpx2.get(f"{url}/items/cars").status_code == 404
        assert httpx2.post(f"{url}/reply", json={"messages": "none"}).status_code == 400
    assert {item["title"] for item in items} == {item.title for item in _catalogues()[catalogue].items}
