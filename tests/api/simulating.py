"""The application with our own model and recommenders in the place of those that an operator configures."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace

from starlette.testclient import TestClient

from service.domain.conversation import Message
from service.domain.verdict import JudgeName
from service.llm.capability import Capability
from service.settings import Settings
from service.simulators.recommender import Failure, RecommenderFailed, Reply
from tests.api.scripted import client_of
from tests.unit.simulators.speaking import FakeModel


class Advisor:
    """A recommender that asks once and then recommends."""

    async def reply(self, messages: Sequence[Message]) -> Reply:
        if len(messages) < 2:
            return Reply("Which mood do you like?")
        return Reply(
            "I recommend Dr. Moth (1991). It is a playful mystery.", ("Dr. Moth (1991)", "Heat (2001)")
        )


class Broken:
    """A recommender that fails at once."""

    async def reply(self, messages: Sequence[Message]) -> Reply:
        raise RecommenderFailed(Failure.ERROR, "it answered with status 500")


MODEL = FakeModel()


def _asker(name: JudgeName, seed: int | None, temperature: float | None) -> FakeModel:
    MODEL.name, MODEL.asked_at = name, (seed, temperature)
    return MODEL


def simulating_client() -> AbstractContextManager[TestClient]:
    """The application, with our own recommenders and `fake:*`, a model that answers with the lines of `MODEL`."""
    settings = Settings(
        catalogs=Path(__file__).parents[2] / "examples" / "crs",
        upstreams={"fake": "http://127.0.0.1:9/v1"},
        judges=("builtin", "fake:*"),
        workers=0,
    )
    models = SimpleNamespace(asker=_asker, capability=lambda _: Capability(seed=True))
    return client_of(settings, registry=models, recommenders={"advisor": Advisor(), "broken": Broken()})
