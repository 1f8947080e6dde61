from typing import Any

import pytest

from service.domain.conversation import Item
from service.domain.verdict import NotAssessable
from service.judges.inquiry import ListSource


def _script(reply: str) -> list[str]:
    return ["U: I want a comedy, recommend one", f"A: {reply}"]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("How about The Long Way?", 4),
        ("How about The Long Way, Winter Orchard or Blue Harbour?", 3),
        ("How about The Long Way or Blue Harbour?", 2),
        ("How about The Long Way, Copper Canyon or Blue Harbour?", 1),
        ("How about Blue Harbour?", 0),
        ("What do you like?", 0),
    ],
)
async def test_relevance_is_the_share_of_recommended_titles_in_the_lists(
    ask: Any, films: Any, reply: str, score: int
) -> None:
    lists = {1: ("The Long Way (2004)", "Winter Orchard (2011)")}
    assert (await ask(_script(reply), "semantic-relevance", items=films, lists=lists)).level == score


async def test_titles_that_the_user_brought_up_do_not_count(ask: Any, films: Any) -> None:
    script = ["U: I liked Blue Harbour, recommend more", "A: If you liked Blue Harbour, try The Long Way."]
    assert (
        await ask(script, "semantic-relevance", items=films, lists={1: ("The Long Way (2004)",)})
    ).level == 4


@pytest.mark.parametrize(
    "title",
    [
        "Sony WH-1000XM5",
        "Kobo Libra 2",
        "iPhone 15 Pro",
        "Kettler Moonrise Express",
        "Osprey Farpoint 40",
        "Golden Dragon",
        "Hangover",
        "Walkman",
        "Grand Lantern Hotel",
        "Roomba j7",
        "Way Back",
        "wireless mouse",
        "Delta Road and Omega Wind",
        "The Long Way (2004)",
    ],
)
@pytest.mark.parametrize(
    "reply",
    [
        "How about the {}?",
        "I would go for the {}.",
        "You could get a {}.",
        "The {} would suit you.",
        "Have a look at the {} if you like.",
    ],
)
async def test_titles_of_the_lists_are_read_word_for_word_after_an_article(
    ask: Any, title: str, reply: str
) -> None:
    name = title.removeprefix("The ").removesuffix(" (2004)")
    verdict = await ask(_script(reply.format(name)), "semantic-relevance", lists={1: (title,)})
    assert verdict.score == 4, verdict.rationale
    other = await ask(_script(reply.format("Zanzibar 900X")), "semantic-relevance", lists={1: (title,)})
    assert other.score == 0


async def test_a_title_with_a_brand_after_an_article_is_named_whole(ask: Any) -> None:
    verdict = await ask(
        _script("How about the Sony WH-1000XM5?"), "semantic-relevance", lists={1: ("Kobo Libra 2",)}
    )
    assert [each.quote for each in verdict.evidence] == ["Sony WH-1000XM5"]


async def test_relevance_needs_lists(ask: Any, films: Any) -> None:
    verdict = await ask(_script("How about The Long Way?"), "semantic-relevance", items=films)
    assert isinstance(verdict, NotAssessable)
    assert verdict.code == "list_from_text"
    lists = {1: ("The Long Way (2004)",)}
    told = await ask(
        _script("How about The Long Way?"),
        "semantic-relevance",
        items=films,
        lists=lists,
        source=ListSource.TEXT,
    )
    assert told.code == "list_from_text"


async def test_explainability_is_the_share_of_recommendations_with_a_reason(ask: Any, films: Any) -> None:
    explained = _script("How about The Long Way? It is about two cooks.")
    bare = _script("How about Winter Orchard? It's a great movie.")
    assert (await ask(explained, "explainability", items=films)).level == 4
    assert (await ask([*explained, *bare], "explainability", items=films)).level == 2
    verdict = await ask(bare, "explainability", items=films)
    assert verdict.level <= 1
    assert verdict.evidence[0].message == 1


