"""Names and numbers in rules that no conversation can ever have."""

from typing import Any

import pytest

from service.cli.configuration import GateSettings
from service.cli.exits import CommandError, Exit
from service.cli.gate.scales import check_rules, own_scales, run_scales, service_scales
from tests.unit.cli.making import run


def gate(**tables: Any) -> GateSettings:
    return GateSettings.model_validate(tables)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            gate(rules=[{"factor": "coherense", "mean": 2}]),
            "'coherense'. .* 'coherence'.* gate.rules.0.factor",
        ),
        (gate(rules=[{"factor": "coherence", "mean": 25}]), "gate.rules.0.mean: 25 is outside .* 0 to 4"),
        (gate(rules=[{"factor": "overall", "mean": 4.5}]), "outside the scale of overall"),
        (
            gate(rules=[{"factor": "novelty", "share": 0.5, "at_or_above": 9}]),
            "gate.rules.0.at_or_above: 9 is outside",
        ),
        (gate(regression={"factors": ["overal"]}), "'overal'. .* 'overall'.* gate.regression.factors"),
        (
            gate(regression={"margins": {"noveltie": 1}}),
            "'noveltie'. .* 'novelty'.* gate.regression.margins",
        ),
        (gate(regression={"margins": {"novelty": 25}}), "25 is more than its whole scale"),
    ],
)
def test_mistakes_in_rules_are_named(rules: GateSettings, told: str) -> None:
    with pytest.raises(CommandError, match=told) as raised:
        check_rules(rules, own_scales())
    assert raised.value.code is Exit.USAGE


def test_good_rules_pass() -> None:
    check_rules(
        gate(
            rules=[{"factor": "overall", "mean": 3}, {"factor": "novelty", "share": 1, "at_or_above": 4}],
            regression={"factors": ["coherence", "overall"], "margins": {"coherence": 0.5}},
        ),
        own_scales(),
    )


def test_factors_that_a_run_has_scores_of_are_known() -> None:
    ours = gate(rules=[{"factor": "charm", "mean": 3}])
    with pytest.raises(CommandError, match="charm"):
        check_rules(ours, own_scales())
    check_rules(ours, {**own_scales(), **run_scales(run("now", {"c": {"charm": 4}}))})


def test_a_service_that_cannot_be_reached_is_thought_to_have_the_scales_of_this_version() -> None:
    assert service_scales("http://127.0.0.1:9", None) == own_scales()
