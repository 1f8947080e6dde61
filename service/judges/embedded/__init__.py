"""The embedded judge: deterministic, without key or network."""

from .judge import EmbeddedJudge, evaluator_revision

__all__ = ["EmbeddedJudge", "evaluator_revision"]