async def test_one_reply_without_a_reason_is_read_with_a_doubt_that_more_of_them_take_away(
    ask: Any, films: Any
) -> None:
    scores = [
        (await ask(_script("How about Winter Orchard?") * times, "explainability", items=films)).score
        for times in (1, 3)
    ]
    assert 1.5 > scores[0] >= scores[1]


async def test_nothing_recommended_nothing_explained(ask: Any) -> None:
    assert (
        await ask(["U: hi", "A: Hello, what do you like?"], "explainability")
    ).code == "no_recommendation_made"


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("The Long Way is a comedy. It was directed by Mei Tanaka.", 4),
        ("The Long Way is a horror movie.", 3),
        ("The Long Way is a horror movie. It was directed by Tom Reyes. It was released in 1950.", 1),
        ("I have not seen The Long Way. I really liked it.", 3),
    ],
)
async def test_statements_are_checked_against_the_data(ask: Any, films: Any, reply: str, score: int) -> None:
    verdict = await ask(_script(reply), "groundness", items=films)
    assert verdict.level == score
    assert len(verdict.evidence) == 4 - score
    assert verdict.confidence <= 0.4


async def test_with_data_but_nothing_stated_there_was_no_occasion(ask: Any, films: Any) -> None:
    verdict = await ask(["U: hi", "A: Hello, what do you like?"], "groundness", items=films)
    assert (verdict.score, verdict.confidence) == (4, 0)
    assert "no_occasion" in {flag.code for flag in verdict.flags}


async def test_a_reason_given_on_demand_counts(ask: Any, films: Any) -> None:
    script = [
        *_script("How about The Long Way?"),
        "U: What is it about?",
        "A: It follows two cooks who share a kitchen.",
    ]
    assert (await ask(script, "explainability", items=films)).level == 4
    late = [
        *_script("How about The Long Way?"),
        "U: hm",
        "A: How about Winter Orchard?",
        "U: why?",
        "A: Because you like comedies.",
    ]
    assert (await ask(late, "explainability", items=films)).level == 2


async def test_without_data_there_is_nothing_to_check(ask: Any) -> None:
    verdict = await ask(_script("The Long Way is a comedy."), "groundness")
    assert (verdict.code, verdict.missing) == ("nothing_to_check", ("items", "catalog"))


PLACE = Item("Casa Amaranta", attributes={"cuisine": ("Mexican",), "mood": ("Lively",), "price": ("cheap",)})


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("Casa Amaranta is romantic and family-friendly.", 0),
        ("Casa Amaranta is a Mexican place.", 0),
        ("Casa Amaranta is a Thai place.", 1),
    ],
)
async def test_only_a_kind_of_the_same_sort_contradicts(ask: Any, reply: str, wrong: int) -> None:
    verdict = await ask(_script(reply), "groundness", items=(PLACE,), domain="restaurant")
    assert verdict.level == 4 - wrong


async def test_a_reason_in_a_reply_that_serves_is_worth_more(ask: Any) -> None:
    talk = [
        "U: Can you recommend a comedy?",
        'A: How about "Winter Orchard (2011)"? It is about two cooks who share a kitchen.',
        "U: Can you recommend another one?",
        'A: How about "Paper Lanterns (2015)"?',
    ]
    served = await ask(talk, "explainability")
    objecting = "U: That is wrong, I said another one, not this nonsense!"
    spoilt = await ask([*talk[:2], objecting, talk[3], objecting], "explainability")
    assert served.level == spoilt.level == 2
    assert served.score > spoilt.score
    for verdict in (served, spoilt):
        assert sum(piece.effect for piece in verdict.evidence) == pytest.approx(verdict.score - 4, abs=0.01)


@pytest.mark.parametrize("title", ["X", "Arrival (2016)", '"Arrival"'])
async def test_praise_of_the_one_recommended_item_is_no_reason(ask: Any, title: str) -> None:
    praise = f"A: Try {title}. It is a great film, I am sure you will like it."
    verdict = await ask(["U: Can you recommend a comedy?", praise], "explainability")
    assert "No recommending reply comes with a reason" in verdict.rationale
    assert verdict.score <= 1.5
