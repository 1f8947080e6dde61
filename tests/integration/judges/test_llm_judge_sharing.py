"""Sharing between callers of the LLM judge, and its bounds."""

import asyncio

from service.domain.completion import CacheMode, Call
from service.domain.rubric import Factor
from service.domain.verdict import Failed, Scored
from service.judges.inquiry import Inquiry
from service.judges.llm import LLMJudge
from tests.integration.judges.conftest import Judges, case, verdicts
from tests.provider.behaviours import Answer, Hang, Latency
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

Core = tuple[Factor, ...]


async def test_only_the_cache_may_answer_where_the_caller_wants_that(
    judge: LLMJudge, provider: ProviderServer, core: Core
) -> None:
    await verdicts(judge, Inquiry(case(), core[:1]))
    found = await verdicts(judge, Inquiry(case(), core[:2]), cache=CacheMode.ONLY)
    missed = found["recoverability"]
    assert isinstance(found["coherence"], Scored)
    assert isinstance(missed, Failed)
    assert missed.code == "cache_miss"
    assert provider.calls == 1


async def test_judges_share_nothing(judges: Judges, provider: ProviderServer, core: Core) -> None:
    names = ("local:gpt-4o", "local:gpt-4o-mini", "anthropic:claude-sonnet-4-6", "anthropic:claude-haiku-4-5")
    for name in names:
        found = await verdicts(judges.get(name), Inquiry(case(), core[:1]))
        assert not found["coherence"].cached
    assert provider.calls == len(names)


async def test_fifty_identical_inquiries_at_once_make_one_call(
    judge: LLMJudge, provider: ProviderServer, core: Core
) -> None:
    provider.latency = Latency(0.2)
    await asyncio.gather(*(verdicts(judge, Inquiry(case(), core[:1])) for _ in range(50)))
    assert provider.calls == 1


async def test_leaving_frees_the_calls(judge: LLMJudge, provider: ProviderServer, core: Core) -> None:
    provider.default = lambda payload: (
        Hang() if "Now judge coherence," not in prompt_of(payload) else Answer()
    )
    asking = judge.ask(Inquiry(case(), core), Call())
    verdict = await anext(asking)
    assert verdict.factor == "coherence"
    await asking.aclose()  # type: ignore[attr-defined]
    await asyncio.sleep(0.05)
    assert provider.wait_idle()
    assert provider.abandoned >= 1
