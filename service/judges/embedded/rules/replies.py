"""Each reply against what the user wanted of it: the ground of coherence, recoverability, proactiveness.

By the rules a reply starts with the full 4 points. It loses some for each thing that shows it to miss the user's intent
(`COSTS`). A learned weighing of what the reply brings and how the user goes on (`serves`) says the same in its own way. The score
lies between the two, and is drawn a little to the mean of all replies: what is seen of a single one is uncertain, and a
recommender that fails elsewhere is less likely to have served here."""

import json
from array import array
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from math import copysign
from statistics import fmean
from types import MappingProxyType

from ....text.words import excerpt, outside, sentences
from ..observations.acts.acts import SATISFACTION, Figures, ReplyAct, UserAct, reaction, reply_acts
from ..observations.content.topics import akin, comparable
from ..observations.reading import WANTS_ITEMS, Exchange, Named, Read, Reading
from ..observations.wording.language import overlap
from .findings import Exhibit, say, table
from .intent import describes, kinds_told, unserved
from .reply_faults import AFTERMATH, LOOK_BACK, Course, aftermath, own_faults, questions_of
from .rule import Seen, plain_rules

#: The user's acts that show that a reply was taken up, as the learned acts call them.
TAKEN_UP = ("ANS", "CRI-A", "INQ", "SEE", "PRO")
#: Signals that a rationale words alike.
NOT_TAKEN_UP = dict.fromkeys((*(f"then-{act}" for act in TAKEN_UP), "takes-up-words"), "not-taken-up")


class Lead(StrEnum):
    """The way in which a reply moves the user on: not at all, or by suggesting something new. Or it asks about wishes or offers
    a next step (`ASKS`), or asks about something else (`QUESTIONS`)."""

    NOT = "not"
    SUGGESTS = "suggests"
    ASKS = "asks"
    QUESTIONS = "questions"


FULL = 4.0
#: A reply that keeps less than this misses the user's intent.
MISSED = 2.0
#: Under the first number a reply surely misses; from the second on it surely serves. What lies between is doubtful,
#: and the session as a whole decides.
SURELY_MISSED, SURELY_SERVED = 0.9, 2.5


#: Points lost. `wording/rules.toml` says how a rationale puts each.
COSTS: Mapping[str, float] = {
    # whatever the user said
    "empty": 4.0, "broken": 3.0, "repeats": 2.5, "nearly-repeats": 1.0, "little-new": 1.0, "echoes": 3.0,
    "contradicts-itself": 2.5, "dangling": 2.5, "of-nothing": 2.5, "misquotes": 2.5, "answers-nothing": 2.0,
    "greets-again": 2.5,
    # as the encoder reads it: what it costs is said in verdicts/dialogue.py, and it is told last
    "elsewhere": 0.0,
    # what the user wanted
    "nothing-offered": 3.0, "only-chats": 1.0, "only-promises": 2.0, "no-item-named": 3.0, "talks-past": 2.5,
    "farewell": 3.5, "asks-again": 2.5, "asks-known": 1.5, "passes-greeting": 2.0, "too-soon": 2.5,
    "wrong-kind": 2.5, "wrong-time": 2.5, "wrong-people": 1.5, "other-series": 2.0, "too-dear": 2.5,
    "wrong-number": 1.0, "partly-wrong": 1.0, "unknown-items": 1.0, "unwanted-kind": 1.5, "named-back": 1.0,
    "offered-before": 1.5, "turned-down": 2.5, "question-ignored": 3.0, "question-thin": 3.0, "question-unknown": 1.5,
    "other-item": 2.5, "no-reason": 2.5, "not-repaired": 3.0, "only-offers": 1.5, "pushes-on": 2.0,
    # what the user did next
    "objected": 1.5, "asked-again": 1.0,
}  # fmt: skip
#: Points lost and the words of a rationale, of every rule.
LOSSES: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        kind: (cost, table("losses")[kind])
        for kind, cost in {**COSTS, **{rule.slug: rule.cost for rule in plain_rules()}}.items()
    }
)


