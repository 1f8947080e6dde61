from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Outcome
from service.errors import InvalidRequest, UpstreamFailed
from service.simulators.audit import RatedPair, audit_acceptances, audit_choices
from service.simulators.conduct import Trait, acts, divergence, human_likeness, traits
from service.simulators.profile import ItemTaste, Review, build_profile
from tests.unit.simulators.speaking import SILENT, FakeModel, Line, log_of

PAIR = RatedPair("You enjoy kites.", Item("Paper Comets"), Item("Glass Harvest"))


async def test_a_model_that_knows_the_taste_is_always_right() -> None:
    def choose(text: str) -> Mapping[str, Any]:
        return {"number": 1 if text.index("Paper Comets") < text.index("Glass Harvest") else 2}

    chosen, _ = await audit_choices([PAIR, PAIR], "movie", FakeModel(chooser=choose), Call())
    assert (chosen.value, chosen.n) == (1.0, 4)


async def test_unusable_choices_are_left_out() -> None:
    chosen, _ = await audit_choices([PAIR], "movie", FakeModel([SILENT, {"number": 7}]), Call())
    assert (chosen.value, chosen.n) == (None, 0)


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
    found = audit_acceptances(logs)
    assert (found.value, found.n) == (2 / 3, 3)


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


def test_likeness_is_a_half_for_the_same_users_and_nothing_for_others() -> None:
    draw = Random(0)

    def sessions(*ends: str) -> list[ConversationLog]:
        texts = ("A quiet film", "Can you recommend a comedy", "No, not that one", "I like it")
        said = [
            [f"{draw.choice(texts)}{draw.choice(ends)}" for _ in range(draw.randint(1, 4))] for _ in range(60)
        ]
        return [log_of(*(("u", text) for text in one)) for one in said]

    people = sessions("", "!")
    assert human_likeness(sessions("", "!"), people) == pytest.approx(0.5, abs=0.1)
    assert human_likeness(sessions(". Thank you.", ". Please."), people) == 0
    assert human_likeness(people[:9], people) is None


def by_name(found: Sequence[Trait]) -> dict[str, Trait]:
    return {trait.name: trait for trait in found}


REVIEWS = (
    Review(item="Paper Comets (2015)", text="Lovely kites. Far better than Zebra Parade!", rating=5),
    Review(item="Glass Harvest (2018)", text="Too loud for me.", rating=2),
    Review(item="Zebra Parade (1988)", text="SECRETWORD stripes everywhere.", rating=5, held_out=True),
    Review(item="Grey Oven (1999)", text="SECRETWORD and dull.", rating=1, held_out=True),
    Review(item="Blue Mill (2001)", text="SECRETWORD, unrated.", rating=None, held_out=True),
)


def _model(text: str) -> Mapping[str, Any]:
    if "one entry for each" in text:
        return {"preferences": "You enjoy kites. You would love Zebra Parade. You dislike noise."}
    return (
        {"likes": ["kites"], "dislikes": []} if "kites" in text else {"likes": [], "dislikes": ["noise", " "]}
    )


async def test_a_profile_is_made_in_two_steps_and_keeps_what_is_held_out() -> None:
    model = FakeModel(chooser=_model)
    profile = await build_profile(REVIEWS, "movie", model, Call())
    assert profile.seen == (
        ItemTaste("Paper Comets (2015)", ("kites",), ()),
        ItemTaste("Glass Harvest (2018)", (), ("noise",)),
    )
    assert len(model.prompts) == 3
    assert "likes kites" in model.prompts[-1]
    assert "dislikes noise" in model.prompts[-1]
    assert profile.usage.input_tokens == 30
    assert profile.targets == ("Zebra Parade (1988)", "Blue Mill (2001)")
    secrets = ("SECRETWORD", "Zebra", "Oven", "Blue Mill")
    assert not any(secret in prompt for prompt in model.prompts for secret in secrets)
    # A narrative that names a target loses the sentence.
    assert profile.preferences == "You enjoy kites. You dislike noise."
    assert [flag.code for flag in profile.flags] == ["profile_leak"]


async def test_a_review_that_cannot_be_read_is_reported() -> None:
    calls: Iterator[Line] = iter(
        [SILENT, {"likes": [], "dislikes": ["noise"]}, {"preferences": "You dislike noise."}]
    )
    profile = await build_profile(REVIEWS, "movie", FakeModel(chooser=lambda _: next(calls)), Call())
    assert [flag.code for flag in profile.flags] == ["review_unused"]


async def test_without_a_seen_review_there_is_nothing_to_learn() -> None:
    with pytest.raises(InvalidRequest):
        await build_profile(REVIEWS[2:], "movie", FakeModel(), Call())


@pytest.mark.parametrize("failure", [SILENT, UpstreamFailed("gone")])
async def test_without_a_narrative_there_is_no_profile(failure: Any) -> None:
    down = isinstance(failure, Exception)
    model = FakeModel(chooser=lambda text: failure if down or "one entry for each" in text else _model(text))
    with pytest.raises(UpstreamFailed, match="gone" if down else None):
        await build_profile(REVIEWS, "movie", model, Call())
