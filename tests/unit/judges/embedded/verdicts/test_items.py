import re
from typing import Any

import pytest

from service.domain.conversation import Item, User
from service.domain.verdict import NotAssessable, Scored
from service.judges.inquiry import ListSource

TALK = ["U: I want a comedy", "A: Here is what I found.", "U: thanks", "A: You're welcome."]
ALL = ("Copper Canyon (1950)", "Blue Harbour (1999)", "The Long Way (2004)", "Winter Orchard (2011)")


async def test_a_wanted_item_in_the_list_gets_all_points(ask: Any) -> None:
    verdict = await ask(TALK, "effectiveness", lists={1: ALL}, truth=("Winter Orchard",))
    assert (verdict.score, verdict.confidence, verdict.flags) == (4, 1, ())
    assert verdict.evidence[0].message == 1


@pytest.mark.parametrize(
    ("shown", "score"),
    [
        (("The Long Way (2004)",), 2),
        (("Blue Harbour (1999)", "Copper Canyon (1950)"), 0),
    ],
)
async def test_without_a_hit_similarity_decides(
    ask: Any, films: Any, shown: tuple[str, ...], score: int
) -> None:
    twin = Item("Twin (2020)", attributes={"genre": ("comedy", "animation", "romance")})
    verdict = await ask(TALK, "effectiveness", lists={1: shown}, truth=("Twin",), items=(*films, twin))
    assert verdict.level == (3 if score == 2 else score)


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (("Blue Harbour (1999)", "Copper Canyon (1950)"), "similar to a wanted item; the nearest"),
        (
            ("Blue Harbour (1999)", "Winter Orchard (2011)"),
            "similar to a wanted item (none very similar); the",
        ),
    ],
)
async def test_the_rationale_says_none_once(ask: Any, films: Any, shown: tuple[str, ...], told: str) -> None:
    twin = Item("Twin (2020)", attributes={"genre": ("comedy", "animation", "romance")})
    verdict = await ask(TALK, "effectiveness", lists={1: shown}, truth=("Twin",), items=(*films, twin))
    assert told in verdict.rationale
    assert len(re.findall("none|neither", verdict.rationale.casefold())) == 1, verdict.rationale


async def test_without_ground_truth_expressed_preferences_stand_in_and_the_verdict_says_so(
    ask: Any, films: Any
) -> None:
    verdict = await ask(
        TALK, "effectiveness", lists={1: ("The Long Way (2004)", "Winter Orchard (2011)")}, items=films
    )
    assert verdict.level == 3
    assert "judged_on_preferences" in {flag.code for flag in verdict.flags}
    wanting = await ask(
        TALK,
        "effectiveness",
        lists={1: ("Blue Harbour (1999)",)},
        items=films,
        user=User(attributes=("Horror",)),
    )
    assert "horror" in wanting.rationale


async def test_unknown_items_make_it_not_assessable_when_they_are_most(ask: Any, films: Any) -> None:
    verdict = await ask(
        TALK,
        "effectiveness",
        lists={1: ("Winter Orchard (2011)", "X1", "X2")},
        items=films,
        truth=("Paper Lanterns",),
    )
    assert isinstance(verdict, NotAssessable)
    assert (verdict.code, verdict.missing) == ("missing_metadata", ("items",))
    scored = await ask(
        TALK,
        "effectiveness",
        lists={1: ("Winter Orchard (2011)", "X1")},
        items=films,
        truth=("Paper Lanterns",),
    )
    assert isinstance(scored, Scored)
    assert "items_without_metadata" in {flag.code for flag in scored.flags}


async def test_novelty_counts_little_known_items(ask: Any, films: Any) -> None:
    verdict = await ask(TALK, "novelty", lists={1: ALL}, items=films)
    assert verdict.level == 4
    assert "Of 4 items with a known popularity, 2 are" in verdict.rationale
    assert (await ask(TALK, "novelty", lists={1: ("Copper Canyon (1950)",)}, items=films)).level == 0


async def test_novelty_needs_popularity(ask: Any, films: Any) -> None:
    verdict = await ask(TALK, "novelty", lists={1: ("Paper Lanterns (2015)",)}, items=films)
    assert (verdict.code, verdict.missing) == ("missing_popularity", ("items.popularity",))


async def test_diversity_counts_characteristics_by_dimension(ask: Any, films: Any) -> None:
    verdict = await ask(TALK, "diversity", lists={1: ALL}, items=films)
    assert "5 by genre" in verdict.rationale
    assert "3 by director" in verdict.rationale
    assert verdict.level == 3


async def test_diversity_knows_other_domains_dimensions(ask: Any) -> None:
    places = [
        Item(f"Place {i}", attributes={"cuisine": (f"cuisine {i}",), "Price range": (f"{i}",)})
        for i in range(5)
    ]
    lists = {1: tuple(place.title for place in places)}
    assert (await ask(TALK, "diversity", lists=lists, items=places, domain="restaurant")).level == 4
    assert (await ask(TALK, "diversity", lists=lists, items=places, domain="book")).code == "missing_metadata"
    assert (await ask(TALK, "diversity", lists=lists, items=places, domain="tea houses")).level == 4


