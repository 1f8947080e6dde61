"""Dialogue acts: what a message of the user or of the recommender does, and how the user takes a reply up.

A message may do several things at once. Patterns find the stretch of text that betrays an act; none hangs on one domain's nouns.
They are in `acts.toml`. Heads over the encoder's vectors say how likely a message does what, and how content its user sounds.
`hear_acts` finds acts beside the patterns, for which people have more wordings than a list holds. Other acts are those of the
IARD scheme. `SATISFACTION` is a rating of a user's message with the reply before it, 1 to 5, of the USS scheme.

A head reads the profile of the message (`service.encoder.encoder.profile`) and that of the other side's message
before. It also reads how many messages its side had sent, and what rules see in it. Trained by `research/train_judge` on
conversations of people; what ships is numbers alone, loaded at first use. `read_fits` says how surely each reply belongs."""

import asyncio
import re
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from io import BytesIO
from itertools import compress
from math import log
from typing import TYPE_CHECKING, Any, TypeVar

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, content_words, sentences, straight, words

if TYPE_CHECKING:
    from .....encoder.encoder import Floats
    from ..reading import Read

LEXICON = Lexicon(__package__, "acts")
#: A word that turns a feeling round stands at most so many words before it.
REACH = 3


class UserAct(StrEnum):
    """An act of the user; the order is that of the lexicon."""

    GREET = "greet"
    THANK = "thank"
    CLOSE = "close"
    REQUEST = "request"
    INQUIRE = "inquire"
    WHY = "why"
    PREFER = "prefer"
    REJECT = "reject"
    SEEN = "seen"
    COMPLAIN = "complain"
    ACCEPT = "accept"
    CONFIRM = "confirm"


class ReplyAct(StrEnum):
    """An act of the recommender. `ask` is any question, `elicit` one about the user's wishes, `unaware` an
    admission not to know."""

    GREET = "greet"
    CLOSE = "close"
    WELCOME = "welcome"
    ASK = "ask"
    ELICIT = "elicit"
    OFFER = "offer"
    RECOMMEND = "recommend"
    INFORM = "inform"
    APOLOGISE = "apologise"
    PRAISE = "praise"
    UNAWARE = "unaware"
    CONFIRM = "confirm"


_MARKER = re.compile(
    r"(?:^\(?\d{1,2}\s?[.:)]\s|(?:^|(?<=\s))(?:\(?\d{1,2}(?:\s?[.:)][ \t]|\s{2,})|[-*•]\s))[ \t]*(?=\S)",
    re.MULTILINE,
)
_SIGN = re.compile(r"[\d*•-]")
"""Without any of these there is no marker."""


def user_acts(text: str) -> dict[UserAct, Span]:
    """Return what a user's message does, each with the first stretch that shows it."""
    return _acts(_finders("user", UserAct), straight(text))


def reply_acts(text: str) -> dict[ReplyAct, Span]:
    """Return what a recommender's message does, each with the first stretch that shows it. A list of two
    or more numbered or bulleted entries recommends."""
    acts = _acts(_finders("reply", ReplyAct), straight(text))
    entries = list_entries(text)
    if entries and ReplyAct.RECOMMEND not in acts:
        acts[ReplyAct.RECOMMEND] = Span(entries[0].start, entries[-1].end, ReplyAct.RECOMMEND)
    return acts


Act = TypeVar("Act", UserAct, ReplyAct)


def _acts(finders: tuple[tuple[Act, ...], Finders], plain: str) -> dict[Act, Span]:
    found = zip(finders[0], finders[1].search(plain), strict=True)
    return {act: Span(match.start(), match.end(), act) for act, match in found if match}


@cache
def _finders(side: str, acts: type[Act]) -> tuple[tuple[Act, ...], Finders]:
    """The acts of a side and what shows each."""
    return tuple(acts), Finders(*(LEXICON.finder(side, act) for act in acts))


