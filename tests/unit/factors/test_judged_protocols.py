"""CONCEPT's, PEPPER's and iEvaLM's factors: their own scales, and what each cannot do without."""

import pytest

from service.domain.rubric import Factor, Need, Protocol, Scale
from service.factors import load_factors
from service.metrics.abilities import JUDGED

FACTORS = load_factors()


@pytest.mark.parametrize(
    ("protocol", "scale"),
    [(Protocol.CONCEPT, Scale(1, 5)), (Protocol.PEPPER, Scale(1, 5)), (Protocol.IEVALM, Scale(0, 2))],
)
def test_scales(protocol: Protocol, scale: Scale) -> None:
    assert {factor.scale for factor in FACTORS.of(protocol)} == {scale}


@pytest.mark.parametrize(
    ("slug", "need"),
    [
        ("concept-user-satisfaction", Need.THOUGHTS),
        ("concept-overall", Need.VERDICTS),
        ("pepper-personalization", Need.PREFERENCES),
        ("ievalm-persuasiveness", Need.GROUND_TRUTH),
    ],
)
def test_inputs_that_only_one_factor_needs(slug: str, need: Need) -> None:
    assert need in FACTORS[slug].needs
    assert [factor.slug for factor in others() if need in factor.needs and factor.slug != slug] == []


def test_the_abilities_read_factors_that_exist() -> None:
    assert set(JUDGED.values()) <= {factor.slug for factor in FACTORS.of(Protocol.CONCEPT)}


def test_what_a_factor_leaves_to_others_exists() -> None:
    named = {
        word.strip("(),.:;")
        for factor in others()
        for text in factor.excludes
        for word in text.split()
        if word.strip("(),.:;").startswith(("concept-", "pepper-", "ievalm-"))
    }
    assert named
    assert named <= set(FACTORS)


def others() -> list[Factor]:
    return [factor for factor in FACTORS.values() if factor.protocol is not Protocol.CORE]