def surely_served(points: float) -> float:
    """Return how sure it is, 0 to 1, that a reply of so many points serves."""
    return min(1.0, max(0.0, (points - SURELY_MISSED) / (SURELY_SERVED - SURELY_MISSED)))


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

    def costly(self, but: Collection[str] = ()) -> list[str]:
        """The reply's faults but for some, the costliest first."""
        return sorted((kind for kind in self.kinds if kind not in but), key=lambda kind: -LOSSES[kind][0])

    def kept(self, but: Collection[str]) -> float:
        """Return the share of its points that its faults leave it, but for some of them."""
        return 1 - min(FULL, sum(LOSSES[kind][0] for kind in self.costly(but))) / FULL

    @property
    def exhibit(self) -> Exhibit:
        """The reply, with its heaviest reasons."""
        read = self.exchange.reply[0]
        reasons = self.costly()[:2]
        matter = say("findings.and-it").join(LOSSES[kind][1] for kind in reasons)
        if not reasons:
            against = speaks_against(self.signals) if self.score < FULL else ""
            told = table("signals")
            matter = told[NOT_TAKEN_UP.get(against, against) or "serves"]
        quote = excerpt(read.text)
        return Exhibit(read, quote, matter, FULL - self.score)


Signals = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weighing:
    """Mean, spread and weight of each signal; the sum is in points around `level`."""

    level: float
    mean: Signals
    spread: Signals
    weight: Signals

    def shares(self, signals: Signals) -> dict[str, float]:
        """Return what each signal adds to or takes from the level, in points; one that is not known does
        neither."""
        return {
            name: weight * (signals[name] - self.mean[name]) / self.spread[name]
            for name, weight in self.weight.items()
            if name in signals
        }

    def points(self, signals: Signals) -> float:
        """0 to 4 for one reply."""
        return min(FULL, max(0.0, self.level + sum(self.shares(signals).values())))


def serves(signals: Sequence[Signals]) -> list[float]:
    """Return how well each reply serves the user, in points of 4."""
    return [weighing("relevance").points(each) for each in signals]


def carries_on(signals: Sequence[Signals]) -> list[float]:
    """Return how far each reply carries the user on, in points of 4."""
    return [weighing("interest").points(each) for each in signals]


def speaks_against(signals: Signals) -> str:
    """The signal that takes most from how well a reply serves the user; empty where none takes anything."""
    shares = weighing("relevance").shares(signals)
    name = min(shares, key=lambda name: shares[name], default="")
    return name if name and shares[name] < 0 else ""


@cache
def weighing(name: str) -> Weighing:
    """The stored weighing of that name."""
    return Weighing(**json.loads((files(__package__) / f"{name}.json").read_text(encoding="utf-8")))


#: Points that a reply wins back when the user takes it up gladly.
WELCOME = 1.0
#: Shares of a reply's points that come from the learned model instead of the rules, and from the mean of all replies instead
#: of the reply itself.
LEARNED, SHARED = 0.65, 0.25
#: Domains whose items have titles.
TITLED = frozenset(
    ("movie", "movies", "film", "films", "tv", "television", "show", "shows", "series", "anime", "book", "books", "music", "song",
     "songs", "album", "albums", "podcast", "podcasts", "game", "games")
)  # fmt: skip
#: With one of these losses a reply moves nobody on.
IDLE = frozenset({"empty", "broken", "repeats", "echoes", "greets-again", "asks-again"})
#: Up to this share of broken words a reply may ask something by its other sentences.
HALF_BROKEN = 0.5


def judge_replies(reading: Reading) -> tuple[Judged, ...]:
    """Every turn's reply, in order."""
    course = Course(
        started=bool(reading.history), catalogue=reading.case.catalogue, titled=reading.log.domain in TITLED
    )
    ruled = []
    offers = reading.offers
    for index, (exchange, offered) in enumerate(offers):
        following = offers[index + 1][0] if index + 1 < len(offers) else None
        seen = Seen(exchange, offered, course, following, reading.log.complete)
        ruled.append(_judge(seen, offered, reading.after(index), course))
    return tuple(_weighed(ruled, read_signals(reading, ruled)))


def _weighed(ruled: Sequence[Judged], signals: Sequence[Mapping[str, float]]) -> Iterator[Judged]:
    """The replies with their scores. Nothing makes up for a reply that says nothing."""
    scores = [
        (1 - LEARNED) * each.points + LEARNED * served if each.exchange.said else 0.0
        for each, served in zip(ruled, serves(signals), strict=True)
    ]
    common = fmean(scores) if scores else FULL
    for each, score, seen in zip(ruled, scores, signals, strict=True):
        drawn = score + SHARED * (common - score) if each.exchange.said else score
        yield Judged(
            each.exchange, each.points, each.kinds, each.lead, each.answers, each.fresh, each.offers, each.fit,
            drawn, seen,
        )  # fmt: skip