@lru_cache(maxsize=64)  # asked for by several rules in turn
def list_entries(text: str) -> tuple[Span, ...]:
    """The entries of a numbered or bulleted list, markers left out; none for a single marker, which
    is more often a number in a sentence."""
    if not _SIGN.search(text):
        return ()
    marks = list(_MARKER.finditer(text))
    numbered = [mark for mark in marks if any(sign.isdigit() for sign in mark.group())]
    leading = [
        mark for mark in marks if not text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()].strip()
    ]
    for heads in (numbered, leading):  # "1. A title - a comedy": the dash opens no entry of its own
        if len(heads) > 1:
            marks = heads
            break
    if len(marks) < 2:
        return ()
    entries = []
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
        entry = text[mark.end() : end].split("\n", 1)[0].rstrip()
        if entry:
            entries.append(Span(mark.end(), mark.end() + len(entry), "entry"))
    return tuple(entries) if len(entries) > 1 else ()


def is_brief(text: str, limit: int = 4) -> bool:
    """Return whether a message has at most `limit` words: often too short to carry an act of its own."""
    return len(words(text[: 40 * (limit + 1)])) <= limit


def sentiment(tokens: Sequence[str]) -> float:
    """The feeling in a message, -1 to 1: positive and negative words, turned round by a negation up
    to three words before; 0 where there are none."""
    positive, negative = LEXICON.words("feeling", "positive"), LEXICON.words("feeling", "negative")
    if positive.isdisjoint(tokens) and negative.isdisjoint(tokens):
        return 0.0
    turning = LEXICON.words("feeling", "turning")
    total = weight = 0
    for index, token in enumerate(tokens):
        if token in positive or token in negative:
            turned = not turning.isdisjoint(tokens[max(0, index - REACH) : index])
            total += 1 if (token in positive) is not turned else -1
            weight += 1
    return total / weight if weight else 0.0


def reaction(acts: Collection[UserAct], liking: float) -> float:
    """Return how well the last reply was received, -1 (a complaint) to 1 (taken up). What the message does decides first, the
    feeling in its words (`sentiment`) second."""
    if UserAct.COMPLAIN in acts:
        return -1.0
    if UserAct.ACCEPT in acts or UserAct.THANK in acts:
        return 1.0 if liking >= 0 else 0.0
    if UserAct.REJECT in acts:
        return -0.5
    if UserAct.SEEN in acts:
        return max(0.0, liking) * 0.5
    return liking * 0.5


SIDES = ("user", "reply")
#: Acts that a head finds beside the patterns, with the probability from which on it does: higher where a wrong one costs more.
VARIED: Mapping[str, Mapping[UserAct | ReplyAct, float]] = {
    "user": {
        UserAct.REQUEST: 0.6, UserAct.INQUIRE: 0.6, UserAct.REJECT: 0.6, UserAct.SEEN: 0.6,
        UserAct.COMPLAIN: 0.85, UserAct.ACCEPT: 0.8,
    },
    "reply": {
        ReplyAct.ELICIT: 0.75, ReplyAct.OFFER: 0.6, ReplyAct.RECOMMEND: 0.6, ReplyAct.APOLOGISE: 0.6,
    },
}  # fmt: skip
#: Not a probability but a rating.
SATISFACTION = "satisfaction"
#: Signs that rules see in a message of the user: acts, and the feeling in its words. Satisfaction alone counts it.
GLAD, SOUR = "glad", "sour"
SEEN = (*UserAct, GLAD, SOUR)
#: Messages of one side after which its place in the conversation tells no more.
PLACES = 4
#: Messages read together: their profiles stand side by side, 12 KB each.
AT_ONCE = 100


