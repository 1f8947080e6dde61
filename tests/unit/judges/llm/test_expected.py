import json
import math

import pytest

from service.domain.completion import NO_USAGE, Completion, TokenOdds
from service.domain.rubric import Factor, Scale
from service.judges.llm.answer import Failure, Reading
from service.judges.llm.verdicts import ExpectedReader
from tests.factories import instance
from tests.unit.judges.llm.conftest import make_factor


def said(score: int, words: str = "It is clear.") -> str:
    return json.dumps({"rationale": words, "evidence": [], "score": score})


def odds(text: str, at: int, **tokens: float) -> TokenOdds:
    return TokenOdds(at, at + 1, tuple((token.lstrip("t"), math.log(p)) for token, p in tokens.items()))


def read(text: str, *found: TokenOdds, factors: tuple[Factor, ...] = (make_factor(),)) -> dict[str, object]:
    return dict(ExpectedReader(factors).read(Completion(text, "m", NO_USAGE, odds=found)))


def test_the_score_is_the_mean_of_the_levels_by_their_probabilities() -> None:
    text = said(3)
    reading = instance(
        Reading, read(text, odds(text, text.rindex("3"), t3=0.6, t2=0.2, t4=0.1, t7=0.05, tx=0.05))["clarity"]
    )
    assert reading.score == pytest.approx((3 * 0.6 + 2 * 0.2 + 4 * 0.1) / 0.9)
    assert reading.scale_share == pytest.approx(0.9)
    assert reading.confidence is not None
    assert 0 < reading.confidence < 0.9


def test_one_level_alone_is_sure_and_tokens_of_one_level_add_up() -> None:
    text = said(2)
    at = text.rindex("2")
    found = TokenOdds(at - 1, at + 1, ((" 2", math.log(0.7)), ("2", math.log(0.3))))
    reading = instance(Reading, read(text, found)["clarity"])
    assert (reading.score, reading.scale_share, reading.confidence) == pytest.approx((2, 1, 1))


def test_a_score_that_the_reasons_quote_is_not_the_score() -> None:
    words = 'The log says "score": 0 and so on.'
    text = said(4, words)
    place = text.index("0 and")
    decoy, own = odds(text, place, t0=1.0), odds(text, text.rindex("4"), t4=0.5, t3=0.5)
    reading = instance(Reading, read(text, decoy, own)["clarity"])
    assert reading.score == pytest.approx(3.5)


def test_each_factor_of_a_shared_call_has_its_own_probabilities() -> None:
    factors = (make_factor(), make_factor("tone", scale=Scale(0, 4)))
    text = json.dumps({"clarity": json.loads(said(1)), "tone": json.loads(said(3))})
    first, second = text.index("1}"), text.index("3}")
    readings = read(
        text, odds(text, first, t1=0.5, t0=0.5), odds(text, second, t3=0.9, t4=0.1), factors=factors
    )
    assert [getattr(readings[slug], "score", None) for slug in ("clarity", "tone")] == pytest.approx(
        [0.5, 3.1]
    )


@pytest.mark.parametrize("tokens", [{}, {"t9": 0.9, "tx": 0.1}])
def test_without_probabilities_of_levels_there_is_no_score(tokens: dict[str, float]) -> None:
    text = said(3)
    found = [odds(text, text.rindex("3"), **tokens)] if tokens else []
    reading = instance(Failure, read(text, *found)["clarity"])
    assert reading.code == "no_logprobs"


def test_a_question_that_does_not_arise_needs_no_probabilities() -> None:
    text = json.dumps({"rationale": "Nothing.", "evidence": [], "score": None})
    assert isinstance(read(text)["clarity"], Reading)
