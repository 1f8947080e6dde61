"""Sharing between callers of the LLM judge, and its bounds."""

import asyncio

from service.domain.completion import CacheMode, Call
from service.domain.verdict import Failed, Scored
from service.judges.inquiry import Inquiry
from service.judges.llm import LLMJudge
from tests.integration.judges.conftest import CORE, case, verdicts
from tests.provider.behaviours import Answer, Hang
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of


async def test_only_the_cache_may_answer_where_the_caller_wants_that(
    judge: LLMJudge, provider: ProviderServer
) -> None:
    await verdicts(judge, Inquiry(case(), CORE[:1]))
    found = await verdicts(judge, Inquiry(case(), CORE[:2]), cache=CacheMode.ONLY)
    missed = found["recoverability"]
    assert isinstance(found["coherence"], Scored)
    assert isinstance(missed, Failed)
    assert missed.code == "cache_miss"
    assert provider.calls == 1


async def test_leaving_frees_the_calls(judge: LLMJudge, provider: ProviderServer) -> None:
    provider.default = lambda payload: (
        Hang() if "Now judge coherence," not in prompt_of(payload) else Answer()
    )
    asking = judge.ask(Inquiry(case(), CORE), Call())
    verdict = await anext(asking)
    assert verdict.factor == "coherence"
    await asking.aclose()  # type: ignore[attr-defined]
    await asyncio.sleep(0.05)
    assert provider.wait_idle()
    assert provider.abandoned >= 1
