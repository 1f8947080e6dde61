"""Verdicts, logs and debaters made up for tests; a scripted debater follows its script."""

from collections.abc import Mapping, Sequence

from service.debates.roles import DebateRole, default_roles, load_roles
from service.debates.rounds import Terms, run_debate
from service.debates.statement import (
    Debate,
    DebateSubject,
    Participant,
    SpeakerContext,
    Speech,
    SpeechFailed,
    Statement,
)
from service.domain.completion import Call, Usage
from service.domain.conversation import ConversationLog
from service.domain.verdict import Failed, JudgeName, Verdict
from service.factors import load_factors
from service.judges.evaluation import JudgeInput
from tests import factories
from tests.factories import BUILTIN, gap, scored, talk

PER_CALL = Usage(100, 10)

FACTORS = load_factors()
SHIPPED = load_roles(FACTORS)
ROLES = default_roles(SHIPPED)


def verdict(factor: str, score: float | None, judge: JudgeName = BUILTIN) -> Verdict:
    """A verdict with a score, or without one where `score` is None."""
    if score is None:
        return gap(factor, judge, code="missing", detail="nothing to go by")
    return scored(factor, score, judge, level=int(score), rationale=f"{factor} is worth {score}")


def failed(factor: str) -> Failed:
    return factories.failed(factor, code="refused", detail="no")


def log() -> ConversationLog:
    return talk(
        "u: Something calm for a rainy evening?",
        "a: Try Paper Lanterns: slow, warm, and set by the sea.",
        domain="movie",
    )


def subject_of(scores: Mapping[str, float | None] | float = 2) -> DebateSubject:
    """A subject of plain scores, the same one for all factors or one for each that is named."""
    wanted = scores if isinstance(scores, Mapping) else dict.fromkeys(FACTORS, scores)
    return DebateSubject.of(
        JudgeInput(log()), [verdict(slug, score) for slug, score in wanted.items()], FACTORS
    )


class Scripted:
    """Answers round n with the n-th of its scores; None is a round in which it fails."""

    revision = "1" * 12

    def __init__(self, scores: Sequence[int | None], name: str = "openai:m", usage: Usage = PER_CALL) -> None:
        self.scores = scores
        self.name = JudgeName.parse(name)
        self.usage = usage
        self.contexts: list[SpeakerContext] = []

    async def speak(self, context: SpeakerContext, call: Call) -> Speech:
        self.contexts.append(context)
        score = self.scores[context.number - 1]
        role, judge = context.role.slug, self.name
        if score is None:
            return SpeechFailed(role=role, judge=judge, code="refused", detail="no", usage=self.usage)
        return Statement(role=role, judge=judge, score=score, statement=f"I say {score}.", usage=self.usage)


def participants_of(roles: Sequence[DebateRole], *scripts: Sequence[int | None]) -> list[Participant]:
    """A participant for each role, in order, that follows its script."""
    return [Participant(role, Scripted(script)) for role, script in zip(roles, scripts, strict=True)]


async def finish(
    subject: DebateSubject, participants: Sequence[Participant], terms: Terms, call: Call
) -> Debate:
    """Run a debate and return its result. Raises the errors of `run_debate`."""
    *_, end = [step async for step in run_debate(subject, participants, terms, call)]
    assert isinstance(end, Debate)
    return end
