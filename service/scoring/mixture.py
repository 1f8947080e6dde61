"""Mixtures of evaluators: which model judges which factor, as a paper found it."""

from collections.abc import Mapping
from enum import StrEnum

from ..domain.verdict import JudgeName

_CORE = {
    "openai:gpt-4o-mini": (
        "proactiveness",
        "naturalness",
        "grammatical-correctness",
        "effectiveness",
        "semantic-relevance",
        "diversity",
    ),
    "llama:meta-llama/Meta-Llama-3-70B-Instruct": ("explainability", "recoverability"),
    "qwen:Qwen/Qwen3-32B": ("novelty", "coherence"),
    "qwen:Qwen/Qwen3-14B": ("appropriateness",),
    "glm:glm-4-air": ("groundness",),
}


class Mixture(StrEnum):
    """A preset. `core`: the model that agreed best with people on each factor of CoRE (quadratic weighted kappa, table 22)."""

    CORE = "core"

    @property
    def judges(self) -> Mapping[str, JudgeName]:
        """Factor to judge. `llama`, `qwen` and `glm` are upstreams that the operator names so."""
        return {slug: JudgeName.parse(judge) for judge, slugs in _CORE.items() for slug in slugs}