@pytest.mark.parametrize("factor", ["effectiveness", "novelty", "diversity"])
async def test_lists_read_from_text_are_flagged(ask: Any, films: Any, factor: str) -> None:
    script = ["U: I want a comedy", "A: How about The Long Way or Winter Orchard?"]
    verdict = await ask(script, factor, items=films, truth=("Winter Orchard",))
    assert "list_from_text" in {flag.code for flag in verdict.flags}


@pytest.mark.parametrize("factor", ["effectiveness", "novelty", "diversity"])
async def test_no_recommendation_is_told_as_such(ask: Any, films: Any, factor: str) -> None:
    assert (await ask(["U: hi", "A: Hello!"], factor, items=films)).code == "no_recommendation_made"
    assert (
        await ask(["U: hi", "A: Hello!"], factor, items=films, source=ListSource.LISTS)
    ).code == "missing_recommendations"


async def test_a_given_wish_that_is_no_known_kind_is_looked_for_in_all_attributes(ask: Any) -> None:
    places = (
        Item("Casa Amaranta", attributes={"cuisine": ("Mexican",), "diet": ("Gluten-free",)}),
        Item("Thalassa Room", attributes={"cuisine": ("Greek",)}),
    )
    script = ["U: Dinner for two, please", "A: How about Casa Amaranta?"]
    wish = User(attributes=("gluten-free", "Mexican"))
    met = await ask(script, "effectiveness", lists={1: ("Casa Amaranta",)}, items=places, user=wish)
    unmet = await ask(script, "effectiveness", lists={1: ("Thalassa Room",)}, items=places, user=wish)
    assert "gluten-free" in met.rationale
    assert (met.level, unmet.level) == (3, 0)


async def test_without_lists_the_users_uptake_stands_in(ask: Any) -> None:
    offer = ["U: Can you recommend a comedy?", 'A: How about "Winter Orchard (2011)"? It is about two cooks.']
    glad = await ask([*offer, "U: Sounds great, I will watch it. Thank you!"], "effectiveness")
    sorry = await ask([*offer, "U: No, that is not what I asked for."], "effectiveness")
    assert glad.level > sorry.level
    assert "message 2 thanks or accepts" in glad.rationale
    assert "the user sounds more satisfied than users usually do" in glad.rationale
    assert "content" not in sorry.rationale
    assert "judged_on_preferences" in {flag.code for flag in glad.flags}
    assert sum(piece.effect for piece in glad.evidence) == pytest.approx(glad.score, abs=0.01)


async def test_what_there_was_to_choose_from_counts_beside_the_uptake(ask: Any) -> None:
    names = ["Winter Orchard", "Salt Road", "Two Cooks", "Quiet Harbour", "Copper Canyon", "The Cellar Door"]
    titles = [f"{name} (2011)" for name in names]

    async def of(names: list[str]) -> Any:
        shown = ", ".join(f'"{name}"' for name in names)
        return await ask(
            ["U: Can you recommend a comedy?", f"A: You could try {shown}.", "U: Okay"], "effectiveness"
        )

    one, three, six = await of(titles[:1]), await of(titles[:3]), await of(titles)
    assert "There was one item to choose from." in one.rationale
    assert "There were 3 items to choose from." in three.rationale
    assert one.score < three.score
    # A long list buys no more than three items do.
    assert six.score == pytest.approx(three.score, abs=0.1)


async def test_asking_in_vain_is_told_and_costs(ask: Any) -> None:
    talk = [
        "U: Can you recommend a comedy?",
        "A: I like films.",
        "U: Which one is good?",
        "A: They are all good.",
    ]
    verdict = await ask(talk, "effectiveness")
    assert "Message 0 asks for something, and no reply recommends an item" in verdict.rationale
    assert (verdict.evidence[0].message, verdict.evidence[0].quote) == (0, "Can you recommend a comedy?")
    assert {flag.code for flag in verdict.flags} == {
        "no_item_in_text",
        "judged_on_preferences",
        "little_tested",
    }
    assert verdict.level <= 1
    served = await ask([talk[0], 'A: How about "Winter Orchard (2011)"?', *talk[2:]], "effectiveness")
    assert served.score > verdict.score
    # A session that goes on may still bring one, and one in which nothing was asked for needs none.
    assert (await ask(talk, "effectiveness", complete=False)).code == "no_recommendation_made"
    assert (await ask(["U: hi", "A: Hello!", "U: bye"], "effectiveness")).code == "no_recommendation_made"


async def test_a_question_is_asked_in_vain_where_nobody_names_an_item(ask: Any) -> None:
    talk = ["U: And which one suits a rainy evening?", "A: Rain is water.", "U: lol ok", "A: Anything else?"]
    verdict = await ask(talk, "effectiveness")
    assert "Message 0 asks for something" in verdict.rationale
    assert verdict.level <= 1
    small_talk = ["U: hello, how are you?", "A: I am fine, thanks!", "U: are you a person?", "A: No."]
    assert (await ask(small_talk, "effectiveness")).code == "no_recommendation_made"
    hoping = ["U: make a playlist", "A: A playlist is a list of songs.", "U: hm", "A: Anything else?"]
    assert "hope for something" in (await ask(hoping, "effectiveness")).rationale
    # Talk about an item is no wish for one.
    about = ["U: Who directed Blue Harbour?", "A: Tom Reyes did.", "U: ok"]
    shown = await ask(about, "effectiveness", items=[Item("Blue Harbour (1999)")])
    assert shown.code == "no_recommendation_made"
