"""The calls and tokens that an exam will take, before anything is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..judges.evaluation import EvaluationRequest, Grouping
from ..scoring.score import JudgeAssignment, members_of
from .pair import Exam

RUBRIC = 900
"""Input tokens of a call beside the log, for each factor: our prompts, four characters a token."""
ANSWER = 380
"""Output tokens for each factor (CoRE, table 20)."""
_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class ExamEstimate:
    """Work that the exam takes. Calls and tokens of language models are upper bounds; cached answers cost nothing."""

    pairs: int
    conversations: int
    calls: int
    input_tokens: int
    output_tokens: int
    ids: tuple[str, ...]
    """The chosen pairs and rated conversations."""


def estimate(
    exam: Exam, evaluation: EvaluationRequest, assignments: Mapping[str, JudgeAssignment]
) -> ExamEstimate:
    """Estimate what an exam takes of the judges that `assignments` names, if every log is asked about as in `evaluation`."""
    logs = [log for pair in exam.pairs for log in (pair.good, pair.bad)] + [one.log for one in exam.rated]
    asked = [
        (factor, name)
        for factor in evaluation.factors
        for name in members_of(assignments[factor.slug])
        if name.model
    ]
    calls = set()
    for factor, name in asked:
        group = {Grouping.SEPARATE: factor.slug, Grouping.DIMENSION: factor.dimension, Grouping.ALL: ""}
        calls.add((name, group[evaluation.grouping_of(factor)]))
    characters = [sum(len(message.content) for message in log.messages) for log in logs]
    return ExamEstimate(
        pairs=len(exam.pairs),
        conversations=len(logs),
        calls=len(calls) * len(logs),
        input_tokens=RUBRIC * len(asked) * len(logs)
        + len(calls) * sum(one // _CHARACTERS for one in characters),
        output_tokens=ANSWER * len(asked) * len(logs),
        ids=tuple(exam.ids),
    )
