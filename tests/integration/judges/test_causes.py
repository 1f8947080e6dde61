"""Each cause of a missing answer is reported as itself, and costs no second call that cannot help."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from service.domain.completion import Call
from service.domain.conversation import Message, Role
from service.domain.verdict import Failed, JudgeName, Scored, Verdict
from service.judges.evaluation import EvaluationRequest
from service.judges.llm import LLMJudge
from service.llm.known_models import Stated
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from tests.integration.judges.conftest import CORE, LOG, Judges, judge_input, verdicts
from tests.patience import PATIENCE
from tests.provider.behaviours import (
    Answer,
    Behaviour,
    FullContext,
    Latency,
    Looping,
    Payload,
    Status,
    Truncated,
)
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

CONTEXT = 4096


def codes(verdict: Verdict) -> set[str]:
    return {flag.code for flag in verdict.flags}


def bound(payload: Payload) -> int:
    return int(payload.get("max_completion_tokens") or payload["max_tokens"])


@pytest.mark.parametrize(("behaviour", "code"), [(FullContext(), "context_too_long"), (Looping(), "looping")])
async def test_what_asking_again_cannot_help_is_paid_for_once(
    judge: LLMJudge, provider: ProviderServer, behaviour: Behaviour, code: str
) -> None:
    provider.default = behaviour
    verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1])))["coherence"]
    assert isinstance(verdict, Failed)
    assert (verdict.code, provider.calls) == (code, 1)
    assert verdict.usage.input_tokens > 0


async def test_an_answer_that_was_cut_off_is_asked_for_in_another_way(
    judge: LLMJudge, provider: ProviderServer
) -> None:
    provider.behave(Truncated())
    verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1])))["coherence"]
    assert isinstance(verdict, Scored)
    assert {"repaired", "temperature_raised"} <= codes(verdict)
    first, second = (request.payload for request in provider.received)
    assert bound(second) == bound(first)
    assert second["temperature"] > first["temperature"] == 0
    assert prompt_of(second).startswith(prompt_of(first))
    assert len(prompt_of(second)) > len(prompt_of(first))
    if judge.name.name == "local":
        assert second["seed"] != first["seed"]


@pytest.mark.parametrize(
    "instead",
    [
        Status(400, f"request (4500 tokens) exceeds the available context size ({CONTEXT} tokens)"),
        Answer(read=CONTEXT),
    ],
    ids=["refused", "cut"],
)
async def test_a_small_context_gets_one_rubric_a_prompt_once_it_is_known(
    judges: Judges, provider: ProviderServer, instead: Behaviour
) -> None:
    def small(payload: Payload) -> Behaviour:
        if len(prompt_of(payload)) // 4 + bound(payload) <= CONTEXT:
            return Answer()
        return instead

    provider.default = small
    judge = judges.get("local:llama-small")
    first = await verdicts(judge, EvaluationRequest(judge_input(), CORE))
    assert all(isinstance(verdict, Scored) for verdict in first.values())
    paid = sum(verdict.usage.input_tokens for verdict in first.values())
    assert (paid > CONTEXT * len(CORE)) is isinstance(instead, Answer)
    before = provider.calls
    other = replace(LOG, messages=(*LOG.messages, Message(Role.ASSISTANT, "You are welcome!")))
    second = await verdicts(judge, EvaluationRequest(judge_input(other), CORE))
    assert all(isinstance(verdict, Scored) for verdict in second.values())
    assert provider.calls == before + len(CORE)
    revisions = [
        {slug: verdict.evaluator_revision for slug, verdict in found.items()} for found in (first, second)
    ]
    assert revisions[0] == revisions[1]


@pytest.fixture
async def narrow(provider: ProviderServer) -> AsyncIterator[LLMJudge]:
    """A judge on a server that answers one call at a time, from a context of 4,096 tokens."""
    store = MemoryStore(1_000_000)
    stated = {"local:*": Stated(context_tokens=CONTEXT)}
    upstreams = {"local": Upstream(provider.openai_url)}
    stack = Stack(upstreams, store, stated=stated, concurrency={"local": 1})
    yield LLMJudge(stack, JudgeName("local", "llama-small"), provider.openai_url, 120)
    await stack.aclose()
    await store.aclose()


async def test_a_log_that_cannot_fit_is_refused_before_it_is_sent(
    narrow: LLMJudge, provider: ProviderServer
) -> None:
    talk = tuple(
        Message(Role.ASSISTANT if at % 2 else Role.USER, f"Message {at}. " + "A few more words here. " * 40)
        for at in range(30)
    )
    found = await verdicts(narrow, EvaluationRequest(judge_input(replace(LOG, messages=talk)), CORE))
    assert {verdict.code for verdict in found.values() if isinstance(verdict, Failed)} == {"context_too_long"}
    assert all(str(CONTEXT) in verdict.detail for verdict in found.values() if isinstance(verdict, Failed))
    assert (len(found), provider.calls) == (len(CORE), 0)


async def test_a_common_log_fits_a_context_of_4096_tokens(narrow: LLMJudge, provider: ProviderServer) -> None:
    found = await verdicts(narrow, EvaluationRequest(judge_input(), CORE))
    assert all(isinstance(verdict, Scored) for verdict in found.values())
    for request in provider.received:
        assert len(prompt_of(request.payload)) // 3 + bound(request.payload) <= CONTEXT


async def test_a_server_with_one_place_answers_some_factors_in_time(
    narrow: LLMJudge, provider: ProviderServer
) -> None:
    # The more calls share the server, the longer each takes: twelve at once would all end too late.
    provider.default = lambda payload: Answer(latency=Latency(0.4 * provider.in_flight))
    deadline = asyncio.get_running_loop().time() + 3
    found = [verdict async for verdict in narrow.ask(EvaluationRequest(judge_input(), CORE), Call(deadline))]
    assert provider.peak == 1
    scored = [verdict for verdict in found if isinstance(verdict, Scored)]
    late = [verdict.code for verdict in found if isinstance(verdict, Failed)]
    assert 2 <= len(scored) < len(CORE)
    assert set(late) == {"upstream_timeout"}
    assert provider.wait_idle(PATIENCE)


async def test_failed_and_scored_verdicts_name_the_model_alike(
    judge: LLMJudge, provider: ProviderServer
) -> None:
    reported = f"{judge.name.model}-2031-01-01"
    provider.behave(Answer(model=reported), Truncated(model=reported), Truncated(model=reported), Status(401))
    found = [
        (await verdicts(judge, EvaluationRequest(judge_input(), (factor,))))[factor.slug]
        for factor in CORE[:3]
    ]
    assert [type(verdict) for verdict in found] == [Scored, Failed, Failed]
    assert {verdict.judge.model for verdict in found} == {reported}
    assert not any("other_model" in codes(verdict) for verdict in found)


@pytest.mark.parametrize(
    ("asked", "reported", "other"),
    [
        ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", False),
        ("gpt-4o-mini", "models/GPT-4o-mini", False),
        ("gpt-4o-mini", "C:\\models\\gpt-4o-mini-UD-Q4_K_XL.gguf", False),
        ("mistral-large-latest", "mistral-large-2411", False),
        ("mistral-small-latest", "mistral-large-2411", True),
        *(("gpt-4o-mini", name, True) for name in ("tiny-7b", "gpt-4o", "gpt-4o-mini-audio")),
    ],
)
async def test_a_server_that_answers_with_another_model_is_flagged(
    judges: Judges, provider: ProviderServer, asked: str, reported: str, other: bool
) -> None:
    provider.default = Answer(model=reported)
    judge = judges.get(f"local:{asked}")
    verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1])))["coherence"]
    assert ("other_model" in codes(verdict)) is other


async def test_parameters_of_the_operator_are_sent_keyed_and_reported(provider: ProviderServer) -> None:
    store = MemoryStore(1_000_000)
    upstreams = {"local": Upstream(provider.openai_url)}
    for extra in ({"reasoning_effort": "low", "service_tier": "flex"}, {"reasoning_effort": "high"}, None):
        stack = Stack(upstreams, store, stated={"local:*": Stated(extra=extra)})
        judge = LLMJudge(stack, JudgeName("local", "gpt-5-mini"), provider.openai_url)
        verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1])))["coherence"]
        sent = provider.received[-1].payload
        assert {name: sent.get(name) for name in extra or ()} == (extra or {})
        details = [flag.detail for flag in verdict.flags if flag.code == "extra_parameters"]
        assert len(details) == bool(extra)
        assert all(name in details[0] for name in extra or ())
        await stack.aclose()
    # One cache holds an answer for each: other parameters are another request.
    assert provider.calls == 3
    with pytest.raises(ValueError, match="temperature"):
        Stated(extra={"temperature": 1})
