"""Judges that are language models, whatever their provider."""

from .judge import LLMJudge
from .judges import LLMJudges

__all__ = ["LLMJudge", "LLMJudges"]
