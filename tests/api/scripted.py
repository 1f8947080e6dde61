"""The application with scripted judges and debaters."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from service.app import create_app
from service.debates.embedded import EmbeddedDebater
from service.debates.statement import Debater
from service.domain.completion import Call, Usage
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Verdict
from service.factors import load_factors
from service.judges.evaluation import EvaluationRequest, Judge
from service.scoring.overall import overall_models
from service.settings import Settings
from service.usecases.deployment import Judges
from tests.factories import failed, in_turns, scored
from tests.unit.debates.scripted import Scripted

FACTORS = load_factors()
CORE = [factor.slug for factor in FACTORS.of(Protocol.CORE)]
LOG = {"messages": in_turns("Something calm, please.", "Try Paper Lanterns: slow, and set by the sea.")}
SCRIPTS: dict[str, Sequence[int | None]] = {
    "steady": [60] * 10,
    "high": [90] * 10,
    "mute": [None] * 10,
    "down": [None] * 10,
}


def threes(factors: Sequence[str]) -> float:
    """Return the overall score of a debate, 0-100, where these factors of CoRE have 3 of 4: the fitted one, or their mean."""
    fitted = overall_models()["factors"](dict.fromkeys(factors, 3.0))
    return 75.0 if fitted is None else 25 * fitted


class Threes:
    """A judge that gives every factor 3 and costs 50 tokens a verdict; `scripted:down` fails."""

    def __init__(self, name: JudgeName) -> None:
        self.name = name

    def refusal(self, evaluation: EvaluationRequest) -> None:
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        for factor in evaluation.factors:
            if self.name.model == "down":
                yield failed(factor.slug, self.name, code="upstream_unavailable")
            else:
                yield scored(factor.slug, 3.0, self.name, usage=Usage(40, 10))


def debater(name: JudgeName) -> Debater:
    return Scripted(SCRIPTS[name.model], str(name)) if name.model else EmbeddedDebater()


@contextmanager
def client_of(settings: Settings, **parts: Any) -> Iterator[TestClient]:
    """The application with these parts in the place of its deployment's own."""
    app = create_app(settings)
    built = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        async with built(app) as state:
            assert state is not None
            yield {**state, "deployment": replace(state["deployment"], **parts)}

    app.router.lifespan_context = lifespan
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def deployed_client(build: Callable[[JudgeName], Judge], **parts: Any) -> AbstractContextManager[TestClient]:
    """The application with judges by `build`, and with these parts of its deployment."""
    judges = Judges(JudgeName("builtin"), {}, ("builtin", "scripted:*"), build)
    return client_of(Settings(workers=0), judges=judges, **parts)  # a worker would build its own judges


def scripted_client(build: Callable[[JudgeName], Judge] = Threes) -> AbstractContextManager[TestClient]:
    """The application, with its judges (by `build`) and debaters replaced by scripted ones."""
    models = SimpleNamespace(debater=debater, priced=lambda name: not name.model)
    return deployed_client(
        build, registry=models, judge_by_role={"linguist": JudgeName("scripted", "steady")}
    )
