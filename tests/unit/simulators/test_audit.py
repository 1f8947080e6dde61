from collections.abc import Callable, Mapping
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
from tests.unit.simulators.speaking import SILENT, FakeModel

Build = Callable[..., ConversationLog]
PAIR = RatedPair("You enjoy kites.", Item("Paper Comets"), Item("Glass Harvest"))


async def test_a_model_that_knows_the_taste_is_always_right() -> None:
    def choose(text: str) -> Mapping[str, Any]:
        return {"number": 1 if text.index("Paper Comets") < text.index("Glass Harvest") else 2}

    audit = await audit_choices([PAIR, PAIR], "movie", FakeModel(chooser=choose), Call())
    assert (audit.share, audit.counted, audit.published) == (1.0, 4, PUBLISHED_CHOICES)


async def test_a_model_that_always_takes_the_first_is_right_half_the_time() -> None:
    audit = await audit_choices([PAIR], "movie", FakeModel(chooser=lambda _: {"number": 1}), Call())
    assert audit.share == 0.5


async def test_unusable_choices_are_left_out() -> None:
    audit = await audit_choices([PAIR], "movie", FakeModel([SILENT, {"number": 7}]), Call())
    assert (audit.share, audit.counted, audit.left_out) == (None, 0, 2)


def test_acceptances_are_held_against_what_was_said(log_of: Build) -> None:
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
