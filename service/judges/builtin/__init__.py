"""The embedded judge: deterministic, without key or network."""

from .judge import BuiltinJudge, evaluator_revision

__all__ = ["BuiltinJudge", "evaluator_revision"]
