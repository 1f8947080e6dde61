from typing import Any

import pytest

from service.domain.conversation import Item, User
from service.domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED, REPEATED
from service.judges.embedded.features import ConversationFeatures
from service.judges.embedded.learned import Learned
from service.judges.embedded.reactions import reactions, repetition
from service.judges.embedded.reliability import CERTAIN, LITTLE_TESTED, nearest_domain
from service.judges.evaluation import JudgeInput, ListSource
from tests.unit.judges.embedded.conftest import ITEMS, ask, log_of

TALK = ["U: I want a comedy", "A: Here is what I found.", "U: thanks", "A: You're welcome."]
ALL = ("Copper Canyon (1950)", "Blue Harbour (1999)", "The Long Way (2004)", "Winter Orchard (2011)")


async def test_a_wanted_item_in_the_list_gets_all_points() -> None:
    verdict = await ask(TALK, "effectiveness", lists={1: ALL}, ground_truth=("Winter Orchard",))
    assert (verdict.score, verdict.confidence, verdict.flags) == (4, 1, ())
    assert verdict.evidence[0].message == 1


TWIN = Item("Twin (2020)", attributes={"genre": ("comedy", "animation", "romance")})


@pytest.mark.parametrize(
    ("shown", "level"), [(ALL[2:3], 3), (("Blue Harbour (1999)", "Copper Canyon (1950)"), 0)]
)
async def test_without_a_hit_similarity_decides(shown: Any, level: int) -> None:
    verdict = await ask(TALK, "effectiveness", lists={1: shown}, ground_truth=("Twin",), items=(*ITEMS, TWIN))
    assert verdict.level == level


async def test_without_ground_truth_given_preferences_stand_in_and_the_verdict_says_so() -> None:
    user = User(attributes=("Comedy",))
    verdict = await ask(TALK, "effectiveness", lists={1: ALL[1:2]}, items=ITEMS, user=user)
    assert verdict.level == 0
    assert "judged_on_preferences" in {flag.code for flag in verdict.flags}


async def test_a_missed_target_is_in_the_middle_where_most_items_are_unknown() -> None:
    unknown, scored = [
        await ask(
            TALK, "effectiveness", lists={1: (ALL[3], *others)}, items=ITEMS, ground_truth=("Paper Lanterns",)
        )
        for others in (("X1", "X2"), ("X1",))
    ]
    assert unknown.score == 1.5
    for verdict in (unknown, scored):
        assert "items_without_metadata" in {flag.code for flag in verdict.flags}


async def test_novelty_counts_little_known_items_and_needs_popularity() -> None:
    verdict = await ask(TALK, "novelty", lists={1: ALL}, items=ITEMS)
    assert verdict.level == 4
    assert len(verdict.evidence) == 2
    assert (await ask(TALK, "novelty", lists={1: ("Copper Canyon (1950)",)}, items=ITEMS)).level == 0
    unknown = await ask(TALK, "novelty", lists={1: ("Paper Lanterns (2015)",)}, items=ITEMS)
    assert (unknown.code, unknown.missing) == ("missing_popularity", ("items.popularity",))


async def test_diversity_counts_characteristics_by_dimension() -> None:
    verdict = await ask(TALK, "diversity", lists={1: ALL}, items=ITEMS)
    assert "5 by genre" in verdict.rationale
    assert "3 by director" in verdict.rationale
    assert verdict.level == 3


async def test_a_single_item_has_no_diversity_to_judge() -> None:
    verdict = await ask(TALK, "diversity", lists={1: ALL[:1]}, items=ITEMS)
    assert verdict.code == "no_occasion"


@pytest.mark.parametrize("factor", ["effectiveness", "novelty", "diversity"])
async def test_lists_read_from_text_are_flagged(factor: str) -> None:
    script = ["U: I want a comedy", "A: How about The Long Way or Winter Orchard?"]
    verdict = await ask(script, factor, items=ITEMS, ground_truth=("Winter Orchard",))
    assert "list_from_text" in {flag.code for flag in verdict.flags}


