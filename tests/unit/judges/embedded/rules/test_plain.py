"""Every plain fault is found in its own examples, and in none that it names as passing."""

import pytest

from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.rules.findings import table
from service.judges.embedded.rules.replies import FULL, LOSSES, judge_replies
from service.judges.embedded.rules.rule import Rule, Script, plain_rules
from service.judges.inquiry import Case
from tests.unit.judges.embedded.conftest import log_of

RULES = plain_rules()
MATCHES = [(rule, script) for rule in RULES for script in rule.matches]
PASSES = [(rule, script) for rule in RULES for script in rule.passes]


async def found(script: Script) -> list[tuple[str, ...]]:
    return [each.kinds for each in judge_replies(await read_case(Case(log_of(script))))]


@pytest.mark.parametrize(("rule", "script"), MATCHES, ids=lambda each: getattr(each, "slug", ""))
async def test_it_is_found(rule: Rule, script: Script) -> None:
    assert any(rule.slug in kinds for kinds in await found(script))


@pytest.mark.parametrize(("rule", "script"), PASSES, ids=lambda each: getattr(each, "slug", ""))
async def test_it_is_not_found(rule: Rule, script: Script) -> None:
    assert not any(rule.slug in kinds for kinds in await found(script))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.slug)
def test_every_rule_says_what_it_is(rule: Rule) -> None:
    assert len(rule.matches) >= 2
    assert len(rule.passes) >= 2
    assert 0 < rule.cost <= FULL
    assert LOSSES[rule.slug] == (rule.cost, table("losses")[rule.slug])


def test_rules_are_found_by_listing_their_folder() -> None:
    assert {rule.slug for rule in RULES} >= {"error-text", "other-language", "same-question", "stalls"}
    assert len({rule.slug for rule in RULES}) == len(RULES)


async def test_a_live_log_may_still_deliver() -> None:
    script = ("U: Is there a table for two tonight?", "A: Let me check that for you.")
    live = judge_replies(await read_case(Case(log_of(script, complete=False))))
    assert "stalls" not in live[0].kinds
