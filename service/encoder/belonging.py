"""Belonging: does a reply answer this user in this conversation?

A linear head over frozen vectors, trained on real replies against replies of other conversations (`research.encoder`),
without people's labels. Where all replies are real it says little about how good they are: it guards against
nonsense."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoder import FOLDER
from .evidence import evidence
from .layers import Floats
from .turns import Spoken, turns


@dataclass(frozen=True, slots=True)
class Belonging:
    """The probability that a reply belongs, 0 to 1 at even odds, the turn that it was held against, and whether the
    user's next turn counted in it."""

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
