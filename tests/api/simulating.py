"""The application with our own model and recommenders in the place of those that an operator configures."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from service.app import create_app
from service.domain.conversation import Message
from service.domain.verdict import JudgeName
from service.llm.capability import Capability
from service.settings import Settings
from service.simulators.recommender import Failure, RecommenderFailed, Reply
from tests.api.conftest import ROOT
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


@contextmanager
def simulating_client() -> Iterator[TestClient]:
    """The application, with our own recommenders and `fake:*`, a model that answers with the lines of `MODEL`."""
    settings = Settings(
        catalogs=ROOT / "examples" / "crs",
        upstreams={"fake": "http://127.0.0.1:9/v1"},
        judges=("builtin", "fake:*"),
        workers=0,
    )
    app = create_app(settings)
    models: Any = SimpleNamespace(asker=_asker, capability=lambda _: Capability(seed=True))
    recommenders = {"advisor": Advisor(), "broken": Broken()}

    async def with_recommenders(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            state = scope["state"]
            state["deployment"] = replace(state["deployment"], registry=models, recommenders=recommenders)
        await app(scope, receive, send)

    with TestClient(with_recommenders, raise_server_exceptions=False) as opened:
        yield opened
