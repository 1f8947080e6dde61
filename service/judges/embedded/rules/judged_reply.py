"""A turn's reply with its score and the reasons for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ....text.words import excerpt
from ..observations.naming import Named
from ..observations.reading import Exchange
from .deductions import FULL, LOSSES, MISSED
from .findings import Exhibit
from .interest import speaks_against

#: The user's acts that show that a reply was taken up, as the learned acts call them.
TAKEN_UP = ("ANS", "CRI-A", "INQ", "SEE", "PRO")
#: How a rationale puts it that a signal speaks against a reply.
AGAINST = {
    "rules": "leaves open a part of what the user wanted",
    "sound": "is in part broken as a text",
    "clean": "has errors of language",
    "new": "says little that was not said before",
    "unlike": "is close to an earlier reply",
    "question": "asks nothing",
    "elicits": "asks nothing of the user's wishes",
    "offers": "suggests nothing",
    "fresh": "suggests nothing new",
    "fits": "suggests another kind than the user asked for",
    "knows": "does not know the item",
    "first": "moves the talk on little",
    "mood": "answers a user whom the reply before had left discontented",
    "goes-on": "is where the user leaves",
    "reaction": "is not received gladly",
    "satisfaction": "leaves a user who sounds discontented",
    "not-REJ": "is turned down",
    "not-CRI-F": "is criticised",
    "no-complaint": "draws an objection",
    "new-topic": "leaves the user where the talk had been",
    "moves-on": "leaves the user to say nearly the same again",
    "thanks": "is not thanked for",
    **dict.fromkeys((*(f"then-{act}" for act in TAKEN_UP), "takes-up-words"), "is not taken up"),
}


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
            matter = AGAINST[against] if against else "serves what the user wanted"
        quote = excerpt(read.text)
        return Exhibit(read, quote, matter, FULL - self.score)
