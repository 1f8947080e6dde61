"""The embedded debater: what it says, and that it follows its rules."""

from dataclasses import replace

import pytest

from service.debate.embedded import EmbeddedDebater
from service.debate.roles import DebateRole
from service.debate.rounds import Terms, settle
from service.debate.statement import Debate, Floor, Matter, Round, Seat, SpeechFailed, Statement
from service.domain.completion import NO_USAGE, Call
from service.domain.verdict import JudgeName, Scored, TurnScore
from service.factors import FactorCatalogue
from service.judges.inquiry import Case
from tests.unit.debate.scripted import MatterOf, Scripted, log, verdict

Roles = tuple[DebateRole, ...]


async def debate(roles: Roles, matter: Matter, rounds: int = 4) -> Debate:
    return await settle(matter, [Seat(r, EmbeddedDebater()) for r in roles], Terms(max_rounds=rounds), Call())


def said(a_round: Round, role: str) -> Statement:
    (speech,) = (s for s in a_round.speeches if s.role == role)
    assert isinstance(speech, Statement)
    return speech


@pytest.mark.parametrize(("score", "overall"), [(4, 100), (2, 50), (0, 0)])
async def test_equal_verdicts_agree_at_once(
    score: float, overall: float, roles: Roles, matter_of: MatterOf
) -> None:
    result = await debate(roles, matter_of(score))
    assert (result.overall, result.converged, len(result.rounds)) == (overall, True, 1)


async def test_a_role_starts_from_its_own_factors(roles: Roles, matter_of: MatterOf) -> None:
    scores = {"naturalness": 4, "grammatical-correctness": 3, "appropriateness": 2, "coherence": 0}
    result = await debate(roles, matter_of(scores), rounds=1)
    assert said(result.rounds[0], "linguist").score == 75
    assert said(result.rounds[0], "common-user").score == 0


async def test_what_cannot_be_scored_counts_as_usual(roles: Roles, matter_of: MatterOf) -> None:
    rest = {"coherence": 4.0, "recoverability": 4.0}
    missing = await debate(roles, matter_of({"effectiveness": None, **rest}), rounds=1)
    usual = await debate(roles, matter_of({"effectiveness": 0.3 * 4, **rest}), rounds=1)
    speech = said(missing.rounds[0], "common-user")
    assert speech.score == said(usual.rounds[0], "common-user").score < 60
    assert "Effectiveness cannot be told here, and counts as it usually does, 30%." in speech.statement
    assert "1 of my 3 factors has no score." in speech.statement
    # Nobody speaks from what is usual alone, and what nobody judged is not made up.
    for scores in ({"effectiveness": None, "naturalness": 4.0}, rest):
        result = await debate(roles, matter_of(scores), rounds=1)
        assert said(result.rounds[0], "common-user").score == 100


async def test_roles_move_towards_the_evidence_and_closer_every_round(
    roles: Roles, matter_of: MatterOf
) -> None:
    scores = dict.fromkeys(["effectiveness", "coherence", "recoverability"], 0) | dict.fromkeys(
        ["naturalness", "grammatical-correctness", "appropriateness"], 4
    )
    result = await debate(roles, matter_of({**scores, "groundness": 2, "explainability": 2}))
    spreads = [r.spread for r in result.rounds]
    assert spreads[0] == 100
    assert spreads == sorted(spreads, reverse=True)  # type: ignore[type-var]
    assert spreads[-1] is not None
    assert spreads[-1] <= 15
    # Nineteen of the 24 parts of evidence say 0, three 100, two 50.
    assert abs(result.overall - 17) <= 5


async def test_one_verdict_does_not_outvote_three(roles: Roles, matter_of: MatterOf) -> None:
    many = {"naturalness": 4, "grammatical-correctness": 4, "appropriateness": 4}
    result = await debate(roles, matter_of(many | {"groundness": 0}))
    assert result.overall > 60


async def test_a_role_without_a_verdict_says_so_and_follows_the_others(
    roles: Roles, matter_of: MatterOf
) -> None:
    matter = matter_of({"naturalness": 3, "coherence": 1, "novelty": None, "diversity": None})
    result = await debate(roles, matter)
    opening = said(result.rounds[0], "domain-expert")
    assert opening.score == 50
    assert "None of the factors that I answer for has a score" in opening.statement
    assert result.roles_counted == 4


async def test_a_score_for_want_of_an_occasion_counts_like_any_other(
    roles: Roles, factors: FactorCatalogue
) -> None:
    verdicts = [verdict("recoverability", 4, silent=True), verdict("coherence", 0), verdict("novelty", 0)]
    result = await debate(roles, Matter.of(Case(log()), verdicts, factors), rounds=1)
    # Coherence weighs four times with this role: a fifth of the way from 0 to 100.
    assert said(result.rounds[0], "common-user").score == 20


