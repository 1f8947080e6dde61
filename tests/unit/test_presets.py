"""The preset files can be loaded as they are."""

import re
from pathlib import Path

from service.app import build_registry, build_stack, upstreams_of
from service.debate.roles import factors_of, load_roles
from service.factors import load_factors
from service.main import read_settings
from service.scoring.mixture import Mixture

PRESET = Path(__file__).parents[2] / "examples" / "mixture-of-evaluators.env"


def lines() -> dict[str, str]:
    pairs = re.findall(r"^([A-Z_]+)=(\S+)$", PRESET.read_text(), re.MULTILINE)
    return dict(pairs)


def test_every_factor_of_the_paper_has_its_judge() -> None:
    factors = load_factors()
    papers = ("common-user", "domain-expert", "linguist", "hci-expert")
    roles = load_roles(factors)
    assert set(read_settings(lines()).judge_by_factor) == set(factors_of([roles[name] for name in papers]))


def test_the_preset_of_requests_is_that_of_deployments() -> None:
    assert read_settings(lines()).judge_by_factor == Mixture.CORE.judges


async def test_every_judge_is_to_be_had() -> None:
    settings = read_settings(lines())
    assert set(upstreams_of(settings)) == {"openai", "llama", "qwen", "glm"}
    registry = build_registry(settings, build_stack(settings))
    for judge in settings.judge_by_factor.values():
        assert registry.judge(judge).name == judge
    await registry.aclose()
