import pytest

from service.domain.completion import Usage
from service.llm.cut_answers import cut_off, is_looping
from service.llm.failures import ContextTooLong, LoopingCompletion, TruncatedCompletion

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
def test_fewer_tokens_than_allowed_mean_a_full_context(output: int, bound: int | None, kind: type) -> None:
    failure = cut_off(PROSE, Usage(1365, output), bound)
    assert isinstance(failure, kind)
    assert failure.usage.input_tokens == 1365
    if isinstance(failure, ContextTooLong):
        assert failure.context == 1365 + output
