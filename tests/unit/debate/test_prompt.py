"""Prompts: what a role reads, and that log text cannot pass for anything else."""

import json
from dataclasses import replace

from service.catalogue.catalogue import Catalogue
from service.debate.prompt import SILENCE, DebatePrompts
from service.debate.roles import DebateRole
from service.debate.statement import Floor, Matter, Round, SpeechFailed, Statement
from service.domain.conversation import Item, Message, Role
from service.domain.verdict import JudgeName
from service.factors import FactorCatalogue
from service.judges.inquiry import Case
from tests.unit.debate.scripted import MatterOf, failed, log, verdict

Roles = tuple[DebateRole, ...]
JUDGE = JudgeName("openai", "m")
PROMPTS = DebatePrompts(200)


def said(role: str, score: int, text: str = "Because.") -> Statement:
    return Statement(role=role, judge=JUDGE, score=score, statement=text)


def mute(role: str) -> SpeechFailed:
    return SpeechFailed(role=role, judge=JUDGE, code="refused", detail="no")


def read(floor: Floor) -> list[str]:
    return [message.content for message in PROMPTS.messages(floor)]


def test_all_roles_share_the_log_and_the_ratings(roles: Roles, factors: FactorCatalogue) -> None:
    verdicts = [
        verdict("novelty", 3),
        verdict("coherence", 1),
        verdict("diversity", None),
        failed("groundness"),
    ]
    matter = Matter.of(Case(log()), verdicts, factors)
    texts = [read(Floor(role, roles, matter)) for role in roles]
    assert len({tuple(text[:-1]) for text in texts}) == 1
    _, shared, expert = next(text for text in texts if "You are the Domain Expert" in text[-1])
    assert "a film critic" in expert
    assert "novelty is worth 3" in shared
    assert 'score="3" scale="0-4"' in shared
    assert "No score: nothing to go by" in shared
    assert "No score: no" in shared
    assert "coherence is worth 1" in shared


def test_history_is_apart_from_what_is_rated(roles: Roles, factors: FactorCatalogue) -> None:
    told = replace(
        log(),
        history=(Message(Role.ASSISTANT, "Welcome back."),),
        ground_truth=("i1",),
        items=(Item("Paper Lanterns (1999)", id="i1"),),
        complete=False,
        messages=(*log().messages, Message(Role.ASSISTANT, "And this?", ("i1", "PS, a Comma", "i1"))),
    )
    case = Case(told, Catalogue.of(told.items))
    user = read(Floor(roles[0], roles, Matter.of(case, [verdict("coherence", 2)], factors)))[1]
    history, interaction = user.index("\nHistory\n"), user.index("\nInteraction\n")
    assert history < user.index("Welcome back.") < interaction < user.index("And this?")
    assert "<recommended>\n- Paper Lanterns (1999)\n- PS, a Comma\n</recommended>" in user
    hit = "Of them, these are in the list of recommended items, by title or id: Paper Lanterns (1999) (number 1)."
    assert f"<wanted>\n- Paper Lanterns (1999)\n{hit}\n</wanted>" in user
    assert "still going on" in user


def test_each_round_adds_the_own_answer_and_what_the_others_said(roles: Roles, matter_of: MatterOf) -> None:
    slugs = [role.slug for role in roles]
    first = Round(
        1, (said(slugs[2], 70, "C."), mute(slugs[1]), said(slugs[0], 30, "A."), said(slugs[3], 5, "D.")), 4
    )
    second = Round(2, (said(slugs[1], 50, "B2."), mute(slugs[0]), said(slugs[2], 70), said(slugs[3], 5)), 4)
    messages = PROMPTS.messages(Floor(roles[0], roles, matter_of(), (first, second)))
    assert [m.role for m in messages] == ["system", "user", "user", "assistant", "user", "assistant", "user"]
    messages = messages[1:]
    assert json.loads(messages[2].content) == {"statement": "A.", "score": 30}
    heard = messages[3].content
    assert heard.index(roles[2].title) < heard.index(roles[1].title) < heard.index(roles[3].title)
    assert "A." not in heard
    assert f'<statement by="{roles[1].title}">No usable answer in this round.</statement>' in heard
    assert f'by="{roles[2].title}" score="70"' in heard
    assert heard.rstrip().startswith('<statements round="1">')
    assert "Round 2." in heard
    assert messages[4].content == SILENCE
    assert "Round 3." in messages[5].content