class Figures(Mapping[str, float]):
    """Some figures of those that `places` numbers: the first ones, as many as there are values. For thousands of messages: the
    names are shared, and a figure takes eight bytes."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: "array[float]") -> None:
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> float:
        place = self._places[name]
        if place >= len(self._values):
            raise KeyError(name)
        return self._values[place]

    def __iter__(self) -> Iterator[str]:
        return (name for name, place in self._places.items() if place < len(self._values))

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True, slots=True)
class Said:
    """A message as the heads read it: its profile and that of the other side's message before, None where there is none or it was
    not read. Also how many messages its side had sent, and what rules see in it, as `SEEN` names it."""

    own: Any
    before: Any
    place: int
    seen: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """The heads of one side, a column a label: weights of the message's profile, of the one before and of `SEEN`, and a bias for
    each place. `usual` is the profile that stands for an unknown one."""

    labels: tuple[str, ...]
    usual: Any
    own: Any
    before: Any
    seen: Any
    bias: Any

    def read(self, messages: Sequence[Said]) -> list[Figures]:
        """For every message the probability of each act, and the satisfaction where this side has one."""
        return [
            row
            for start in range(0, len(messages), AT_ONCE)
            for row in self._read(messages[start : start + AT_ONCE])
        ]

    def _read(self, messages: Sequence[Said]) -> list[Figures]:
        import numpy as np

        own, before = (
            np.array([self.usual if row is None else row for row in rows], np.float32)
            for rows in ([said.own for said in messages], [said.before for said in messages])
        )
        bias = self.bias[[min(said.place, PLACES - 1) for said in messages]]
        seen = np.array([[name in said.seen for name in SEEN] for said in messages], np.float32)
        totals = (own @ self.own + before @ self.before + seen @ self.seen + bias).astype(np.float64)
        values = 1 / (1 + np.exp(-totals))
        if SATISFACTION in self.labels:
            place = self.labels.index(SATISFACTION)
            values[:, place] = np.clip(totals[:, place], 1.0, 5.0)
        places = _places(self.labels)
        return [Figures(places, array("d", row)) for row in values.tolist()]


@cache
def _places(labels: tuple[str, ...]) -> Mapping[str, int]:
    return {label: place for place, label in enumerate(labels)}


@cache
def model() -> Mapping[str, Side]:
    """Both sides, read once."""
    import numpy as np

    with np.load(BytesIO(source()), allow_pickle=False) as stored:
        return {side: side_of(stored, side) for side in SIDES}


#: Parts that are stored of a side beside its labels, as `Side` has it.
PARTS = ("own", "before", "seen", "bias")


def side_of(stored: Mapping[str, Any], side: str) -> Side:
    """The heads of one side from what is stored: labels, and numbers in 16 bits but for the biases."""
    import numpy as np

    parts = (stored[f"{side}_{name}"].astype(np.float32) for name in PARTS)
    return Side(tuple(stored[f"{side}_labels"].tolist()), stored["usual"].astype(np.float32), *parts)


def seen_in(does: Collection[str], feeling: float) -> list[str]:
    """Return what rules see in a message of the user that does this and sounds so, as `SEEN` names it."""
    return [*does, *([GLAD] if feeling > 0 else [SOUR] if feeling < 0 else [])]


@cache
def source() -> bytes:
    """The stored numbers."""
    return (resources.files(__package__) / "acts.npz").read_bytes()


#: Characters that are read of a message, and messages of a log: the encoder takes some 50 ms of a core for ten replies.
READ = 1_000
MESSAGES = 300


async def hear_acts(reads: Sequence["Read"]) -> Mapping[int, frozenset[UserAct | ReplyAct]]:
    """Return the acts of `VARIED` that each of the first `MESSAGES` messages does, by its index. A message that talks to
    a judge is left to the patterns. The event loop goes on meanwhile."""
    said = [read for read in reads[:MESSAGES] if read.text.strip() and not read.steering]
    return await asyncio.to_thread(_acts_of, said) if said else {}


def _acts_of(said: Sequence["Read"]) -> dict[int, frozenset[UserAct | ReplyAct]]:
    # Loads 35 MB, which only who asks for this should pay.
    from .....encoder.encoder import profile

    found = {}
    for read in said:
        text = read.text[:READ].strip()
        if text := text if read.is_user else with_topic(text):
            found[read.index] = varied_acts("user" if read.is_user else "reply", profile(text), text)
    return found


def with_topic(text: str) -> str:
    """Return the sentences of a reply that hold a word of topic: padding must not turn a reply into a recommendation."""
    whole = sentences(text)
    told = [span for span in whole if content_words(words(span.of(text)))]
    return text if len(told) == len(whole) else " ".join(span.of(text) for span in told)


def varied_acts(side: str, row: Any, text: str) -> frozenset[UserAct | ReplyAct]:
    """Return the acts of `VARIED` that a message of this profile does. Vectors hardly distinguish "I will" from "I will not": in a
    text with "not" only patterns find who accepts."""
    own, bias = _varied(side)
    found = frozenset(compress(VARIED[side], likely(side, row @ own + bias)))
    if UserAct.ACCEPT in found and any(word == "not" or word.endswith("n't") for word in words(text)):
        return found - {UserAct.ACCEPT}
    return found


def likely(side: str, odds: Any) -> Any:
    """Return which acts of `VARIED` these log-odds are likely enough for; the last axis is acts."""
    return odds > [log(bar / (1 - bar)) for bar in VARIED[side].values()]


@cache
def _varied(side: str) -> tuple[Any, Any]:
    """Weights and biases, a column an act of `VARIED`."""
    import numpy as np

    with np.load(BytesIO(source()), allow_pickle=False) as stored:
        return stored[f"{side}_varied_own"].astype(np.float32), stored[f"{side}_varied_bias"]


async def hear(reads: Sequence["Read"]) -> Mapping[int, Figures]:
    """Return what each message does that both sides saw, by its index. Of messages after the first `MESSAGES` only the place and
    what rules see in them is known. The event loop goes on meanwhile."""
    seen = [read for read in reads if read.message.is_seen]
    return await asyncio.to_thread(_heard, seen) if seen else {}


def _heard(seen: Sequence["Read"]) -> dict[int, Figures]:
    found: dict[int, Figures] = {}
    told = list(_said(seen))
    for side in SIDES:
        own = [(index, said) for index, is_user, said in told if is_user is (side == "user")]
        figures = model()[side].read([said for _, said in own])
        found |= {index: row for (index, _), row in zip(own, figures, strict=True)}
    return found


def _said(seen: Sequence["Read"]) -> Iterator[tuple[int, bool, Said]]:
    """Each message's index, whether the user says it, and what the heads read of it."""
    # Loads 35 MB, which only who asks for this should pay.
    from .....encoder.encoder import profile

    last: dict[bool, Floats | None] = {True: None, False: None}
    sent = {True: 0, False: 0}
    for number, read in enumerate(seen):
        text = read.text[:READ].strip() if number < MESSAGES else ""
        own = profile(text) if text else None
        marks = seen_in(read.does, read.feeling) if read.is_user else ()
        yield read.index, read.is_user, Said(own, last[not read.is_user], sent[read.is_user], marks)
        last[read.is_user] = own
        sent[read.is_user] += 1


