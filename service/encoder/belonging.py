"""Belonging: does a reply answer this user in this conversation?

A logistic regression over frozen vectors, trained on real replies against replies of other conversations
(`research.encoder`), without people's labels. It sees three products of vectors, and how much of the reply's rarer words
stand in what was said before. Where all replies are real it says little about how good they are: it guards against
nonsense."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoder import FOLDER, Encoder, meaning
from .layers import Floats

#: A message: whether the user says it, and its text.
Spoken = tuple[bool, str]
#: Turns before a reply that make its context.
CONTEXT = 4
#: Vocabulary numbers under this are single characters; the others stand in the order of how often English uses them.
_CHARACTERS = 1996
_RAREST = float(np.log(30522 - _CHARACTERS))
#: A sum of rareness from which more tells nothing new.
_MUCH = 3.0
#: How much larger than a product a cosine enters: it is learned with less restraint.
_WEIGHED = 2.0
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says before the other speaks: the text, its vector of length 1, its rarer pieces, and the place of
    its last message."""

    is_user: bool
    text: str
    vector: Floats
    pieces: frozenset[int]
    message: int


@dataclass(frozen=True, slots=True)
class Belonging:
    """How surely a reply belongs, 0 to 1 at even odds, and the turn that it was held against."""

    message: int
    probability: float
    request: int


def turns(spoken: Sequence[Spoken], encoder: Encoder | None = None) -> list[Turn]:
    """The turns of a conversation; their vectors are read together."""
    reader = encoder or meaning()
    parts = [list(part) for _, part in groupby(enumerate(spoken), key=lambda each: each[1][0])]
    texts = [" ".join(text.strip() for _, (_, text) in part) for part in parts]
    vectors = unit(reader.encode(texts))
    return [
        Turn(part[0][1][0], text, vector, rarer(reader.pieces(text)), part[-1][0])
        for part, text, vector in zip(parts, texts, vectors, strict=True)
    ]


def unit(vectors: Floats) -> Floats:
    """Rows of length 1."""
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), _TINY)
    return found


def rarer(pieces: Sequence[int]) -> frozenset[int]:
    """The pieces that are no single characters."""
    return frozenset(piece for piece in pieces if piece >= _CHARACTERS)


def rareness(piece: int) -> float:
    """How rare a piece is: its place in the vocabulary, 0 to 1."""
    return float(np.log(piece - _CHARACTERS + 1)) / _RAREST


def features(before: Sequence[Turn], reply: Turn) -> Floats:
    """What the head sees of a reply after the turns before it, of which there is one at least."""
    request = before[-1]
    context = unit(np.mean([turn.vector for turn in before[-CONTEXT:]], axis=0))
    products = np.concatenate(
        [context * reply.vector, request.vector * reply.vector, np.abs(request.vector - reply.vector)]
    ) * np.float32(np.sqrt(len(reply.vector)))
    said = [
        frozenset[int]().union(*(t.pieces for t in before if t.is_user is side)) for side in (True, False)
    ]
    shared = [
        *_shared(reply.pieces, request.pieces),
        *_shared(request.pieces, reply.pieces),
        *_shared(reply.pieces, said[0]),
        *_shared(reply.pieces, said[1]),
        min(len(reply.pieces), 40) / 20,
        min(len(before), 12) / 6,
    ]
    return np.concatenate([products, np.array(shared + _near(before, reply), np.float32)]).astype(np.float32)


def _near(before: Sequence[Turn], reply: Turn) -> list[float]:
    """Cosines of the reply and what was said before: the request, what each side said, the context, and everything."""
    cosines = [float(turn.vector @ reply.vector) for turn in before]
    user = [near for near, turn in zip(cosines, before, strict=True) if turn.is_user] or [0.0]
    own = [near for near, turn in zip(cosines, before, strict=True) if not turn.is_user] or [0.0]
    wholes = [
        float(unit(np.mean([turn.vector for turn in part], axis=0)) @ reply.vector)
        for part in (before[-CONTEXT:], before)
    ]
    means = [sum(side) / len(side) for side in (user, own)]
    found = [cosines[-1], max(user), means[0], max(own), means[1], own[-1], *wholes]
    return [_WEIGHED * near for near in found]


def _shared(ours: frozenset[int], theirs: frozenset[int]) -> tuple[float, float, float]:
    """Of the rareness in our pieces: the share that is theirs too, its greatest, and its sum."""
    total = sum(sorted(rareness(piece) for piece in ours))
    both = sorted(rareness(piece) for piece in ours & theirs)
    return sum(both) / max(total, _TINY), max(both, default=0.0), min(sum(both), _MUCH) / _MUCH


def belonging(spoken: Sequence[Spoken]) -> list[Belonging]:
    """For every reply after a user's message whether it belongs. Takes some milliseconds of a core: call it off the event
    loop."""
    said = turns(spoken)
    places = [place for place, turn in enumerate(said) if place and not turn.is_user]
    if not places:
        return []
    head = _head()
    rows = np.array([features(said[:place], said[place]) for place in places])
    chances = head.probability(rows)
    return [
        Belonging(said[place].message, float(chance), said[place - 1].message)
        for place, chance in zip(places, chances, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Head:
    """Weights and bias of the logistic regression."""

    weight: Floats
    bias: float

    def probability(self, rows: Floats) -> NDArray[Any]:
        """The probability of each row, at even odds."""
        odds = rows.astype(np.float64) @ self.weight.astype(np.float64) + self.bias
        found: NDArray[Any] = 1 / (1 + np.exp(-odds))
        return found


@cache
def _head(folder: Path = FOLDER) -> Head:
    with np.load(folder / "belonging.npz", allow_pickle=False) as stored:
        return Head(stored["weight"], float(stored["bias"]))
