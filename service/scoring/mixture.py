"""Mixtures of evaluators: a model for each factor, as a paper found it, and the rule that combines judges'
scores."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


class Aggregate(StrEnum):
    """The rule that makes one score of several."""

    MEAN = "mean"
    MEDIAN = "median"

    def of(self, scores: Sequence[float]) -> float:
        """Combine one or more scores."""
        return fmean(scores) if self is Aggregate.MEAN else float(median(scores))


class Mixture(StrEnum):
    """A preset. `core`: the model that agreed best with people on each factor of CoRE (quadratic weighted kappa, table 22)."""

    CORE = "core"

    @property
    def judges(self) -> "Mapping[str, JudgeName]":
        """Factor to judge. `llama`, `qwen` and `glm` are upstreams that the operator names so."""
        from ..domain.verdict import JudgeName  # here, since it takes long to load

        return {slug: JudgeName.parse(judge) for judge, slugs in _CORE.items() for slug in slugs}
