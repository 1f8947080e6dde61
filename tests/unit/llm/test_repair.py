from dataclasses import replace

import pytest

from service.domain.completion import Call, ChatMessage, Completion, LLMRequest, Usage
from service.llm.context import answer_room, cut_off, is_looping, overflow, stated_context, unread_prompt
from service.llm.error_translation import LONGEST_DETAIL, ErrorResponse, translate
from service.llm.failures import (
    ContextTooLong,
    LoopingCompletion,
    OverBudget,
    ProviderError,
    Rejected,
    TruncatedCompletion,
    Unauthorised,
    Unavailable,
    UnsupportedParameter,
)
from service.llm.repair import ask_with_repair
from tests.factories import Scripted, instance

ASKED = LLMRequest("u", "http://x", "m", (ChatMessage("user", "judge"),), max_tokens=100)


def said(text: str) -> Completion:
    return Completion(text, "m", Usage())


def asked(characters: int) -> LLMRequest:
    return LLMRequest("u", "http://x", "m", (ChatMessage("user", "x" * characters),), max_tokens=800)


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9001.", 8192),
        ("request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("prompt is too long: 250000 tokens > 200000 maximum", 200_000),
        ("{'n_prompt_tokens': 5000, 'n_ctx': 2048}", 2048),
        ("the prompt is too long", None),
        ("context length of 7 tokens", None),
    ],
)
def test_the_size_of_a_context_is_read_from_an_error(words: str, size: int | None) -> None:
    assert stated_context(words) == size


@pytest.mark.parametrize(
    ("status", "words", "kind", "context"),
    [
        (400, "input length and `max_tokens` exceed context limit: 190100 + 9000 > 200000", ContextTooLong, 200_000),
        (400, "The input token count (1100000) exceeds the maximum number of tokens allowed", ContextTooLong, None),
        (400, "This model's maximum prompt length is 65536 but the request has 70001 tokens.", ContextTooLong, 65_536),
        (400, "Input is too long for requested model.", ContextTooLong, None),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000 `inputs`", ContextTooLong, 2048),
        (422, "`inputs` must have less than 2047 tokens. Given: 2500", ContextTooLong, None),
        (400, "The decoder prompt (length 900) is longer than the maximum model length of 512.", ContextTooLong, 512),
        (400, "max_tokens must be at least 1, got -120.", ContextTooLong, None),
        (400, "Your request exceeded model token limit: 32768 (requested: 40000)", ContextTooLong, 32_768),
        (400, "InvalidParameter: Range of input length should be [1, 30720]", ContextTooLong, None),
        (400, "max_tokens=9000 cannot be greater than max_model_len=4096. (parameter=max_tokens)", ContextTooLong, 4096),
        (400, "prompt token count of 9001 exceeds the limit of 8000", ContextTooLong, None),
        (500, "the request exceeds the available context size, try increasing it", ContextTooLong, None),
        (429, "Request too large for m on tokens per min (TPM): Limit 900, Requested 1200.", OverBudget, None),
        (413, "Request too large for `m` in `org` on tokens per minute (TPM): Limit 900", OverBudget, None),
        (400, "Your credit balance is too low. Please go to Plans & Billing.", Unauthorised, None),
        (500, "context deadline exceeded", Unavailable, None),
        (400, "`max_tokens` is too low. See https://a.example/tokens#context-window-size", UnsupportedParameter, None),
        (308, "", Rejected, None),
    ],
)  # fmt: skip
def test_causes_are_told_apart_by_what_providers_say(
    status: int, words: str, kind: type[ProviderError], context: int | None
) -> None:
    sent = {"max_tokens", "temperature", "tools"}
    failure = instance(kind, translate(ErrorResponse(status, words, {}, sent)))
    assert getattr(failure, "context", None) == context
    assert failure.retryable is (kind is Unavailable)


async def test_a_repair_from_the_cache_does_not_make_what_was_paid_before_it_free() -> None:
    paid, kept = said("junk"), replace(said("fine"), cached=True)
    for first in (paid, replace(paid, cached=True)):
        answers = Scripted([first, kept])
        _, second = await ask_with_repair(
            answers, ASKED, Call(), lambda text: None if text == "fine" else "mend it", str
        )
        assert isinstance(second, Completion)
        assert second.cached is first.cached