@pytest.mark.parametrize("factor", ["novelty", "diversity"])
async def test_no_recommendation_is_told_as_such(factor: str) -> None:
    assert (await ask(["U: hi", "A: Hello!"], factor, items=ITEMS)).code == "no_recommendation_made"
    assert (
        await ask(["U: hi", "A: Hello!"], factor, items=ITEMS, source=ListSource.LISTS)
    ).code == "missing_recommendations"


async def test_a_given_wish_that_is_no_known_kind_is_looked_for_in_all_attributes() -> None:
    places = (
        Item("Casa Amaranta", attributes={"cuisine": ("Mexican",), "diet": ("Gluten-free",)}),
        Item("Thalassa Room", attributes={"cuisine": ("Greek",)}),
    )
    script = ["U: Dinner for two, please", "A: How about Casa Amaranta?"]
    wish = User(attributes=("gluten-free", "Mexican"))
    met = await ask(script, "effectiveness", lists={1: ("Casa Amaranta",)}, items=places, user=wish)
    unmet = await ask(script, "effectiveness", lists={1: ("Thalassa Room",)}, items=places, user=wish)
    assert unmet.level == 0 < met.score


async def test_without_a_list_faults_decide() -> None:
    talk = ["U: Headphones under 80 euros, please.", "A: The Aura Studio costs 129 euros and folds flat."]
    verdict = await ask(talk, "effectiveness", domain="shopping")
    assert {one.fault for one in verdict.faults if one.certain} == {"breaks-constraint"}
    assert verdict.score <= 0.9


async def test_confidence_is_high_where_a_fault_is_certain_and_grows_with_the_replies() -> None:
    over = ["U: Headphones under 80 euros, please.", "A: The Aura Studio costs 129 euros and folds flat."]
    assert (await ask(over, "effectiveness", domain="shopping")).confidence >= CERTAIN
    short, long = [await ask(FILMS[:2] + FILMS[2:] * more, "coherence") for more in (0, 3)]
    assert 0 < short.confidence < long.confidence < CERTAIN
    assert (await ask(FILMS, "coherence", domain="shopping")).confidence < (
        await ask(FILMS, "coherence")
    ).confidence


FILMS = [
    "U: A calm western, please.",
    "A: How about Copper Canyon (1950)? It is calm and set in the desert.",
    "U: Great. Another one?",
    "A: Then try The Long Way (2004), since you like it calm.",
    "U: Thanks!",
]


async def test_talk_of_films_is_the_ground_that_was_measured() -> None:
    verdict = await ask(FILMS, "coherence")
    assert LITTLE_TESTED not in {flag.code for flag in verdict.flags}


def test_an_interview_recommends_nothing() -> None:
    log = log_of(["U: Hi.", "A: What kind of films do you like?", "U: Westerns."], domain="movie")
    silent = ConversationFeatures(JudgeInput(log), log, Learned(), ())
    talkative = ConversationFeatures(JudgeInput(log), log, Learned(acts={1: {"recommends": 1.0}}), ())
    assert [reliability.name for one in (silent, talkative) if (reliability := nearest_domain(one))] == [
        "interviews",
        "films",
    ]


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


def test_users_repeat_the_words_that_they_share_with_an_earlier_message() -> None:
    asked = "A quiet hotel in Porto, please"
    assert repetition([asked]) == {}
    assert repetition([asked, "Thanks!"]) == {REPEATED: 0.0}
    assert repetition([asked, "No, not that.", "a quiet hotel in Porto please!"]) == {REPEATED: 0.5}


async def test_a_title_of_the_users_own_need_not_be_in_the_list() -> None:
    talk = [
        "U: Like Blue Harbour (1999), please",
        "A: The Long Way (2004) is as calm as Blue Harbour (1999).",
    ]
    verdict = await ask(talk, "semantic-relevance", lists={1: ("The Long Way (2004)",)}, items=ITEMS)
    assert verdict.score == 4


async def test_a_short_title_is_known_by_its_year() -> None:
    talk = ["U: Something scary", "A: Then I would suggest It (2017)."]
    assert (await ask(talk, "semantic-relevance", lists={1: ("It (2017)",)})).score == 4
