"""The turns of a conversation as the heads read them: a vector of length 1 and the rarer word pieces of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from .encoder import WIDTH, Encoder, meaning, profile
from .layers import Floats

#: A message: whether the user says it, and its text.
Spoken = tuple[bool, str]
#: Vocabulary numbers under this are single characters; the others stand in the order of how often English uses them.
_CHARACTERS = 1996
_RAREST = float(np.log(30522 - _CHARACTERS))
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages of one side before the other side speaks: their text, its vector of length 1, its rarer pieces, and
    the place of the last message."""

    is_user: bool
    text: str
    vector: Floats
    pieces: frozenset[int]
    message: int

    @property
    def asks(self) -> bool:
        """Return whether the text holds a question mark."""
        return "?" in self.text


def turns(spoken: Sequence[Spoken], encoder: Encoder | None = None) -> list[Turn]:
    """Return the turns of a conversation. A given encoder reads them in one batch; without one, each is read alone and its
    vector kept: a conversation that goes on is sent again with each reply."""
    reader = encoder or meaning()
    parts = [list(part) for _, part in groupby(enumerate(spoken), key=lambda each: each[1][0])]
    texts = [" ".join(text.strip() for _, (_, text) in part) for part in parts]
    together = encoder is not None or not texts
    vectors = unit(reader.encode(texts) if together else np.array([profile(text)[-WIDTH:] for text in texts]))
    return [
        Turn(part[0][1][0], text, vector, rarer(reader.pieces(text)), part[-1][0])
        for part, text, vector in zip(parts, texts, vectors, strict=True)
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