async def test_statements_say_what_drove_the_score_and_that_no_model_spoke(
    roles: Roles, matter_of: MatterOf
) -> None:
    scores = {"effectiveness": 4, "coherence": 2, "recoverability": 0}
    scores |= dict.fromkeys(["naturalness", "grammatical-correctness", "appropriateness"], 4)
    result = await debate(roles, matter_of(scores))
    opening = said(result.rounds[0], "common-user").statement
    assert "For the system: effectiveness (4 on 0-4)." in opening
    assert "effectiveness and coherence count for more" in opening
    assert "In between: coherence (2 on 0-4)." in opening
    assert "Against it: recoverability (0 on 0-4)." in opening
    reply = said(result.rounds[1], "common-user")
    assert "I move from 84 to" in reply.statement
    assert "The Linguist argues for 100" in reply.statement
    for a_round in result.rounds:
        for speech in a_round.speeches:
            assert isinstance(speech, Statement)
            assert "No language model spoke" in speech.statement
            assert str(speech.score) in speech.statement
            assert speech.usage == NO_USAGE
            assert speech.model is None


async def test_scores_are_told_as_figures_to_read(roles: Roles, matter_of: MatterOf) -> None:
    result = await debate(roles, matter_of({"effectiveness": 3.5461, "coherence": 2}), rounds=1)
    assert "effectiveness (3.55 on 0-4)" in said(result.rounds[0], "common-user").statement


async def test_health_judges_untruth_and_rudeness_harder(roles: Roles, matter_of: MatterOf) -> None:
    scores = dict.fromkeys(["groundness", "appropriateness"], 3) | {"coherence": 4, "explainability": 4}
    film, health = [await debate(roles, matter_of(scores, domain)) for domain in ("movie", "health")]
    assert health.overall < film.overall
    assert "The bar for groundness is higher" in said(health.rounds[0], "domain-expert").statement
    assert "is higher" not in said(film.rounds[0], "domain-expert").statement
    perfect = await debate(roles, matter_of(4, "health"))
    assert perfect.overall == 100


async def test_it_argues_with_debaters_of_another_kind(roles: Roles, matter_of: MatterOf) -> None:
    seats = [Seat(role, EmbeddedDebater()) for role in roles[:3]] + [
        Seat(roles[3], Scripted([0, 0, 0, 0], "openai:m"))
    ]
    result = await settle(matter_of(4), seats, Terms(), Call())
    own = [said(r, roles[0].slug).score for r in result.rounds]
    # Each round half of the way to the mean by evidence, 25 parts against 3: 89.3, 84.8, 80.4.
    assert own == [100, 95, 90, 85]


async def test_it_goes_on_when_nobody_else_spoke(roles: Roles, matter_of: MatterOf) -> None:
    debater, matter = EmbeddedDebater(), matter_of({"coherence": 3})
    judge = JudgeName("openai", "m")
    silent = Round(
        1, tuple(SpeechFailed(role=r.slug, judge=judge, code="refused", detail="") for r in roles), 4
    )
    speech = await debater.speak(Floor(roles[0], roles, matter, (silent,)), Call())
    assert isinstance(speech, Statement)
    assert speech.score == 75


async def test_without_any_scored_verdict_it_has_nothing_to_say(roles: Roles, matter_of: MatterOf) -> None:
    floor = Floor(roles[0], roles, matter_of({"coherence": None}))
    speech = await EmbeddedDebater().speak(floor, Call())
    assert isinstance(speech, SpeechFailed)
    assert speech.code == "no_verdicts"


async def test_factors_on_other_scales_weigh_by_their_share(roles: Roles, factors: FactorCatalogue) -> None:
    from dataclasses import replace

    from service.domain.rubric import Scale

    five = replace(factors["coherence"], slug="five", scale=Scale(1, 5))
    custom = [DebateRole(f"r{i}", f"R{i}", "You rate.", ("five",)) for i in range(3)]
    matter = Matter.of(Case(log()), [verdict("five", 4)], {"five": five})
    assert (await debate(tuple(custom), matter)).overall == 75


async def test_the_replies_own_scores_draw_a_verdict_but_little_at_the_ends_of_its_scale(
    roles: Roles, factors: FactorCatalogue
) -> None:
    def score(level: float, *turns: float) -> Scored:
        plain = verdict("coherence", level)
        assert isinstance(plain, Scored)
        return replace(plain, turns=tuple(TurnScore(1, turn) for turn in turns) or None)

    async def opening(given: Scored) -> int:
        result = await debate(roles, Matter.of(Case(log()), [given], factors), rounds=1)
        speech = said(result.rounds[0], "common-user")
        assert ("single replies" in speech.statement) is bool(given.turns)
        return speech.score

    assert await opening(score(2)) == 50
    assert await opening(score(2, 0, 1)) < 50 < await opening(score(2, 4, 3))
    assert await opening(score(4, 1)) == 90
    assert await opening(score(0, 2)) == 10
