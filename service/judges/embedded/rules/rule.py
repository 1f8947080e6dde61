"""A plain fault of a reply as one module of `plain/` declares it. Its words in rationales stand in `wording/rules.toml`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from ..observations.reading import Exchange, Named

if TYPE_CHECKING:
    from .reply_faults import Course

#: A conversation, a line a message: "U: hello", "A: hi". The rule is asked about its last reply.
Script = tuple[str, ...]


class Needs(StrEnum):
    """Facts of the conversation that a rule needs beside the reply and what came before it."""

    NOTHING = "nothing"
    #: The next reply, or that the conversation is over.
    NEXT_REPLY = "next reply"


@dataclass(frozen=True, slots=True)
class Seen:
    """The view of a rule: a turn with the items that its reply offers, what happened before it, and the
    turn after it, where there is one. `over` says that the log is complete."""

    exchange: Exchange
    offered: Sequence[Named]
    course: "Course"
    following: Exchange | None
    over: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault that costs a reply `cost` of its 4 points. `wording/rules.toml` has its words under `slug`. `matches` and `passes`
    are conversations: the rule must be found in the last reply of the former, and not of the latter. The suite runs them."""

    slug: str
    cost: float
    finds: Callable[[Seen], bool]
    matches: Sequence[Script]
    passes: Sequence[Script]
    needs: Needs = Needs.NOTHING
    languages: Sequence[str] = ("en",)


@cache
def plain_rules() -> tuple[Rule, ...]:
    """The rules of the modules in `plain/`, by the names of these."""
    from . import plain

    names = sorted(module.name for module in iter_modules(plain.__path__))
    return tuple(import_module(f"{plain.__name__}.{name}").RULE for name in names)
