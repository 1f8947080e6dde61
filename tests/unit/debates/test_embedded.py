"""The embedded debater: each role states its score once, and their mean is the overall score."""

from collections.abc import Sequence

import pytest

from service.debates.embedded import EmbeddedDebater
from service.debates.roles import DebateRole
from service.debates.rounds import Terms
from service.debates.statement import (
    Debate,
    DebateSubject,
    Participant,
    Round,
    SpeakerContext,
    SpeechFailed,
    Statement,
)
from service.domain.completion import Call
from service.scoring.overall import overall_of
from tests.factories import instance, known
from tests.unit.debates.scripted import ROLES, finish, subject_of


async def debate(roles: Sequence[DebateRole], subject: DebateSubject, rounds: int = 4) -> Debate:
    return await finish(
        subject, [Participant(r, EmbeddedDebater()) for r in roles], Terms(max_rounds=rounds), Call()
    )


def said(a_round: Round, role: str) -> Statement:
    (speech,) = (s for s in a_round.speeches if s.role == role)
    assert isinstance(speech, Statement)
    return speech


MIXED = {"coherence": 3, "proactiveness": 2, "effectiveness": 1, "semantic-relevance": 4, "naturalness": 4}


@pytest.mark.parametrize("scores", [4, 3, 2, 0, MIXED])
async def test_one_round_whose_mean_is_the_overall_score(scores: float | dict[str, float]) -> None:
    subject = subject_of(scores)
    result = await debate(ROLES, subject)
    overall = known(overall_of(one.verdict for one in subject.findings.values()))
    assert result.overall == pytest.approx(25 * overall, abs=0.5)
    assert len(result.rounds) == 1
    given = [said(result.rounds[0], role.slug).score for role in ROLES]
    assert (max(given) - min(given) > 1) is (scores is MIXED)


async def test_a_role_without_a_score_takes_the_overall_score() -> None:
    subject = subject_of({"naturalness": 3, "coherence": 1, "novelty": None, "diversity": None})
    result = await debate(ROLES, subject)
    assert said(result.rounds[0], "domain-expert").score == pytest.approx(result.overall, abs=1)
    assert result.roles_counted == 4


async def test_without_any_scored_verdict_it_has_nothing_to_say() -> None:
    context = SpeakerContext(ROLES[0], ROLES, subject_of({"coherence": None}))
    speech = instance(SpeechFailed, await EmbeddedDebater().speak(context, Call()))
    assert speech.code == "no_verdicts"
