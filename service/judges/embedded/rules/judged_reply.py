"""A turn's reply with its score and the reasons for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ....text.words import excerpt
from ..observations.naming import Named
from ..observations.reading import Exchange
from ..wording import table
from .deductions import FULL, LOSSES, MISSED
from .findings import Exhibit
from .interest import speaks_against

#: The user's acts that show that a reply was taken up, as the learned acts call them.
TAKEN_UP = ("ANS", "CRI-A", "INQ", "SEE", "PRO")
#: Signals that a rationale words alike.
NOT_TAKEN_UP = dict.fromkeys((*(f"then-{act}" for act in TAKEN_UP), "takes-up-words"), "not-taken-up")


class Lead(StrEnum):
    """The way in which a reply moves the user on: not at all, by suggesting something new (or asking
    whether an item is known), by asking about wishes or offering a next step."""

    NOT = "not"
    SUGGESTS = "suggests"
    ASKS = "asks"


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn's reply: how well it served, 0-4 (`score`), the points that the rules leave it (`points`), and why it
    lost the others (`kinds`, keys of `LOSSES`). `lead` says how it moves the user on; `answers` whether
    it serves what was wanted, whatever the user did next; `fresh` are the items it offers for the first time;
    `offers` whether it offers any, `fit` how far they are of the kinds asked for, -1 to 1, 0 where that
    is not known; `signals` what the learned models see of it."""

    exchange: Exchange
    points: float
    kinds: tuple[str, ...]
    lead: Lead
    answers: bool
    fresh: tuple[Named, ...]
    offers: bool
    fit: float
    score: float = FULL
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def missed(self) -> bool:
        return self.score < MISSED

    @property
    def exhibit(self) -> Exhibit:
        """The reply, with its heaviest reasons."""
        read = self.exchange.reply[0]
        reasons = sorted(self.kinds, key=lambda kind: -LOSSES[kind][0])[:2]
        matter = " and ".join(LOSSES[kind][1] for kind in reasons)
        if not reasons:
            against = speaks_against(self.signals) if self.score < FULL else ""
            told = table("signals")
            matter = told[NOT_TAKEN_UP.get(against, against) or "serves"]
        quote = excerpt(read.text)
        return Exhibit(read, quote, matter, FULL - self.score)
