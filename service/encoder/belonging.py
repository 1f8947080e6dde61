"""Belonging: does a reply answer this user in this conversation?

A linear head over frozen vectors, trained on real replies against replies of other conversations (`research.encoder`),
without people's labels. Where all replies are real it says little about how good they are: it guards against
nonsense.

The head reads `evidence`: cosines, shared rarer words, questions, lengths and the place in the conversation hold in any
domain; products of vectors did not help on families that the head had not seen. Cosines are read twice: of the vectors, and of
what is left of them without the directions that all talk shares (`Common`). The user's next turn counts where there is one:
people react to what was said."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoder import FOLDER, WIDTH, Encoder, Floats, meaning, profile

#: A message: whether the user says it, and its text.
Spoken = tuple[bool, str]
#: Vocabulary numbers under this are single characters; the others stand in the order of how often English uses them.
_CHARACTERS = 1996
_RAREST = float(np.log(30522 - _CHARACTERS))
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages of one side before the other side speaks: their text, its vector of length 1 (`subject`: without what all
    talk shares), its rarer pieces, and the place of the last message."""

    is_user: bool
    text: str
    vector: Floats
    subject: Floats
    pieces: frozenset[int]
    message: int

    @property
    def asks(self) -> bool:
        """Return whether the text holds a question mark."""
        return "?" in self.text


@dataclass(frozen=True, slots=True)
class Common:
    """The part that vectors of all talk share, whatever it is about: their mean, and the directions in which they differ most, a
    column each. Learned from texts, without labels."""

    centre: Floats
    directions: Floats

    def without(self, vectors: Floats) -> Floats:
        """Return what is left of vectors, at length 1 (Mu and Viswanath, "All-but-the-Top", 2018)."""
        centred: Floats = vectors - self.centre
        shared = (centred @ self.directions) @ self.directions.T
        return unit(np.subtract(centred, shared, dtype=np.float32))


def turns(
    spoken: Sequence[Spoken], encoder: Encoder | None = None, shared: Common | None = None
) -> list[Turn]:
    """Return the turns of a conversation. A given encoder reads them in one batch; without one, each is read alone and its
    vector kept: a conversation that goes on is sent again with each reply. `shared` is what ships unless given."""
    reader = encoder or meaning()
    parts = [list(part) for _, part in groupby(enumerate(spoken), key=lambda each: each[1][0])]
    texts = [" ".join(text.strip() for _, (_, text) in part) for part in parts]
    together = encoder is not None or not texts
    vectors = unit(reader.encode(texts) if together else np.array([profile(text)[-WIDTH:] for text in texts]))
    subjects = (shared or common()).without(vectors) if texts else vectors
    return [
        Turn(part[0][1][0], text, vector, subject, rarer(reader.pieces(text)), part[-1][0])
        for part, text, vector, subject in zip(parts, texts, vectors, subjects, strict=True)
    ]


def unit(vectors: Floats) -> Floats:
    """Return the rows at length 1."""
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), _TINY)
    return found


def rarer(pieces: Sequence[int]) -> frozenset[int]:
    """Return the pieces that are no single characters."""
    return frozenset(piece for piece in pieces if piece >= _CHARACTERS)


def rareness(piece: int) -> float:
    """Return how rare a piece is, from its place in the vocabulary: 0 to 1."""
    return float(np.log(piece - _CHARACTERS + 1)) / _RAREST


#: Turns before a reply that make its context.
CONTEXT = 4
#: A sum of rareness from which more tells nothing new, and the number of rarer pieces that counts as two lengths.
_MUCH, _LONG = 3.0, 40
#: The scales of cosines, of those without what all talk shares, and of the reply's vector at its place: the larger, the less
#: their weights are restrained.
_NEAR, _SUBJECT, _PLACED = 2.0, 1.0, 0.065
_NOTHING: frozenset[int] = frozenset()


def evidence(before: Sequence[Turn], reply: Turn, after: Turn | None = None) -> Floats:
    """Return one row of numbers for a reply. `before` holds the turns before it, one at least, `after` the user's next
    turn where there is one."""
    told = reply.vector
    early = (len(before) <= 1, 2 <= len(before) <= 3, len(before) > 6)
    near = [_NEAR * value for value in (*_near(before, reply, after, _vector), *_repeating(before, reply))]
    near += [_SUBJECT * value for value in _near(before, reply, after, _subject)]
    plain = np.array([*near, *_shared_words(before, reply, after), *_manner(before, reply, after)])
    here = [told * (_PLACED * np.sqrt(len(told)) * held) for held in early]
    return np.concatenate([plain, *here]).astype(np.float32)


_vector: Callable[[Turn], Floats] = attrgetter("vector")
_subject: Callable[[Turn], Floats] = attrgetter("subject")


