"""Golden files of what a model is asked about two conversations, for each factor and overall. After a prompt was meant to
change: UPDATE_GOLDEN=1 python -m pytest tests/golden/test_pair_prompts.py
"""

from dataclasses import replace
from pathlib import Path

import pytest

from service.comparison.model import ModelComparer
from service.comparison.preference import Shown
from service.domain.completion import Call
from service.domain.conversation import Message, Role
from service.domain.verdict import JudgeName
from service.judges.inquiry import Case
from service.llm.failures import TimedOut
from tests.factories import Scripted
from tests.golden.renewing import assert_text
from tests.golden.test_llm_judge import CASE, FACTORS, LOG

FOLDER = Path(__file__).parent / "judges" / "pairs"
OVERALL = "overall"
BUILDS_ON_OTHERS = "concept-overall"
"""It reads verdicts, and a comparison has none: there is no question."""
OTHER = replace(
    LOG,
    messages=(*LOG.messages[:1], Message(Role.ASSISTANT, "Try Night Ferry, it is tense.", ("Night Ferry",))),
)


@pytest.mark.parametrize("slug", [*FACTORS, OVERALL])
async def test_a_model_is_asked_about_pairs_in_these_words(slug: str) -> None:
    models = Scripted(lambda _: TimedOut("nobody answers"))
    comparer = ModelComparer(models, JudgeName("u", "m"), "b", 200)
    factor = None if slug == OVERALL else FACTORS[slug]
    cases = (CASE, Case(OTHER, CASE.catalogue))
    told = await comparer.prefer(cases, factor, tuple(Shown), Call())
    if slug == BUILDS_ON_OTHERS:
        assert told.reason is not None
        assert told.reason.code == "missing_verdicts"
        assert not models.asked
        return
    first, second = ("".join(f"=== {m.role}\n{m.content}\n" for m in one.messages) for one in models.asked)
    assert_text(FOLDER / f"{slug}.txt", f"{first}=== schema\n{models.asked[0].schema}\n", __file__)
    assert first != second
    assert sorted(first) == sorted(second)  # the same words, the conversations in the other order
