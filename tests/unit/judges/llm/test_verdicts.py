import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from service.domain.completion import NO_USAGE, Completion, TokenOdds, Usage
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Factor, Scale
from service.domain.verdict import (
    Failed,
    Flag,
    JudgeName,
    NotAssessable,
    Samples,
    Scored,
    Verdict,
    VerdictBase,
)
from service.judges.llm.answer import Failure, Quote, RatedAnswer
from service.judges.llm.verdicts import Draw, ExpectedReader, build_verdict
from tests.factories import instance
from tests.unit.judges.llm.conftest import make_factor

LOG = ConversationLog(messages=(Message(Role.ASSISTANT, "Try Night Ferry."),))
FLAGS = (Flag("in_progress", "still on"),)


def verdict_of(draws: Sequence[Draw]) -> Verdict:
    base = VerdictBase(
        factor="clarity",
        judge=JudgeName("local", "small"),
        evaluator_revision="abc",
        flags=FLAGS,
        samples=Samples(len(draws)),
    )
    return build_verdict(base, Scale(0, 4), draws, LOG)


def scored(score: int | None, **fields: object) -> Draw:
    rated = RatedAnswer(score, f"Reasons for {score}.", score is not None, (Quote(0, "Night Ferry"),))
    return Draw(rated, "small-2031", usage=Usage(10, 2), **fields)  # type: ignore[arg-type]


def failed(code: str = "unreadable") -> Draw:
    return Draw(Failure(code, f"it was {code}"), usage=Usage(5))


@pytest.mark.parametrize("readable", [0, 1, 2])
def test_half_the_draws_readable_is_not_enough(readable: int) -> None:
    draws = [scored(4)] * readable + [failed()] * (4 - readable)
    verdict = instance(Failed, verdict_of(draws))
    assert verdict.code == "unreadable"
    assert verdict.samples.n == readable


def test_the_commonest_reason_is_given() -> None:
    verdict = instance(Failed, verdict_of([failed("refused"), failed(), failed()]))
    name = JudgeName("local", "small")
    assert (verdict.code, verdict.judge, verdict.usage) == ("unreadable", name, Usage(15))


def test_one_answer_of_another_model_is_flagged() -> None:
    verdict = instance(Scored, verdict_of([scored(4), scored(4), replace(scored(4), model="tiny-7b")]))
    assert [flag.code for flag in verdict.flags if flag.code == "other_model"] == ["other_model"]
    assert verdict.judge.model == "small-2031"


def test_most_draws_decide_whether_the_question_arises() -> None:
    verdict = instance(NotAssessable, verdict_of([scored(None), scored(None), scored(2)]))
    assert (verdict.code, verdict.detail) == ("no_occasion", "Reasons for None.")
    assert isinstance(verdict_of([scored(None), scored(2), scored(2)]), Scored)
    level = verdict_of([Draw(RatedAnswer(4, "No complaint.", False, ()), "small-2031")])
    assert "no_occasion" in {flag.code for flag in level.flags}


def said(score: int, words: str = "It is clear.") -> str:
    return json.dumps({"rationale": words, "evidence": [], "score": score})


def odds(text: str, at: int, **tokens: float) -> TokenOdds:
    return TokenOdds(at, at + 1, tuple((token.lstrip("t"), math.log(p)) for token, p in tokens.items()))


def read(text: str, *found: TokenOdds, factors: tuple[Factor, ...] = (make_factor(),)) -> dict[str, object]:
    return dict(ExpectedReader(factors).read(Completion(text, "m", NO_USAGE, odds=found)))


def test_each_factor_of_a_shared_call_has_its_own_probabilities() -> None:
    factors = (make_factor(), make_factor("tone", scale=Scale(0, 4)))
    text = json.dumps({"clarity": json.loads(said(1)), "tone": json.loads(said(3))})
    first, second = text.index("1}"), text.index("3}")
    rated_answers = read(
        text, odds(text, first, t1=0.5, t0=0.5), odds(text, second, t3=0.9, t4=0.1), factors=factors
    )
    assert [getattr(rated_answers[slug], "score", None) for slug in ("clarity", "tone")] == pytest.approx(
        [0.5, 3.1]
    )


@pytest.mark.parametrize("tokens", [{}, {"t9": 0.9, "tx": 0.1}])
def test_without_probabilities_of_levels_there_is_no_score(tokens: dict[str, float]) -> None:
    text = said(3)
    found = [odds(text, text.rindex("3"), **tokens)] if tokens else []
    rated = instance(Failure, read(text, *found)["clarity"])
    assert rated.code == "no_logprobs"


def test_a_question_that_does_not_arise_needs_no_probabilities() -> None:
    text = json.dumps({"rationale": "Nothing.", "evidence": [], "score": None})
    assert isinstance(read(text)["clarity"], RatedAnswer)
