"""Faults that one judge found, as a passage of the prompt of a model that compares or debates."""

from collections.abc import Mapping
from enum import StrEnum

from ..domain.completion import Call
from ..domain.rubric import Factor, Protocol
from ..domain.verdict import JudgeName
from ..judges.evaluation import EvaluationRequest, JudgeInput
from ..prompts import one_line
from .score import JudgeOf

LEAD = "A judge without a language model found these faults of the recommender. It can be wrong, and it misses others."
BUILTIN = JudgeName("builtin")


class EvidenceKind(StrEnum):
    """Findings that a model reads beside the log."""

    FAULTS = "faults"


async def fault_evidence(
    judge_input: JudgeInput, factors: Mapping[str, Factor], judge_of: JudgeOf, call: Call
) -> str:
    """Return the faults that the embedded judge reports in a log, with the words that show them, between tags."""
    core = tuple(factor for factor in factors.values() if factor.protocol is Protocol.CORE)
    found = {
        (-1 if fault.message is None else fault.message, fault.fault): fault
        async for verdict in judge_of(BUILTIN).ask(EvaluationRequest(judge_input, core), call)
        for fault in verdict.faults
    }
    lines = [
        f"- message {fault.message}, {slug}{' (certain)' if fault.certain else ''}: "
        + " ... ".join(f'"{one_line(quote)}"' for quote in fault.quotes)
        for (_, slug), fault in sorted(found.items(), key=lambda one: one[0])
    ]
    return "\n".join(["<faults>", LEAD, *(lines or ["It found none."]), "</faults>"])
