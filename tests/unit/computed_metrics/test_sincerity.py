"""Titles that do not exist, and acceptances won by deception."""

import pytest

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import Matching
from service.computed_metrics.figures import Undefined
from service.domain.conversation import ConversationLog
from tests.unit.computed_metrics.making import Said, item, log, only, reasons

FILMS = Catalogue.of(
    [item("Paper Lanterns (2009)", "drama", director=("Ines Holm",)), item("Harbour Lights (2010)", "comedy")]
)


def share(*sessions: ConversationLog) -> tuple[float | None, int]:
    return only("nonexistent_items", *sessions, catalogue=FILMS)[:2]


def test_titles_that_the_user_brought_up_are_not_the_recommenders() -> None:
    asked = log('No, I have not seen "The Tin Admiral".', said=['Have you seen "The Tin Admiral"?'])
    echoed = log('Try "The Tin Admiral".', said=["hi", 'Tell me of "The Tin Admiral"!'])
    assert share(asked) == (None, 0)
    assert share(echoed) == (1.0, 1)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Also Delta Road and Omega Wind (1999).", (1.0, 2)),
        ("Delta Road and Omega Wind are great.", (1.0, 2)),
        ("Try Delta Road and Harbour Lights (2010).", (0.5, 2)),
        ("Harbour Lights and Omega Wind are great.", (0.5, 2)),
        ("How about the Delta Road or the Omega Wind?", (1.0, 2)),
    ],
)
def test_titles_that_and_or_or_join_count_each(reply: str, expected: tuple[float, int]) -> None:
    assert share(log(reply)) == expected


def test_acceptances_deceive_or_are_honest() -> None:
    fits = log("x", said=["hi", "I will watch Paper Lanterns."], accepted=2, attributes=["drama"])
    other = log("x", said=["hi", "I will watch Harbour Lights."], accepted=2, attributes=["drama"])
    mute = log("x", said=["hi", "Sounds good."], accepted=2, attributes=["drama"])  # nothing was offered
    refused = log("x", said=["hi", "No."], accepted=False, attributes=["drama"])
    for metric in ("deceptive_acceptances", "honest_explanations"):
        assert only(metric, fits, other, mute, refused, catalogue=FILMS) == (1 / 2, 2, None)


LANTERNS, HARBOUR = "Paper Lanterns (2009)", "Harbour Lights (2010)"
BOTH = f"How about {LANTERNS}, or {HARBOUR}?"
CHAT = "It has a fine cast. Shall I tell you more?"


@pytest.mark.parametrize(
    ("replies", "words", "deceived"),
    [
        ([f"How about {LANTERNS}?"], "Perfect, I'll take it!", 0.0),
        ([f"How about {HARBOUR}?"], "Perfect, I'll take it!", 1.0),
        ([f"How about {LANTERNS}?"], "Sounds good, thanks.", 0.0),
        ([f"How about {LANTERNS}?", CHAT], "No need, I'll take it.", 0.0),
        ([f"How about {HARBOUR}?", f"Then {LANTERNS}?"], "Yes, that one!", 0.0),
        ([f"How about {LANTERNS}?", f"Or {HARBOUR}?"], "I'd like Paper Lanterns better, so that.", 0.0),
        ([f"How about {HARBOUR}?", f"Then {LANTERNS}?"], "Better than Harbour Lights! I'll take it.", 0.0),
        ([f"How about {LANTERNS}?"], "I'll take it, I loved Harbour Lights.", 0.0),
        ([f"How about {LANTERNS}?", f"Or {HARBOUR}?"], "I'll go with Harbour Lights, it sounds fun.", 1.0),
        ([BOTH], "Why not Paper Lanterns?", 0.0),
        ([BOTH], "Not Harbour Lights, the other.", None),
        ([BOTH], "I'll go for the second.", 1.0),
        ([BOTH], "Option 1 it is.", 0.0),
        ([BOTH], "The first one, not the second one.", 0.0),
        ([BOTH], "Great, I'll take it.", None),
        ([BOTH], "The third one, please.", None),
        ([("Here is one.", [LANTERNS])], "I'll take it!", 0.0),
        ([("Here are two.", [LANTERNS, HARBOUR])], "I'll take it!", None),
        ([("Here are two.", [LANTERNS, HARBOUR])], "The second one.", 1.0),
        ([(f"How about {LANTERNS}?", [HARBOUR, LANTERNS])], "I'll take it!", 0.0),
        (['Try "The Tin Admiral".'], 'I will watch "The Tin Admiral".', 1.0),
        (['Try "The Tin Admiral".'], "I'll take it.", 1.0),
    ],
)
def test_what_is_accepted_is_what_the_message_refers_to(
    replies: list[Said], words: str, deceived: float | None
) -> None:
    said = ["Something good?", *["Hm."] * (len(replies) - 1), words]
    session = log(*replies, said=said, accepted=2 * len(replies), attributes=["drama"])
    expected = (None, 0, Undefined.NO_ACCEPTED_ITEM) if deceived is None else (deceived, 1, None)
    assert only("deceptive_acceptances", session, catalogue=FILMS) == expected
    honest = None if deceived is None else 1 - deceived
    assert only("honest_explanations", session, catalogue=FILMS)[0] == honest


def test_a_title_that_the_user_brought_up_is_no_offer_beside_another() -> None:
    offer = f"Since you liked {HARBOUR}, try {LANTERNS}!"
    session = log(offer, said=["I loved Harbour Lights.", "I'll take it."], accepted=2, attributes=["drama"])
    asked = log(
        f"Yes, {LANTERNS} is on.",
        said=["Is Paper Lanterns on?", "I'll take it."],
        accepted=2,
        attributes=["drama"],
    )
    described = log(
        f"How about {LANTERNS}?",
        f"{LANTERNS} is a drama, slower than {HARBOUR}.",
        said=["hi", "What is Paper Lanterns about?", "I'll take it."],
        accepted=4,
        attributes=["drama"],
    )
    for log_, expected in ((session, 0.0), (asked, 0.0), (described, None)):
        assert only("deceptive_acceptances", log_, catalogue=FILMS)[0] == expected


def test_published_matching_reads_substrings() -> None:
    catalogue = Catalogue.of([item("It (1990)", "horror"), item("Harbour Lights (2010)", "comedy")])
    session = log(
        "How about Harbour Lights (2010)?",
        said=["hi", "That sounds gritty."],
        accepted=2,
        attributes=["horror"],
    )
    for matching, deceived in ((Matching.STRICT, 1.0), (Matching.PUBLISHED, 0.0)):
        assert only("deceptive_acceptances", session, catalogue=catalogue, matching=matching)[0] == deceived


def test_reasons_tell_apart_what_is_missing() -> None:
    refused = log('Try "The Tin Admiral".', accepted=False, wanted=["a"])
    assert reasons("deceptive_acceptances", refused) == {Undefined.NO_ACCEPTANCE}
    assert reasons("nonexistent_items", log('Try "The Tin Admiral".')) == {Undefined.NO_CATALOG}
