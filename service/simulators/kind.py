"""A kind of simulated user as its module declares it: its name, its settings, who speaks for it, what it knows, and an example."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..catalogue.catalogue import Catalogue
from .asker import Asker
from .machine import UserPolicy

Json = dict[str, Any]


class Backend(StrEnum):
    """The source of a user's words: a model, rules, or a model where the request names one and rules where
    it does not."""

    MODEL = "a model"
    RULES = "rules"
    EITHER = "rules, or the model in `judge`"


@dataclass(frozen=True)
class Setting:
    """A whole number that a request may set for a kind."""

    least: int
    most: int
    default: int
    says: str = ""
    """Its meaning, where the name does not say it."""


@dataclass(frozen=True)
class SimulatorConfig:
    """The part of a request that sets a simulated user. `list_cutoff` is the operator's; `settings` hold what
    the request sets.

    `asker` finds the model that speaks. Raises InvalidRequest where the request names none, or one that is not to be had."""

    asker: Callable[[], Asker]
    seed: int
    catalogue: Catalogue | None
    list_cutoff: int
    settings: Mapping[str, int]
    temperature: float | None = None
    """Of rules that draw; an asker has its own."""
    variant: str | None = None


@dataclass(frozen=True, kw_only=True)
class Example:
    """A request small enough to be followed by hand: what comes out of it, and why.

    `answers` are the model's, in the order in which it is asked; `answer` holds fields of `/simulate`'s answer."""

    log: Json
    settings: Mapping[str, int] = field(default_factory=dict)
    answers: Sequence[Json] = ()
    answer: Mapping[str, object]
    worked: str
    """The reasons in words, as the docs tell them."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A row of the registry. Lists show kinds by `place`, then by name.

    `build` makes the policy of a user that talks; None for a kind that rewords what a user said."""

    name: str
    place: int
    says: str
    """Its description, as help and docs tell it. A sentence without its full stop."""
    backend: Backend
    settings: Mapping[str, Setting]
    knows: Sequence[str]
    """The fields of a log that it reads beside the messages, as the docs name them; of the others nothing reaches a prompt."""
    build: Callable[[SimulatorConfig], UserPolicy] | None
    example: Example
    variants: Mapping[str, str] = field(default_factory=dict)
    """Ways to play it, each with its meaning; the first one unless a request names another."""

    @property
    def takes(self) -> frozenset[str]:
        model = set() if self.backend is Backend.RULES else {"judge"}
        variant = {"variant"} if self.variants else set()
        return frozenset({"seed", "temperature", *model, *variant, *self.settings})


ROUNDS = (1, 50)
"""The rounds that may be asked for: least and most."""
