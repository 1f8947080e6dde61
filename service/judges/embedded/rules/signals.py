"""Signals of a reply for the learned models: signed numbers, each the more the better, and none that is
unknown.

They tell whether a reply is sound, new and fitting, asks or offers, and how the user goes on. How long a reply is
plays no part."""

from array import array
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from ..observations.acts.acts import ReplyAct, UserAct
from ..observations.acts.learned import SATISFACTION
from ..observations.acts.reactions import reaction
from ..observations.figures import Figures
from ..observations.reading import Read, Reading
from ..observations.wording.repetition import overlap
from .deductions import FULL, LOSSES
from .judged_reply import TAKEN_UP, Judged
from .reply_faults import AFTERMATH, LOOK_BACK

#: A rating of neither content nor discontent.
NEUTRAL = 3.0
#: The user's acts that show that a reply was not taken up, as the learned acts call them.
TURNED_DOWN = ("REJ", "CRI-F")
OWN = (
    "rules", "sound", "clean", "new", "unlike", "question", "elicits", "offers", "fresh", "fits", "knows", "first",
    "mood",
)  # fmt: skip
NEXT = (
    "goes-on", "reaction", "satisfaction", *(f"then-{act}" for act in TAKEN_UP), *(f"not-{act}" for act in TURNED_DOWN),
    "no-complaint", "new-topic", "moves-on", "takes-up-words", "thanks",
)  # fmt: skip
NAMES = (*OWN, *NEXT)
_PLACES = {name: place for place, name in enumerate(NAMES)}


def read_signals(reading: Reading, judged: Sequence[Judged]) -> list[Figures]:
    """The signals of every turn's reply, by `NAMES`; those of a next message that is still to come are left out."""
    found = []
    seen: set[str] = set()
    earlier: deque[frozenset[str]] = deque(maxlen=LOOK_BACK)
    for index, each in enumerate(judged):
        vocabulary = frozenset(each.exchange.said)
        row = _own(each, first=index == 0)
        row["new"] = len(vocabulary - seen) / len(vocabulary) if vocabulary else 0.0
        row["unlike"] = -max((overlap(vocabulary, old) for old in earlier), default=0.0)
        row |= _next(reading, each, reading.after(index))
        values = (row[name] for name in NAMES[: len(row)])
        found.append(Figures(_PLACES, array("d", values)))
        seen |= vocabulary
        earlier.append(vocabulary)
    return found


def most(learned: Iterable[Mapping[str, float]], act: str) -> float:
    """Return how likely one of these messages at least does this, by what the learned models make of each."""
    return max([likely.get(act, 0.0) for likely in learned], default=0.0)


def _own(each: Judged, *, first: bool) -> dict[str, float]:
    """Return what shows in the reply and before it."""
    exchange = each.exchange
    lost = sum(LOSSES[kind][0] for kind in each.kinds if kind not in AFTERMATH)
    return {
        "rules": max(0.0, FULL - lost) / FULL,
        "sound": -exchange.broken,
        "clean": -float(any(read.errors for read in exchange.reply)),
        "question": float(ReplyAct.ASK in exchange.acts),
        "elicits": float(ReplyAct.ELICIT in exchange.acts),
        "offers": float(each.offers),
        "fresh": float(bool(each.fresh)),
        "fits": each.fit,
        "knows": -float(ReplyAct.UNAWARE in exchange.acts),
        "first": float(first),
        "mood": fmean([reaction(read.does, read.feeling) for read in exchange.user])
        if exchange.user
        else 0.0,
    }


def _next(reading: Reading, each: Judged, later: tuple[Read, ...]) -> dict[str, float]:
    """Return what the user's next message shows."""
    # A live log may still go on: its last reply is neither better nor worse for that.
    if not later and not reading.log.complete:
        return {}
    after = frozenset(word for read in later for word in read.topic)
    before = frozenset(word for read in each.exchange.user for word in read.topic)
    said = frozenset(word for read in each.exchange.reply for word in read.topic)
    learned = [reading.learned[read.index] for read in later]
    content = [likely.get(SATISFACTION, NEUTRAL) for likely in learned]
    return {
        "goes-on": float(bool(later)),
        "reaction": fmean([reaction(read.does, read.feeling) for read in later]) if later else 0.0,
        "satisfaction": fmean(content) - NEUTRAL if later else 0.0,
        **{f"then-{act}": most(learned, act) for act in TAKEN_UP},
        **{f"not-{act}": -most(learned, act) for act in TURNED_DOWN},
        "no-complaint": -float(any(UserAct.COMPLAIN in read.does for read in later)),
        "new-topic": len(after - before) / len(after) if after else 0.0,
        "moves-on": -overlap(after, before),
        "takes-up-words": len(after & said) / len(after) if after else 0.0,
        "thanks": float(any(read.does.keys() & {UserAct.THANK, UserAct.ACCEPT} for read in later)),
    }
