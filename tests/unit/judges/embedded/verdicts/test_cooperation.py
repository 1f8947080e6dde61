"""CONCEPT's maxims and PEPPER's coherence: which fault costs which factor how much."""

from typing import Any

import pytest

GOOD = [
    "U: Hi, I'm looking for a romantic comedy",
    "A: Lovely. Do you prefer old ones or new ones?",
    "U: Something after 2000",
    "A: How about The Long Way (2004)? Since you like romance: it follows two cooks who share a kitchen.",
    "U: Who directed it?",
    "A: It was directed by Mei Tanaka.",
]
LOOPING = [
    "U: Can you recommend a comedy?",
    "A: he wrote The The The Last Last Harbour.",
    "U: which one?",
    "A: he wrote The The The Last Last Harbour.",
]


@pytest.mark.parametrize(
    "factor", ["concept-manner", "concept-response-quality", "concept-relevance", "pepper-coherence"]
)
async def test_a_good_session_is_at_the_top_and_a_broken_one_at_the_bottom(
    ask: Any, films: Any, factor: str
) -> None:
    good, broken = await ask(GOOD, factor, items=films), await ask(LOOPING, factor, items=films)
    assert good.score == 5
    assert good.evidence == ()
    assert "messages 1, 3 and 5" in good.rationale
    assert broken.score == 1
    assert [piece.message for piece in broken.evidence] == [1, 3]
    assert sum(piece.effect for piece in broken.evidence) == pytest.approx(-4)


async def test_each_factor_counts_its_own_faults_alone(ask: Any, films: Any) -> None:
    """The question stays open, in clear words: manner does not mind, the others do."""
    script = [*GOOD[:5], "A: I also like Winter Orchard (2011)."]
    scores = {
        factor: (await ask(script, factor, items=films)).score
        for factor in ("concept-manner", "concept-response-quality", "concept-relevance", "pepper-coherence")
    }
    assert scores["concept-manner"] == 5
    assert scores["concept-response-quality"] < 4.5
    assert scores["concept-relevance"] < 4.5
    assert scores["pepper-coherence"] < 4.5


async def test_a_kind_of_the_wrong_sort_is_no_break_but_passes_over_the_wish(ask: Any, films: Any) -> None:
    script = ["U: Please recommend a comedy", "A: How about Blue Harbour (1999)? It follows a diver."]
    assert (await ask(script, "concept-relevance", items=films)).score < 4
    assert (await ask(script, "pepper-coherence", items=films)).score == 5


async def test_a_tangled_sentence_costs_manner_half_a_reply(ask: Any) -> None:
    tangle = (
        "It follows a gardener who plants an orchard where her aunt once kept goats until the river rose and took both, "
        "after which the village that had laughed at them quietly began to mend walls, send letters, open windows that "
        "stood shut since winter, and wonder whether anybody would ever sing there again"
    )
    verdict = await ask(["U: What is it about?", f"A: {tangle}.", "U: ok", "A: Enjoy it!"], "concept-manner")
    assert [turn.score for turn in verdict.turns] == [3, 5]
    assert "puts many clauses" in verdict.rationale
    assert verdict.level == 4  # a share of .75


async def test_long_lists_are_no_tangle_but_too_much(ask: Any, films: Any) -> None:
    entries = "\n".join(f"{n}. Quiet Film Number {n} - a drama about a mine" for n in range(1, 13))
    script = ["U: Please recommend a drama", f"A: Here are some:\n{entries}"]
    assert (await ask(script, "concept-manner", items=films)).score == 5
    quality = await ask(script, "concept-response-quality", items=films)
    assert quality.turns[0].score == 3
    assert "items at once" in quality.rationale


async def test_bare_titles_and_lists_without_words_are_thin(ask: Any, films: Any) -> None:
    bare = await ask(
        ["U: Please recommend a comedy", "A: Winter Orchard (2011)"], "concept-response-quality", items=films
    )
    assert bare.turns[0].score == 3
    lists = {1: ("Winter Orchard (2011)",)}
    mute = await ask(
        ["U: Please recommend a comedy", "A:"], "concept-response-quality", items=films, lists=lists
    )
    assert mute.turns[0].score == 3
    assert (
        await ask(["U: Please recommend a comedy", "A:"], "concept-manner", lists=lists)
    ).code == "no_text"
