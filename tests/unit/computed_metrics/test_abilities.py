"""The six abilities and how they roll up."""

import pytest

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import compute
from service.computed_metrics.abilities import IN_HAND, JUDGED, Ability, of_known
from service.computed_metrics.figures import Undefined, Unit
from service.domain.conversation import ConversationLog
from service.domain.verdict import Verdict
from tests.factories import scored
from tests.unit.computed_metrics.making import item, log, rows

FILMS = Catalogue.of([item("Paper Lanterns (2009)", "drama"), item("Harbour Lights (2010)", "comedy")])


def all_scored(score: float) -> list[Verdict]:
    return [scored(slug, score) for slug in JUDGED.values()]


def session(accepted: str | None, persona: str | None = None) -> ConversationLog:
    """A user who wants drama, and is shown one film that fits and one that does not exist."""
    return log(
        ('Try "Paper Lanterns" or "The Tin Admiral".', ["Paper Lanterns (2009)", "Harbour Lights (2010)"]),
        said=["hi", accepted or "No."],
        accepted=2 if accepted else False,
        attributes=["drama"],
        persona=persona,
    )


def test_roll_ups_by_hand() -> None:
    said = ("I take Paper Lanterns.", "I take the second one.", None, None)
    logs = [session(accepted) for accepted in said]
    verdicts = [all_scored(4), all_scored(3), all_scored(5), all_scored(4)]
    scores = {
        ability: found[0].score
        for ability, found in compute(logs, verdicts=verdicts, catalogue=FILMS).abilities.items()
    }
    # Recall 1, both success rates 1, acceptance 1/2; half the titles do not exist, half deceive.
    assert scores[Ability.QUALITY] == pytest.approx(1 + 4 * (1 + 1 + 1 + 0.5) / 4)
    assert scores[Ability.COOPERATION] == pytest.approx((4 + 4 + 4 + (5 - 4 * 0.5)) / 4)
    assert scores[Ability.SOCIAL_AWARENESS] == 4.0
    assert scores[Ability.IDENTITY] == pytest.approx((4 + (5 - 4 * 0.5)) / 2)
    assert scores[Ability.RELIABILITY] is None


def test_an_ability_without_all_its_parts_is_undefined_and_says_which() -> None:
    abilities = compute([session(None)], catalogue=FILMS).abilities
    (found,) = abilities[Ability.IDENTITY]
    assert (found.score, found.undefined) == (None, Undefined.MISSING_PARTS)
    assert found.missing == ("persuasiveness", "deceptive_acceptances")
    parts = {part.name: (part.value, part.unit, part.n) for part in abilities[Ability.QUALITY][0].parts}
    assert parts["success_rate_text"] == (1.0, Unit.SHARE, 1)
    assert parts["acceptance_rate"] == (0.0, Unit.SHARE, 1)


def test_coordination_is_range_over_mean_then_the_mean_over_abilities() -> None:
    logs = [session("I take Paper Lanterns.", "trust"), session("I take Paper Lanterns.", "boredom")]
    verdicts = [all_scored(5), all_scored(3)]
    report = compute(logs, verdicts=verdicts, catalogue=FILMS, metrics=["coordination"])
    values = {
        row.group.get("ability", ""): row.value
        for row in rows(report, "coordination")
        if row.group["over"] == "persona" and "part" not in row.group
    }
    # Quality is equal; half the titles do not exist and nobody is deceived, so sincerity is 4 for both.
    cooperation = (19 / 4 - 13 / 4) / 4
    identity = (5 - 4) / 4.5
    assert values["quality"] == 0
    assert values["cooperation"] == pytest.approx(cooperation)
    assert values["social_awareness"] == pytest.approx(2 / 4)
    assert values["identity"] == pytest.approx(identity)
    assert values[""] == pytest.approx((0 + cooperation + 0.5 + identity) / 4)


def test_coordination_of_a_share_near_zero_is_undefined() -> None:
    logs = [session("I take Paper Lanterns.", "trust"), *(session(None, "boredom") for _ in range(30))]
    logs += [session(None, "trust") for _ in range(29)]
    report = compute(logs, catalogue=FILMS, metrics=["coordination"])
    (row,) = (
        row
        for row in rows(report, "coordination")
        if row.group == {"over": "persona", "part": "acceptance_rate"}
    )
    assert (row.value, row.undefined) == (None, Undefined.MEAN_NEAR_ZERO)


def test_abilities_in_hand_rest_on_the_parts_that_a_conversation_has() -> None:
    assert of_known("concept-sincerity", {"nonexistent_items": 0.25}) == 4.0
    assert of_known("concept-reliability", {"consistent_action": 0.5, "sensitive_pairs": 1.0}) == 2.0
    assert of_known("concept-identity", {"persuasiveness": 4.5}) == 4.5
    assert [slug for slug in IN_HAND if of_known(slug, {}) is not None] == []
