"""The prompts about the example shop log, whose replies are cards alone, as they are sent. After a change that is meant:

UPDATE_GOLDEN=1 python -m pytest tests/golden/test_shop_prompts.py
"""

import json
from functools import cache
from pathlib import Path

import pytest

from service.catalogue.catalogue import Catalogue
from service.debates.prompt import DebatePrompts
from service.debates.roles import default_roles, load_roles
from service.debates.statement import DebateSubject, SpeakerContext
from service.domain.completion import LLMRequest
from service.factors import load_factors
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.judges.llm.questions import questions_of
from service.llm.capability import Capability
from service.usecases.wire.log import Log
from tests.golden.renewing import assert_text

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "shop"
FACTORS = load_factors()


@cache
def judge_input(name: str) -> JudgeInput:
    body = json.loads((ROOT / "examples" / "logs" / f"{name}.json").read_text("utf-8"))
    log = Log.model_validate_json(json.dumps(body["log"])).value()
    return JudgeInput(log, Catalogue.of_log(log, None))


def rendered(name: str, slug: str) -> str:
    evaluation = EvaluationRequest(judge_input(name), (FACTORS[slug],))
    (question,) = questions_of(
        evaluation, evaluation.factors, LLMRequest("u", "b", "m", ()), Capability(), 200
    )
    return "\n".join(f"=== {message.role}\n{message.content}" for message in question.prompt.messages) + "\n"


@pytest.mark.parametrize(("name", "slug"), [("shop", "explainability"), ("travel", "groundness")])
def test_prompts_are_as_they_were(name: str, slug: str) -> None:
    assert_text(FOLDER / f"{name}.{slug}.txt", rendered(name, slug), __file__)


def test_the_domain_expert_of_a_debate_sees_the_sources() -> None:
    roles = default_roles(load_roles(FACTORS))
    subject = DebateSubject.of(judge_input("shop"), [], FACTORS)
    shown = {
        role.slug: DebatePrompts(100).messages(SpeakerContext(role, roles, subject))[1].content
        for role in roles
    }
    assert "price 109 EUR (differs)" in shown["domain-expert"]
    assert all("109" not in text for slug, text in shown.items() if slug != "domain-expert")
    assert_text(FOLDER / "debate.domain-expert.txt", shown["domain-expert"] + "\n", __file__)
