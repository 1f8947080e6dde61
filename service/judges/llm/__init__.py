"""Judges that are language models, whatever their provider."""

from .judge import LLMJudge

__all__ = ["LLMJudge"]
