"""Preferences: what two orders make together, how answers are read, and small differences of scores."""

import pytest

from service.comparison.model import read_preference
from service.comparison.preference import (
    Order,
    Preferred,
    Shown,
    agreed,
    prefer,
    prefer_overall,
    zone_of,
    zones,
)
from service.factors import load_factors
from service.judges.llm.answer import Failure
from tests.factories import BUILTIN, gap, known, scored

FACTORS = load_factors()
COHERENCE = FACTORS["coherence"]
FIRST, SECOND, TIE = Preferred


def order(shown: Shown, preferred: Preferred) -> Order:
    return Order(shown, preferred, f"{preferred} it is")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (FIRST, FIRST, FIRST),
        (SECOND, SECOND, SECOND),
        (TIE, TIE, TIE),
        (FIRST, SECOND, TIE),
        (FIRST, TIE, TIE),
        (TIE, SECOND, TIE),
    ],
)
def test_a_preference_that_turns_with_the_order_is_a_tie(
    one: Preferred, other: Preferred, expected: Preferred
) -> None:
    preferred, rationale, reason = agreed([order(Shown.FIRST_SECOND, one), order(Shown.SECOND_FIRST, other)])
    assert (preferred, reason) == (expected, None)
    assert ("turns with the order" in known(rationale)) is (one is not other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"rationale": "Clear.", "better": "2"}', ("2", "Clear.")),
        ('```json\n{"rationale": "Clear.", "better": 1}\n```', ("1", "Clear.")),
        ('{"rationale": "a", "better": "1"} no: {"rationale": "b", "better": "Neither"}', ("neither", "b")),
        ('{"rationale": "Clear.", "better": "first"}', '"better" is not'),
        ('{"rationale": " ", "better": "1"}', '"rationale" is missing'),
        ("Conversation 1.", "no JSON object"),
        ('{"rationale": "a", "better": "1"} no: {"rationale": "b', "cut off or malformed"),
    ],
)
def test_answers_are_read_without_trust(text: str, expected: tuple[str, str] | str) -> None:
    found = read_preference(text)
    if isinstance(expected, str):
        assert isinstance(found, str)
        assert expected in found
    else:
        assert found == expected


def test_small_differences_are_ties_and_large_ones_are_surer() -> None:
    width = 4 * zone_of("coherence").width
    assert 0 < width < 1
    near = prefer((scored("coherence", 2), scored("coherence", 2 + width - 0.01)), COHERENCE)
    assert (near.preferred, near.confidence) == (TIE, None)
    assert near.dead_zone == pytest.approx(width)
    beyond, far = (
        prefer((scored("coherence", 3), scored("coherence", 3 - gap)), COHERENCE) for gap in (width + 0.01, 3)
    )
    assert beyond.preferred is far.preferred is FIRST
    assert 0.6 <= known(beyond.confidence) < known(far.confidence) <= 0.95
    assert prefer((scored("coherence", 0), scored("coherence", 3)), COHERENCE).preferred is SECOND


def test_what_was_not_measured_has_the_widest_zone_and_no_confidence() -> None:
    widest = max(zone.width for zone in zones().values())
    assert zone_of("novelty").width == widest
    found = prefer((scored("novelty", 4), scored("novelty", 0)), FACTORS["novelty"])
    assert (found.preferred, found.confidence) == (FIRST, None)
    overall = prefer_overall(
        [(scored("coherence", 4), scored("coherence", 0))], {"coherence": COHERENCE}, BUILTIN
    )
    assert (overall.preferred, overall.confidence) == (FIRST, None), "one factor is not the mean of twelve"


def test_a_factor_that_one_conversation_cannot_be_judged_by_has_no_preference() -> None:
    missing = gap("coherence", code="no_replies", detail="none")
    found = prefer((scored("coherence", 4), missing), COHERENCE)
    assert found.preferred is None
    assert found.reason == Failure("no_replies", "the second conversation: none")
    overall = prefer_overall([(scored("coherence", 4), missing)], {"coherence": COHERENCE}, BUILTIN)
    assert known(overall.reason).code == "no_scores"