def _judge(seen: Seen, offered: tuple[Named, ...], later: tuple[Read, ...], course: Course) -> Judged:
    exchange = seen.exchange
    course.hear(exchange)
    own = [*own_faults(exchange, course), *(rule.slug for rule in plain_rules() if rule.finds(seen))]
    needs = [] if "empty" in own else list(unserved(exchange, offered, course))
    kinds = tuple(dict.fromkeys([*own, *needs, *aftermath(exchange, later, course)]))
    fresh = tuple(named for named in offered if named.key not in course.offered)
    fit = _fit(kinds_told(exchange, offered), course.wanted) if offered else 0.0
    new = bool(fresh) or _tells_of_new(exchange, own, needs, course)
    lead = _guides(exchange, own, needs, course, new=new)
    course.remember(exchange, offered)
    return Judged(
        exchange=exchange,
        points=min(FULL, max(0.0, FULL - sum(LOSSES[kind][0] for kind in kinds)) + _welcome(later)),
        kinds=kinds,
        lead=lead,
        answers=not own and not needs,
        fresh=fresh,
        offers=bool(offered),
        fit=fit,
    )


def _fit(known: Sequence[frozenset[str]], wanted: frozenset[str]) -> float:
    compared = [akin(wanted, kinds) for kinds in known if comparable(wanted, kinds)]
    return 2 * fmean(compared) - 1 if compared else 0.0


def _tells_of_new(exchange: Exchange, own: list[str], needs: list[str], course: Course) -> bool:
    """Return whether a reply suggests what has no title to be told by: in so many words, or to a user who wants suggestions."""
    sought = bool(exchange.wants & WANTS_ITEMS) or ReplyAct.RECOMMEND in exchange.acts
    return sought and not course.titled and not own and not needs and describes(exchange, course)


def _guides(exchange: Exchange, own: list[str], needs: list[str], course: Course, *, new: bool) -> Lead:
    """Return how a reply moves the user on; `new` tells whether it suggests something new. A question that an earlier reply has
    asked in the same words moves nobody."""
    idle = IDLE & {*own, *needs}
    if idle == {"broken"} and exchange.broken <= HALF_BROKEN and _asks_soundly(exchange):
        return Lead.ASKS
    if idle:
        return Lead.NOT
    asked = set(questions_of(exchange))
    if asked and asked <= course.asked_aloud:
        return Lead.SUGGESTS if new else Lead.NOT
    if exchange.acts & {ReplyAct.ELICIT, ReplyAct.OFFER}:
        return Lead.ASKS
    if new:
        return Lead.SUGGESTS
    return Lead.QUESTIONS if ReplyAct.ASK in exchange.acts else Lead.NOT


def _asks_soundly(exchange: Exchange) -> bool:
    """Return whether a whole sentence of a broken reply asks about wishes: "is a thriller. Do you like
    thrillers?"."""
    return any(
        ReplyAct.ELICIT in reply_acts(sentence.of(read.text))
        for read in exchange.reply
        for sentence in outside(sentences(read.text), read.faults)
    )


def _welcome(later: tuple[Read, ...]) -> float:
    """Points won back by how the user takes the reply up."""
    if not later:
        return 0.0
    return WELCOME * max(0.0, *(reaction(read.does, read.feeling) for read in later), 0.0)


#: A rating of neither content nor discontent.
NEUTRAL = 3.06
#: The distance from there at which it begins to say anything: a standard deviation over the replies that were marked.
UNSURE = 0.1
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
    """Return how surely one of these messages at least does this, by what the heads make of each: 0 where it is as likely
    as not, since both sides of an act weighed the same when it was learned."""
    return max(0.0, 2 * max([likely.get(act, 0.0) for likely in learned], default=0.0) - 1)


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
    return {
        "goes-on": float(bool(later)),
        "reaction": fmean([reaction(read.does, read.feeling) for read in later]) if later else 0.0,
        "satisfaction": _beyond_doubt(fmean([each.get(SATISFACTION, NEUTRAL) for each in learned]) - NEUTRAL)
        if later
        else 0.0,
        **{f"then-{act}": most(learned, act) for act in TAKEN_UP},
        **{f"not-{act}": -most(learned, act) for act in TURNED_DOWN},
        "no-complaint": -float(any(UserAct.COMPLAIN in read.does for read in later)),
        "new-topic": len(after - before) / len(after) if after else 0.0,
        "moves-on": -overlap(after, before),
        "takes-up-words": len(after & said) / len(after) if after else 0.0,
        "thanks": float(any(read.does.keys() & {UserAct.THANK, UserAct.ACCEPT} for read in later)),
    }


def _beyond_doubt(swing: float) -> float:
    return copysign(max(0.0, abs(swing) - UNSURE), swing)
