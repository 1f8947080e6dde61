import pytest

from service.domain.completion import ChatMessage, LLMRequest
from service.llm.context import answer_room, overflow, stated_context


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
    ("characters", "fits"), [(8_000, True), (19_000, True), (21_000, False), (90_000, False)]
)
def test_a_prompt_that_never_fits_is_refused(characters: int, fits: bool) -> None:
    assert (overflow(asked(characters), 4096) is None) is fits
    assert overflow(asked(characters), None) is None


def test_an_answer_gets_what_the_prompt_leaves() -> None:
    rooms = [answer_room(asked(characters), 800, 4096) for characters in (3_500, 12_000, 19_000)]
    assert rooms == [800, 667, 64]
    assert answer_room(asked(19_000), 800, None) == 800
    assert answer_room(asked(19_000), None, 4096) is None
