import pytest

from service.llm.error_translation import LONGEST_DETAIL, ErrorResponse, translate

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
