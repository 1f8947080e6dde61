import pytest

from service.domain.conversation import Message, Role
from service.simulators.claims import Attributes, belief
from service.simulators.offers import Offer

HEAT = Offer("Heat (2001)", "Heat", named=True)
MOTH = Offer("Dr. Moth", "Dr. Moth", named=True)
WANTED = ("crime", "science fiction", "comedy")


def _said(*lines: str) -> list[Message]:
    return [
        Message(Role.USER if line.startswith("u:") else Role.ASSISTANT, line.removeprefix("u:").strip())
        for line in lines
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is a comedy.", True),
        ("Two comedies in one.", True),
        ("It is not a comedy.", False),
        ("There is no drama, romance or comedy in it.", False),
        ("It isn't dark but a comedy.", True),
        ("It is not only sad, it is a comedy.", True),
        ("It is a thriller.", None),
    ],
)
def test_a_sentence_grants_denies_or_passes_over(sentence: str, expected: bool | None) -> None:
    assert Attributes(["comedy"]).in_sentence(sentence).get("comedy") is expected


def test_statements_count_from_the_one_that_names_the_item_on() -> None:
    held = belief(
        HEAT, WANTED, _said("You want comedy. Heat is a crime film. It has science fiction too."), []
    )
    assert held.claimed == {"crime", "science fiction"}


def test_statements_about_another_item_do_not_count() -> None:
    held = belief(HEAT, WANTED, _said("See Heat, it is crime. Then Dr. Moth, a comedy."), [HEAT, MOTH])
    assert held.claimed == {"crime"}


def test_questions_claim_nothing() -> None:
    assert belief(HEAT, WANTED, _said("Have you seen Heat? Do you like crime?"), []).claimed == frozenset()


@pytest.mark.parametrize(("reply", "claimed"), [("Yes, it is.", {"crime"}), ("No, I'm afraid.", set())])
def test_a_plain_answer_stands_for_what_was_asked(reply: str, claimed: set[str]) -> None:
    held = belief(HEAT, WANTED, _said("See Heat.", "u: Is Heat crime?", reply), [])
    assert held.claimed == claimed
    assert held.denied == ({"crime"} - claimed)


def test_what_was_said_last_counts() -> None:
    held = belief(HEAT, WANTED, _said("Heat is a comedy.", "u: Really?", "Heat is not a comedy."), [])
    assert held.claimed == frozenset()
    assert held.denied == {"comedy"}