def _near(
    before: Sequence[Turn], reply: Turn, after: Turn | None, vector: Callable[[Turn], Floats]
) -> list[float]:
    """Cosines of the reply with the request, with all that the user said, with the context, and with the reaction."""
    told, asked = vector(reply), vector(before[-1])
    reaction = vector(after) if after else np.zeros_like(told)
    context = unit(np.mean([vector(turn) for turn in before[-CONTEXT:]], axis=0))
    user = [float(vector(turn) @ told) for turn in before if turn.is_user] or [0.0]
    reacts = float(reaction @ told)
    return [
        float(asked @ told),
        max(user),
        sum(user) / len(user),
        float(context @ told),
        reacts,
        reacts - float(reaction @ asked),
        reacts - float(reaction @ context),
    ]


def _repeating(before: Sequence[Turn], reply: Turn) -> list[float]:
    """Cosines of the reply with those before it: the greatest, their mean, and that of the last one."""
    cosines = [float(turn.vector @ reply.vector) for turn in before if not turn.is_user] or [0.0]
    return [max(cosines), sum(cosines) / len(cosines), cosines[-1]]


def _shared_words(before: Sequence[Turn], reply: Turn, after: Turn | None) -> list[float]:
    """Rarer pieces that the reply shares with what was said before it, and the next turn with the reply."""
    request = before[-1].pieces
    user, own = (_NOTHING.union(*(t.pieces for t in before if t.is_user is side)) for side in (True, False))
    reaction = after.pieces if after else _NOTHING
    return [
        *_shared(reply.pieces, request),
        *_shared(request, reply.pieces),
        *_shared(reply.pieces, user),
        *_shared(reply.pieces, own),
        *_shared(reply.pieces, reaction - request),
        *_shared(reaction, reply.pieces),
        *_shared(reaction - user - own, reply.pieces),
    ]


def _shared(ours: frozenset[int], theirs: frozenset[int]) -> tuple[float, float, float]:
    """Of the rareness in our pieces: the share that is theirs too, its greatest, and its sum."""
    total = sum(sorted(rareness(piece) for piece in ours))
    both = sorted(rareness(piece) for piece in ours & theirs)
    return sum(both) / max(total, _TINY), max(both, default=0.0), min(sum(both), _MUCH) / _MUCH


def _manner(before: Sequence[Turn], reply: Turn, after: Turn | None) -> list[float]:
    """Questions and their answers, lengths, the place in the conversation, and a reply said before."""
    asked, asks, first = before[-1].asks, reply.asks, len(before) == 1
    own = [turn for turn in before if not turn.is_user]
    length, wanted = _length(reply), _length(before[-1])
    usual = sum(map(_length, own)) / len(own) if own else 0.5
    return [
        float(asked), float(asks), float(asked and asks), float(asked and not asks), float(asks and not asked),
        float(after is not None), float(after is not None and after.asks),
        float(after is not None and after.asks and asks),
        float(bool(own) and own[-1].asks and asks), float(reply.text in {turn.text for turn in own}),
        float(first), float(first and asks), length * first, min(len(before), 12) / 6,
        length, wanted, length * wanted, abs(length - usual),
    ]  # fmt: skip


def _length(turn: Turn) -> float:
    return min(len(turn.pieces), _LONG) / (_LONG / 2)


@dataclass(frozen=True, slots=True)
class Belonging:
    """The probability that a reply belongs, 0 to 1 at even odds, and the turn that it was compared with. It says whether the
    user's next turn counted."""

    message: int
    probability: float
    request: int
    heard_reaction: bool


def belonging(spoken: Sequence[Spoken]) -> list[Belonging]:
    """Return the probability of every reply that follows a user's message. Takes some milliseconds of a core: call it off
    the event loop."""
    said = turns(spoken)
    places = [place for place, turn in enumerate(said) if place and not turn.is_user]
    if not places:
        return []
    after = [said[place + 1] if place + 1 < len(said) else None for place in places]
    rows = np.array(
        [evidence(said[:place], said[place], turn) for place, turn in zip(places, after, strict=True)]
    )
    return [
        Belonging(said[place].message, float(chance), said[place - 1].message, turn is not None)
        for place, turn, chance in zip(places, after, shipped().probability(rows), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Head:
    """Weights and bias of the linear head; the logistic function of what it gives is a probability."""

    weight: Floats
    bias: float

    def probability(self, rows: Floats) -> NDArray[Any]:
        """Return the probability of each row, at even odds."""
        odds = rows.astype(np.float64) @ self.weight.astype(np.float64) + self.bias
        found: NDArray[Any] = 1 / (1 + np.exp(-odds))
        return found


@cache
def shipped(folder: Path = FOLDER) -> Head:
    """Return the head that ships, read once."""
    with np.load(folder / "belonging.npz", allow_pickle=False) as stored:
        return Head(stored["weight"], float(stored["bias"]))


@cache
def common(folder: Path = FOLDER) -> Common:
    """Return what all talk shares, as it ships, read once."""
    with np.load(folder / "belonging.npz", allow_pickle=False) as stored:
        return Common(stored["centre"], stored["directions"])
