"""Confidence and flags by the kind of conversation that a log is."""

from typing import Any

import pytest

from service.domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED
from service.domain.verdict import Scored
from service.judges.embedded.judge import LITTLE_TESTED, nearest
from service.judges.embedded.learned import Learned
from service.judges.embedded.reactions import reactions
from service.judges.embedded.reading import Reading
from service.judges.inquiry import Case

FILMS = [
    "U: A calm western, please.",
    "A: How about Copper Canyon (1950)? It is calm and set in the desert.",
    "U: Great. Another one?",
    "A: Then try The Long Way (2004), since you like it calm.",
    "U: Thanks!",
]


def told(verdict: Scored) -> str:
    """Return the text of the flag of little tested ground; empty without one."""
    return "".join(flag.detail for flag in verdict.flags if flag.code == LITTLE_TESTED)


async def test_talk_of_films_is_the_ground_that_was_measured(ask: Any) -> None:
    verdict = await ask(FILMS, "coherence")
    assert told(verdict) == ""


@pytest.mark.parametrize(
    ("domain", "near"),
    [
        ("shopping", "conversations about products"),
        ("gardening", "task dialogues"),
    ],
)
async def test_another_domain_is_told_with_what_was_measured_nearest(
    ask: Any, domain: str, near: str
) -> None:
    films, other = [await ask(FILMS, "coherence", domain=name) for name in ("movie", domain)]
    assert near in told(other)
    assert "people's overall label, n = " in told(other)
    assert other.confidence < films.confidence
    assert other.score == pytest.approx(films.score, abs=1)


async def test_a_lone_reply_is_little_tested(ask: Any) -> None:
    verdict = await ask(FILMS[:2], "coherence")
    assert "a single reply" in told(verdict)


def test_an_interview_recommends_nothing(make_log: Any) -> None:
    log = make_log(["U: Hi.", "A: What kind of films do you like?", "U: Westerns."], domain="movie")
    silent = Reading(Case(log), log, Learned(), ())
    talkative = Reading(Case(log), log, Learned(acts={1: {"recommends": 1.0}}), ())
    assert [ground.name for one in (silent, talkative) if (ground := nearest(one))] == ["interviews", "films"]


def test_without_later_messages_there_is_nothing_to_count() -> None:
    assert reactions([]) == {}


@pytest.mark.parametrize(
    ("glad", "sad", "count"),
    [
        ("I'll take it.", "Which one is cheaper?", ACCEPTED),
        ("Which one is cheaper?", "No, not that one.", REJECTED),
        ("Which one is cheaper?", "That is not what I asked for.", OBJECTED),
        ("This is wonderful, I love it.", "This is awful, I hate it.", CONTENT),
    ],
)
def test_a_better_reaction_counts_for_the_recommender(glad: str, sad: str, count: str) -> None:
    better, worse = (reactions([text, "Which one is cheaper?"])[count] for text in (glad, sad))
    assert better < worse if count in (REJECTED, OBJECTED) else better > worse
    assert {better, worse} <= {0.0, 0.25, 0.5, 0.75}
