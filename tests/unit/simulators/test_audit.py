from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Outcome
from service.simulators.audit import (
    PUBLISHED_CHOICES,
    PUBLISHED_FALSE_ACCEPTANCES,
    RatedPair,
    audit_acceptances,
    audit_choices,
)
from service.simulators.conduct import Trait, acts, divergence, traits
from tests.unit.simulators.speaking import SILENT, FakeModel, log_of

PAIR = RatedPair("You enjoy kites.", Item("Paper Comets"), Item("Glass Harvest"))


async def test_a_model_that_knows_the_taste_is_always_right() -> None:
    def choose(text: str) -> Mapping[str, Any]:
        return {"number": 1 if text.index("Paper Comets") < text.index("Glass Harvest") else 2}

    audit = await audit_choices([PAIR, PAIR], "movie", FakeModel(chooser=choose), Call())
    assert (audit.share, audit.counted, audit.published) == (1.0, 4, PUBLISHED_CHOICES)


async def test_unusable_choices_are_left_out() -> None:
    audit = await audit_choices([PAIR], "movie", FakeModel([SILENT, {"number": 7}]), Call())
    assert (audit.share, audit.counted, audit.left_out) == (None, 0, 2)


def test_acceptances_are_held_against_what_was_said() -> None:
    def session(claim: str) -> ConversationLog:
        return log_of(
            ("u", "Something with crime."),
            ("a", f"Try Moon Bakery (2011). {claim}", ["Moon Bakery (2011)"]),
            ("u", "I'll take Moon Bakery."),
            wants=["crime"],
            outcome=Outcome(accepted=True, message=2),
        )

    logs = [
        session("It is all crime."),
        session("There is no crime in it."),
        session("It is nice."),
        log_of(("u", "Hi")),
    ]
    audit = audit_acceptances(logs)
    assert (audit.share, audit.counted, audit.left_out) == (2 / 3, 3, 1)
    assert audit.published == PUBLISHED_FALSE_ACCEPTANCES


def test_a_leak_is_a_title_that_the_user_names_first() -> None:
    named = log_of(("u", "Is it Paper Comets?"), ("a", "No idea."), ("u", "A film with birds."))
    shown = log_of(("u", "A film."), ("a", "Paper Comets.", ["Paper Comets"]), ("u", "Paper Comets is it."))
    logs = [replace(log, ground_truth=("Paper Comets",)) for log in (named, shown)]
    found = by_name(traits([*logs, log_of(("u", "Paper Comets, please."))]))
    assert (found["leaks_title"].value, found["leaks_title"].n) == (1 / 3, 3)


def test_repeats_and_words_of_the_catalogue_are_counted() -> None:
    log = log_of(
        ("u", "Some film noir, please."),
        ("a", "What else? Something dark?"),
        ("u", "Some film noir, please!"),
        ("a", "Heat."),
        ("u", "Dark."),
        wants=["Film-Noir", "dark"],
    )
    found = by_name(traits([log]))
    assert (found["repeats_itself"].value, found["repeats_itself"].n) == (0.5, 2)
    assert (found["says_catalogue_words"].value, found["says_catalogue_words"].n) == (0.5, 2)
    assert (found["words_a_message"].value, found["words_a_message"].n) == (3, 3)
    assert (found["different_words"].value, found["different_words"].n) == (5 / 9, 9)


def test_acts_that_share_nothing_are_one_bit_apart() -> None:
    thanks, asks = acts([log_of(("u", "Thanks!"))]), acts([log_of(("u", "Can you recommend a film?"))])
    assert divergence(thanks, thanks) == 0
    assert divergence(thanks, asks) == 1


def by_name(found: Sequence[Trait]) -> dict[str, Trait]:
    return {trait.name: trait for trait in found}
