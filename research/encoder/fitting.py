"""Learn the head of belonging, and measure it on families that it has not seen."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from service.encoder.belonging import Head, Turn, features, rarer, turns
from service.encoder.encoder import meaning

from .conversations import FAMILIES, Talk, conversations
from .exchanges import Exchanges

#: Places that are learned from in one family, and the strength of the weights' freedom.
MOST, STRENGTH = 2500, 0.02
#: How often the real-or-exchanged test draws an exchanged reply for every real one.
DRAWS = 2


@dataclass(frozen=True)
class Measured:
    """Real replies of a family against exchanged ones, as areas under the curve: by a head that has not seen the family,
    by one that has seen it in other conversations, and by the plain cosine of request and reply."""

    family: str
    replies: int
    family_left_out: float
    others_seen: float
    cosine: float


def read(folder: Path) -> Exchanges:
    """All conversations of a folder, read by the shipped encoder."""
    talks = list(conversations(folder))
    return Exchanges(talks, _turns(talks))


def _turns(talks: Sequence[Talk]) -> list[list[Turn]]:
    """Texts that conversations share are read once."""
    reader, known = meaning(), dict[str, tuple[np.ndarray, frozenset[int]]]()

    class Reader:
        """Gives what is known of a text."""

        def encode(self, texts: Sequence[str]) -> np.ndarray:
            new = [text for text in dict.fromkeys(texts) if text not in known]
            for text, vector in zip(new, reader.encode(new), strict=True) if new else ():
                known[text] = vector, rarer(reader.pieces(text))
            return np.array([known[text][0] for text in texts], np.float32)

        def pieces(self, text: str) -> list[int]:
            return list(known[text][1])

    return [turns(talk.spoken, Reader()) for talk in talks]  # type: ignore[arg-type]


def fit(exchanges: Exchanges, left_out: str | None = None, half: int | None = None) -> Head:
    """The head that all families teach but the one left out, and all conversations but those of one half."""
    chance = random.Random(3)
    rows, truth, weights = [], [], []
    for family in FAMILIES:
        numbers = [
            number
            for number, place in enumerate(exchanges.places)
            if place.family == family != left_out and place.talk % 2 != half
        ]
        chosen = sorted(chance.sample(numbers, min(MOST, len(numbers))))
        for number, reply, real in exchanges.lessons(chosen):
            rows.append(features(exchanges.places[number].before, reply))
            truth.append(real)
            weights.append((3.0 if real else 1.0) / np.sqrt(len(chosen)))
    weighed = np.array(weights) / np.mean(weights)
    model = LogisticRegression(C=STRENGTH, solver="newton-cholesky", max_iter=15, tol=1e-3)
    model.fit(np.array(rows), np.array(truth), sample_weight=weighed)
    return Head(model.coef_[0].astype(np.float32), float(model.intercept_[0]))


def measure(exchanges: Exchanges, family: str, left_out: Head, halves: tuple[Head, Head]) -> Measured:
    """What the heads reach on a family; `halves` have not seen the even, and the odd, conversations."""
    told: dict[str, list[float]] = {"left out": [], "seen": [], "cosine": []}
    truth: list[bool] = []
    numbers = [n for n, place in enumerate(exchanges.places) if place.family == family and place.measured]
    for number in numbers:
        place = exchanges.places[number]
        replies = [place.reply, *(exchanges.foreign(number) for _ in range(DRAWS))]
        rows = np.array([features(place.before, reply) for reply in replies if reply])
        told["left out"] += left_out.probability(rows).tolist()
        told["seen"] += halves[place.talk % 2].probability(rows).tolist()
        told["cosine"] += [float(place.before[-1].vector @ reply.vector) for reply in replies if reply]
        truth += [True] + [False] * (len(rows) - 1)
    areas = [float(roc_auc_score(truth, values)) for values in told.values()]
    return Measured(family, len(numbers), *areas)