@dataclass(frozen=True, slots=True)
class Fit:
    """A reply held against the user's turn before it: the first message of the reply, the last one of the turn, and the
    probability that the reply belongs there, at even odds."""

    reply: int
    request: int
    probability: float


async def read_fits(history: Sequence["Read"], messages: Sequence["Read"]) -> Mapping[int, Fit]:
    """The replies with words that follow a user's message with words, by their first message, of the first `MESSAGES`
    messages. The event loop goes on meanwhile."""
    said = [*history, *messages[:MESSAGES]]
    if not any(read.is_user for read in said) or all(read.is_user for read in said):
        return {}
    spoken = [(read.is_user, read.text[:READ]) for read in said]
    return await asyncio.to_thread(_fits, said, spoken, len(history))


def _fits(said: Sequence["Read"], spoken: Sequence[tuple[bool, str]], past: int) -> dict[int, Fit]:
    # Loads 35 MB, which only who asks for this should pay.
    from .....encoder.belonging import belonging

    found = {}
    for each in belonging(spoken):
        reply = _first(said, each.message)
        request = each.request
        if reply >= past and request >= past and said[reply].words and said[request].words:
            found[reply - past] = Fit(reply - past, request - past, each.probability)
    return found


def _first(said: Sequence["Read"], last: int) -> int:
    """The first message of the run of one side that ends with the message `last`."""
    while last and said[last - 1].is_user == said[last].is_user:
        last -= 1
    return last
