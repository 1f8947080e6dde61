"""The LLM judge over the whole stack, against the local provider; logs of our own making."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.completion import CacheMode, Call
from service.domain.conversation import ConversationLog, Item, Message, Role, User
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Verdict
from service.factors import load_factors
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.judges.llm import LLMJudge
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer

ITEMS = (
    Item(
        "Harbour Lights (2003)",
        "h1",
        {"genre": ("drama",), "director": ("Ida Moss",)},
        0.2,
        "A lighthouse keeper.",
    ),
    Item("The Tin Parade", "t1", {"genre": ("comedy", "family"), "director": ("Jo Pike",)}, 0.9),
    Item("Night Ferry", "n1", {"genre": ("thriller",)}, 0.4),
)
LOG = ConversationLog(
    messages=(
        Message(Role.USER, "Hi, I'd like something quiet, maybe a drama by the sea."),
        Message(Role.ASSISTANT, "Do you prefer older or newer films?", ()),
        Message(Role.USER, "Newer ones.\nNothing with ghosts, please."),
        Message(
            Role.ASSISTANT,
            "Try Harbour Lights (2003): a quiet story of a lighthouse keeper.",
            ("h1", "n1"),
            "m4",
        ),
        Message(Role.USER, "That sounds lovely, thank you!"),
    ),
    history=(Message(Role.USER, "Hello from last week."),),
    ground_truth=("h1",),
    items=ITEMS,
    user=User(preferences="Quiet films."),
)


FACTORS = load_factors()
CORE = FACTORS.of(Protocol.CORE)


class Judges:
    """LLM judges over one stack, by name."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    def get(self, name: str) -> LLMJudge:
        judge = JudgeName.parse(name)
        return LLMJudge(self.stack, judge, self.stack.upstreams[judge.name].base_url)


@pytest.fixture
async def judges(provider: ProviderServer) -> AsyncIterator[Judges]:
    store = MemoryStore(10_000_000)
    upstreams = {
        "local": Upstream(provider.openai_url),
        "anthropic": Upstream(provider.url, "messages", "key"),
    }
    stack = Stack(upstreams, store)
    yield Judges(stack)
    await stack.aclose()
    await store.aclose()
    assert provider.wait_closed()


@pytest.fixture(params=["local:gpt-4o-mini", "anthropic:claude-sonnet-4-6"])
def judge(request: pytest.FixtureRequest, judges: Judges) -> LLMJudge:
    """Each test runs with both protocols."""
    return judges.get(request.param)


def judge_input(log: ConversationLog = LOG, **fields: object) -> JudgeInput:
    return JudgeInput(log, Catalogue.over(log.items, None), **fields)  # type: ignore[arg-type]


async def verdicts(
    judge: LLMJudge,
    evaluation: EvaluationRequest,
    seconds: float = PATIENCE,
    cache: CacheMode = CacheMode.USE,
) -> dict[str, Verdict]:
    """All verdicts by factor; none may come twice."""
    call = Call(asyncio.get_running_loop().time() + seconds, cache)
    found = [verdict async for verdict in judge.ask(evaluation, call)]
    assert len({verdict.factor for verdict in found}) == len(found)
    return {verdict.factor: verdict for verdict in found}