@pytest.mark.parametrize(
    ("characters", "fits"), [(8_000, True), (19_000, True), (21_000, False), (90_000, False)]
)
def test_a_prompt_that_never_fits_is_refused(characters: int, fits: bool) -> None:
    assert (overflow(asked(characters), 4096) is None) is fits
    assert overflow(asked(characters), None) is None


@pytest.mark.parametrize(("read", "cut"), [(4096, True), (4100, False), (5120, False), (0, False)])
def test_a_prompt_that_a_server_cuts_in_silence_is_known_by_its_tokens(read: int, cut: bool) -> None:
    answer = unread_prompt(asked(24_000), replace(said("fine"), usage=Usage(read, 20)))
    assert isinstance(answer, ContextTooLong) is cut


def test_an_answer_gets_what_the_prompt_leaves() -> None:
    rooms = [answer_room(asked(characters), 800, 4096) for characters in (3_500, 12_000, 19_000)]
    assert rooms == [800, 667, 64]
    assert answer_room(asked(19_000), 800, None) == 800
    assert answer_room(asked(19_000), None, 4096) is None


PROSE = (
    "The recommender asks which genre the user likes, names two films, gives a reason for the first of them, and "
    "answers the question about its length. It does not say where the film can be seen, though the user asked that twice."
)


@pytest.mark.parametrize(
    "text",
    [
        "fine so far " * 40,
        '{"evidence": [' + '{"message": 1, "quote": "a quiet story"}, ' * 12,
        '{"evidence": [' + ", ".join(f'{{"message": {n}, "quote": "a quiet story"}}' for n in range(40)),
        PROSE + "\n" * 300,
        PROSE + " The end. the end." * 30 + " The e",
        "\u4f60\u597d\u5417" * 60,
    ],
)
def test_an_end_that_repeats_itself_is_a_loop(text: str) -> None:
    assert is_looping(text)
    assert isinstance(cut_off(text, Usage(500, 200), 200), LoopingCompletion)


@pytest.mark.parametrize(
    "text", ["", PROSE, PROSE + " " + PROSE, "ha " * 20, "fine so far " * 40 + PROSE * 2]
)
def test_other_texts_are_no_loop(text: str) -> None:
    assert not is_looping(text)


@pytest.mark.parametrize(
    ("output", "bound", "kind"),
    [
        (200, 200, TruncatedCompletion),
        (199, 200, ContextTooLong),
        (0, 200, TruncatedCompletion),
        (2731, None, ContextTooLong),
        (512, None, TruncatedCompletion),
        (0, None, TruncatedCompletion),
    ],
)
def test_fewer_tokens_than_allowed_mean_a_full_context(
    output: int, bound: int | None, kind: type[ProviderError]
) -> None:
    failure = instance(kind, cut_off(PROSE, Usage(1365, output), bound))
    assert failure.usage.input_tokens == 1365
    if isinstance(failure, ContextTooLong):
        assert failure.context == 1365 + output


KEYS = [
    "Incorrect API key provided: abcd1234****wxyz. Find yours at example.org.",
    "invalid key sk-proj-abcd1234EFGH5678",
    "Authorization: Bearer abcd1234.secret",
    "model gone; token: abcd1234",
    "see https://user:abcd1234@example.org/errors",
    "https://example.org/?key=abcd1234",
    "request with abcd1234abcd1234abcd1234abcd1234abcd failed",
    "AIzaabcd1234 is not valid",
]


@pytest.mark.parametrize("words", KEYS)
def test_no_key_is_repeated(words: str) -> None:
    for status in (400, 404, 429, 500):
        failure = translate(ErrorResponse(status, words, {}, ()))
        assert "abcd1234" not in failure.detail
        assert str(status) in failure.detail


def test_what_a_provider_says_is_short_and_names_the_model() -> None:
    words = "The model `claude-3-5-sonnet-20241022` does not exist. " + "x y" * 100_000
    detail = translate(ErrorResponse(404, words, {}, ())).detail
    assert "claude-3-5-sonnet-20241022" in detail
    assert len(detail) < LONGEST_DETAIL + 50
