"""What the learned models see of a reply: signed numbers, most of them the more the better.

They tell how far a reply carries the conversation on: whether it is sound and new, asks or offers, and
how the user goes on. How long a reply is plays no part."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from ...text.acts import ReplyAct, UserAct
from ...text.learned import SATISFACTION
from ...text.reactions import reaction
from ...text.repetition import overlap
from .losses import FULL, LOSSES
from .reading import Read, Reading
from .replies import AFTERMATH, Judged

#: A rating of neither content nor discontent.
NEUTRAL = 3.0
#: The user's acts that show how a reply was taken, as the learned acts call them.
TAKEN_UP = ("ANS", "CRI-A", "INQ", "SEE", "PRO")
OWN = (
    "rules", "sound", "new", "unlike", "question", "elicits", "fresh", "knows", "first",
)  # fmt: skip
NEXT = (
    "goes-on", "reaction", "satisfaction", *(f"then-{act}" for act in TAKEN_UP), "no-complaint", "new-topic",
    "takes-up-words", "thanks",
)  # fmt: skip
NAMES = (*OWN, *NEXT)


def read_signals(reading: Reading, judged: Sequence[Judged]) -> list[dict[str, float]]:
    """The signals of every turn's reply, by `NAMES`."""
    found = []
    seen: set[str] = set()
    earlier: list[frozenset[str]] = []
    for index, each in enumerate(judged):
        vocabulary = frozenset(each.exchange.said)
        row = _own(each, first=index == 0)
        row["new"] = len(vocabulary - seen) / len(vocabulary) if vocabulary else 0.0
        row["unlike"] = -max((overlap(vocabulary, old) for old in earlier[-12:]), default=0.0)
        row |= _next(reading, each, reading.after(index))
        found.append(row)
        seen |= vocabulary
        earlier.append(vocabulary)
    return found


def most(reading: Reading, reads: Iterable[Read], act: str) -> float:
    """How likely one of these messages at least does this, by the learned acts."""
    return max((reading.learned[read.index].get(act, 0.0) for read in reads), default=0.0)


def _own(each: Judged, *, first: bool) -> dict[str, float]:
    """What shows in the reply and before it."""
    exchange = each.exchange
    lost = sum(LOSSES[kind][0] for kind in each.kinds if kind not in AFTERMATH)
    return {
        "rules": max(0.0, FULL - lost) / FULL,
        "sound": -exchange.broken,
        "question": float(ReplyAct.ASK in exchange.acts),
        "elicits": float(ReplyAct.ELICIT in exchange.acts),
        "fresh": float(bool(each.fresh)),
        "knows": -float(ReplyAct.UNAWARE in exchange.acts),
        "first": float(first),
    }


def _next(reading: Reading, each: Judged, later: tuple[Read, ...]) -> dict[str, float]:
    """What the user's next message shows."""
    # A live log may still go on: its last reply is neither better nor worse for that.
    if not later and not reading.log.complete:
        return {**dict.fromkeys(NEXT, 0.0), "goes-on": 0.5}
    after = frozenset(word for read in later for word in read.topic)
    before = frozenset(word for read in each.exchange.user for word in read.topic)
    said = frozenset(word for read in each.exchange.reply for word in read.topic)
    learned = [reading.learned[read.index].get(SATISFACTION, NEUTRAL) for read in later]
    return {
        "goes-on": float(bool(later)),
        "reaction": fmean(reaction(read.does, read.words) for read in later) if later else 0.0,
        "satisfaction": fmean(learned) - NEUTRAL if later else 0.0,
        **{f"then-{act}": most(reading, later, act) for act in TAKEN_UP},
        "no-complaint": -float(any(UserAct.COMPLAIN in read.does for read in later)),
        "new-topic": len(after - before) / len(after) if after else 0.0,
        "takes-up-words": len(after & said) / len(after) if after else 0.0,
        "thanks": float(any(read.does.keys() & {UserAct.THANK, UserAct.ACCEPT} for read in later)),
    }
