import json

from service.domain.completion import AnswerFormat, Call, ChatMessage, Completion, LLMRequest
from service.llm.capability import CHAT, Capability
from service.llm.failures import Answer, Rejected, Unauthorised, UnsupportedParameter
from service.llm.fitting import REASONING_ROOM, Fitted, fit
from service.llm.known_models import Capabilities
from tests.unit.llm.conftest import Scripted, ask, good

SCHEMA = '{"type": "object"}'
WANTED = ask(schema=SCHEMA, temperature=0.0, seed=1, max_tokens=100, model="gpt-4o")


def fitted(upstream: Scripted) -> Fitted:
    return Fitted(upstream, Capabilities(), {"local": CHAT})


def test_an_unknown_model_gets_the_schema_and_nothing_else() -> None:
    sent = fit(WANTED, Capability())
    assert (sent.temperature, sent.seed, sent.max_tokens) == (None, None, None)
    assert sent.answer_format is AnswerFormat.SCHEMA


def test_a_model_that_thinks_gets_room_for_it() -> None:
    sent = fit(WANTED, Capability(limit="max_completion_tokens", reasoning=True))
    assert (sent.limit_parameter, sent.max_tokens) == ("max_completion_tokens", 100 + REASONING_ROOM)


def test_a_model_without_formats_is_told_the_schema_at_the_end() -> None:
    sent = fit(WANTED, Capability(format=AnswerFormat.TEXT))
    assert SCHEMA in sent.messages[-1].content
    assert sent.messages[:-1] == WANTED.messages
    assert fit(ask(), Capability(format=AnswerFormat.TEXT)).messages == ask().messages


def test_a_prefix_is_marked_only_where_it_is_kept() -> None:
    request = ask(messages=(ChatMessage("user", "log", True), ChatMessage("user", "rubric")))
    assert not fit(request, Capability()).messages[0].prefix_ends
    assert fit(request, Capability(prefix_tokens=1024)).messages[0].prefix_ends


async def test_a_refused_parameter_is_dropped_once_per_model_and_process() -> None:
    def script(request: LLMRequest) -> Answer:
        if request.temperature is not None:
            return UnsupportedParameter("no", parameter="temperature")
        if request.seed is not None:
            return UnsupportedParameter("no", parameter="seed")
        return good(request)

    upstream = Scripted(script)
    provider = fitted(upstream)
    [answer] = await provider.complete([WANTED], Call())
    assert isinstance(answer, Completion)
    assert len(upstream.asked) == 3
    answers = await provider.complete([WANTED, WANTED], Call())
    assert all(isinstance(answer, Completion) for answer in answers)
    assert len(upstream.asked) == 5
    assert provider.capability(ask(model="gpt-4o-mini")).temperature


async def test_twelve_at_once_all_recover_from_the_same_refusal() -> None:
    def script(request: LLMRequest) -> Answer:
        if request.temperature is not None:
            return UnsupportedParameter("no", parameter="temperature")
        return good(request)

    provider = fitted(Scripted(script, pause=0.001))
    answers = await provider.complete(
        [ask(str(n), temperature=0.0, model="gpt-4o") for n in range(12)], Call()
    )
    assert all(isinstance(answer, Completion) for answer in answers)


async def test_formats_fall_back_until_one_is_taken() -> None:
    refusals: dict[AnswerFormat, Answer] = {
        AnswerFormat.SCHEMA: UnsupportedParameter("no", parameter="response schema"),
        AnswerFormat.TOOL: UnsupportedParameter("no", parameter="tool"),
    }
    upstream = Scripted(lambda request: refusals.get(request.answer_format) or good(request))
    provider = fitted(upstream)
    [answer] = await provider.complete([ask(schema=SCHEMA)], Call())
    assert isinstance(answer, Completion)
    assert [request.answer_format for request in upstream.asked] == ["schema", "tool", "text"]


async def test_a_rejection_without_a_reason_is_tried_in_simpler_formats_and_what_works_is_remembered() -> (
    None
):
    def script(request: LLMRequest) -> Answer:
        return good(request) if request.answer_format is AnswerFormat.TEXT else Rejected("bad request")

    upstream = Scripted(script)
    provider = fitted(upstream)
    [answer] = await provider.complete([ask(schema=SCHEMA)], Call())
    assert isinstance(answer, Completion)
    assert provider.capability(ask()).format is AnswerFormat.TEXT


async def test_a_rejection_of_everything_teaches_nothing() -> None:
    upstream = Scripted(lambda request: Rejected("your account is empty"))
    provider = fitted(upstream)
    [answer] = await provider.complete([ask(schema=SCHEMA)], Call())
    assert isinstance(answer, Rejected)
    assert provider.capability(ask()).format is AnswerFormat.SCHEMA


async def test_a_parameter_that_cannot_be_dropped_ends_in_its_failure() -> None:
    upstream = Scripted(lambda request: UnsupportedParameter("no", parameter="messages"))
    [answer] = await fitted(upstream).complete([ask()], Call())
    assert isinstance(answer, UnsupportedParameter)
    assert len(upstream.asked) == 1


async def test_other_failures_pass_through() -> None:
    upstream = Scripted(lambda request: Unauthorised("key"))
    [answer] = await fitted(upstream).complete([ask(schema=json.dumps({}))], Call())
    assert isinstance(answer, Unauthorised)
    assert len(upstream.asked) == 1
