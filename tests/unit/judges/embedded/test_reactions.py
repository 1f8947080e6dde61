"""Reactions of users, counted in their words."""

import pytest

from service.domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED
from service.judges.embedded.reactions import reactions


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
