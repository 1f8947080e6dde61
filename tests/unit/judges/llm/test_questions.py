from dataclasses import replace

import pytest

from service.domain.completion import LLMRequest
from service.domain.conversation import ConversationLog, Message, Role, User
from service.domain.rubric import Protocol
from service.factors import load_factors
from service.judges.inquiry import Case, Grouping, Inquiry, Layout
from service.judges.llm.questions import choose_layout, grouped, questions_of
from service.llm.capability import Capability

CORE = load_factors().of(Protocol.CORE)
LOG = ConversationLog(messages=(Message(Role.USER, "Hi"), Message(Role.ASSISTANT, "Hello")))
BLANK = LLMRequest("local", "http://localhost/v1", "m", ())


@pytest.mark.parametrize(
    ("grouping", "calls"), [(Grouping.SEPARATE, len(CORE)), (Grouping.DIMENSION, 4), (Grouping.ALL, 1)]
)
def test_grouping_decides_how_many_calls_there_are(grouping: Grouping, calls: int) -> None:
    groups = grouped(CORE, grouping, Case(LOG))
    assert len(groups) == calls
    assert sorted(f.slug for group in groups for f in group) == sorted(f.slug for f in CORE)


def test_only_the_factors_that_use_the_wanted_items_are_shown_them_in_a_shared_call() -> None:
    shown = tuple(f"Film number {number}" for number in range(130))
    log = replace(
        LOG,
        messages=(Message(Role.USER, "Hi"), Message(Role.ASSISTANT, "Take one.", shown)),
        ground_truth=("Film number 120", "A wanted film"),
    )
    inquiry = Inquiry(Case(log, list_cutoff=200), CORE, grouping=Grouping.ALL)
    first, second = questions_of(inquiry, CORE, BLANK, Capability(), 200)
    first, second = sorted((first, second), key=lambda question: len(question.group))
    wanted = ("A wanted film", "Film number 120")
    told, hidden = (question.prompt.messages[-1].content for question in (first, second))
    assert [factor.slug for factor in first.group] == ["effectiveness"]
    assert all(title in told for title in wanted)
    assert "A wanted film" not in hidden
    # The items that were shown stand in their reply's place for all; which of them were wanted is told to one.
    assert ("by title or id" in told, "by title or id" in hidden) == (True, False)


def test_feelings_preferences_and_other_scores_stay_with_the_factors_that_read_them() -> None:
    factors = load_factors()
    concept = (*factors.of(Protocol.CONCEPT), *factors.of(Protocol.PEPPER))
    log = replace(LOG, user=User(preferences="Slow films."))
    groups = grouped(concept, Grouping.ALL, Case(log))
    alone = {tuple(f.slug for f in group) for group in groups if len(group) == 1}
    assert alone == {("concept-user-satisfaction",), ("concept-overall",), ("pepper-personalization",)}


def test_one_draw_is_deterministic_and_several_differ() -> None:
    [one] = questions_of(Inquiry(Case(LOG), CORE[:1]), CORE[:1], BLANK, Capability(), 200)
    assert (one.request.temperature, one.request.seed, one.request.draw) == (0.0, 0, 0)
    many = questions_of(Inquiry(Case(LOG), CORE[:1], samples=3), CORE[:1], BLANK, Capability(), 200)
    assert [(q.request.temperature, q.request.seed, q.request.draw) for q in many] == [
        (1.0, n, n) for n in range(3)
    ]
    assert len({q.request for q in many} | {one.request}) == 4


@pytest.mark.parametrize(
    ("prefix", "calls", "shortest", "layout"),
    [
        (5000, 12, 1024, Layout.LOG_FIRST),
        (1000, 12, 1024, Layout.FACTOR_FIRST),
        (5000, 2, 1024, Layout.FACTOR_FIRST),
        (5000, 12, None, Layout.FACTOR_FIRST),
        (3000, 12, 4096, Layout.FACTOR_FIRST),
    ],
)
def test_the_log_comes_first_only_where_it_pays(
    prefix: float, calls: int, shortest: int | None, layout: Layout
) -> None:
    capability = Capability(prefix_tokens=shortest)
    assert choose_layout(Layout.AUTO, prefix, calls, capability) is layout
    assert choose_layout(Layout.LOG_FIRST, prefix, calls, capability) is Layout.LOG_FIRST
    assert choose_layout(Layout.FACTOR_FIRST, prefix, calls, capability) is Layout.FACTOR_FIRST
