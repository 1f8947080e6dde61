"""Prompts: what a role reads, and that log text cannot pass for anything else."""

from service.debates.prompt import DebatePrompts
from service.debates.statement import DebateSubject, SpeakerContext, Statement
from service.domain.verdict import JudgeName
from service.judges.evaluation import JudgeInput
from tests.unit.debates.scripted import FACTORS, ROLES, failed, log, verdict

JUDGE = JudgeName("openai", "m")
PROMPTS = DebatePrompts(200)


def said(role: str, score: int, text: str = "Because.") -> Statement:
    return Statement(role=role, judge=JUDGE, score=score, statement=text)


def test_all_roles_share_the_log_and_the_ratings() -> None:
    verdicts = [
        verdict("novelty", 3),
        verdict("coherence", 1),
        verdict("diversity", None),
        failed("groundness"),
    ]
    subject = DebateSubject.of(JudgeInput(log()), verdicts, FACTORS)
    asked = [PROMPTS.messages(SpeakerContext(role, ROLES, subject)) for role in ROLES]
    texts = [[message.content for message in messages] for messages in asked]
    assert len({tuple(text[:-1]) for text in texts}) == 1
    _, shared, expert = next(text for text in texts if "You are the Domain Expert" in text[-1])
    assert "a film critic" in expert
    assert "novelty is worth 3" in shared
    assert 'score="3" scale="0-4"' in shared
    assert "No score: nothing to go by" in shared
    assert "No score: no" in shared
    assert "coherence is worth 1" in shared
