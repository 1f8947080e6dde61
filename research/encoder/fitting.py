"""Learn the head of belonging, and measure it on families that it has not seen.

The head is a ridge regression on "real or exchanged". Sums of products are kept by family and half, so that a head
without a family or half costs one solution. A logistic curve turns what it gives into a probability."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from service.encoder.belonging import Common, Head, common, evidence, shipped, turns, unit
from service.encoder.encoder import meaning
from service.judges.embedded.verdicts.dialogue import DOUBTFUL

from .conversations import FAMILIES, Talk, conversations
from .exchanges import Exchanges

#: Places of one family that are learned from and measured on, simulated ones, and exchanged replies for each place: from
#: any turn, and from the same turn.
MOST, SIMULATED, FOREIGN, SAME_TURN = 2500, 700, 2, 1
#: The restraint of the weights, and what a real reply counts beside an exchanged one.
RESTRAINT, REAL = 0.05, 3.0
#: Directions that all talk shares, and texts that are read together.
SHARED, AT_ONCE = 4, 64
#: Every so many places are also learned from as if the user's next turn were not known.
UNHEARD = 3
#: A family and the half of its conversations.
Part = tuple[str, int]


@dataclass(frozen=True)
class Measured:
    """Real replies of a family against exchanged ones, as areas under the curve: by a head that has not seen the family, and by
    the same without the user's next turn. Beside them: by a head that has seen the family in other conversations, and by the
    plain cosine of request and reply. And of the real replies and of the exchanged ones, the share that the embedded judge would
    doubt by the first head."""

    family: str
    replies: int
    family_left_out: float
    without_next: float
    others_seen: float
    cosine: float
    doubted: float
    doubted_exchanged: float


@dataclass(frozen=True)
class Trial:
    """One reply at one place: real or not, and which of the measures it counts in."""

    part: Part
    real: bool
    heard: bool
    measured: bool
    cosine: float


class Trials:
    """All rows that are learned from and measured on, with the sums that heads are solved from."""

    def __init__(self, exchanges: Exchanges) -> None:
        found = list(_trials(exchanges))
        self.trials = [trial for trial, _ in found]
        self.rows = np.array([row for _, row in found])
        self.real = np.array([trial.real for trial in self.trials])
        self._sums = {part: self._sum(part) for part in {trial.part for trial in self.trials}}

    def _sum(self, part: Part) -> tuple[Any, Any, Any, float, float]:
        chosen = self.of({part})
        rows, real = self.rows[chosen].astype(np.float64), self.real[chosen]
        weights = np.where(real, REAL, 1.0) / np.sqrt(max(1, real.sum()))
        weighed = rows * weights[:, None]
        return weighed.T @ rows, weighed.sum(0), weighed.T @ real, weights.sum(), float(weights @ real)

    def of(self, parts: Collection[Part]) -> NDArray[np.bool_]:
        """Return which rows are of those parts."""
        return np.array([trial.part in parts for trial in self.trials])

    def fit(self, left_out: str | None = None, half: int | None = None) -> Head:
        """Return the head that all families teach but the one left out, and all conversations but those of one half."""
        parts = {part for part in self._sums if part[0] != left_out and part[1] != half}
        sums = [self._sums[part] for part in sorted(parts)]
        products, rows, told, weight, real = (sum(each[place] for each in sums) for place in range(5))
        centred = (products - np.outer(rows, rows) / weight) / weight
        wanted = (told - rows * real / weight) / weight
        direction = np.linalg.solve(centred + RESTRAINT * np.eye(len(centred)), wanted)
        return self._curved(direction, self.of(parts))

    def _curved(self, direction: Any, chosen: NDArray[np.bool_]) -> Head:
        """The head whose logistic function is a probability at even odds of real and exchanged."""
        told = self.rows[chosen] @ direction
        curve = LogisticRegression(C=1e6, class_weight="balanced").fit(told[:, None], self.real[chosen])
        slope = float(curve.coef_[0, 0])
        return Head((slope * direction).astype(np.float32), float(curve.intercept_[0]))

    def measure(self, family: str, others: "Trials") -> Measured:
        """Return what heads reach on a family. `others` holds the same trials, read by what the other families' texts share."""
        known = np.array([trial.part[0] == family and trial.measured for trial in self.trials])
        heard = np.array([trial.heard for trial in self.trials])
        left_out = others.fit(family).probability(others.rows)
        halves = [self.rows @ self.fit(half=half).weight for half in (0, 1)]
        seen = np.array([halves[trial.part[1]][row] for row, trial in enumerate(self.trials)])
        cosine = np.array([trial.cosine for trial in self.trials])

        def area(told: Any, chosen: Any) -> float:
            return float(roc_auc_score(self.real[chosen], told[chosen]))

        tried = known & heard
        return Measured(
            family,
            int((tried & self.real).sum()),
            area(left_out, tried),
            area(left_out, known & ~heard),
            area(seen, tried),
            area(cosine, tried),
            float((left_out[tried & self.real] < DOUBTFUL).mean()),
            float((left_out[tried & ~self.real] < DOUBTFUL).mean()),
        )


def _trials(exchanges: Exchanges) -> Iterator[tuple[Trial, NDArray[np.float32]]]:
    for number in _chosen(exchanges):
        place = exchanges.places[number]
        foreign = [exchanges.foreign(number) for _ in range(FOREIGN)]
        alike = [exchanges.same_turn(number) for _ in range(SAME_TURN)]
        for at, reply in enumerate((place.reply, *foreign, *alike)):
            if reply is None:
                continue
            cosine = float(place.before[-1].vector @ reply.vector)
            again = place.after is not None and number % UNHEARD == 0
            for after in (place.after, None) if again else (place.after,):
                part = place.family, place.talk % 2
                measured = place.measured and at <= FOREIGN
                trial = Trial(part, at == 0, after is place.after, measured, cosine)
                yield trial, evidence(place.before, reply, after)


def _chosen(exchanges: Exchanges) -> Iterator[int]:
    chance = random.Random(3)
    for family in FAMILIES:
        for measured, most in ((True, MOST), (False, SIMULATED)):
            numbers = [
                number
                for number, place in enumerate(exchanges.places)
                if place.family == family and place.measured is measured
            ]
            yield from sorted(chance.sample(numbers, min(most, len(numbers))))


class Reading:
    """Conversations whose texts are read once by the shipped encoder: a row of length 1 a text, and its rarer pieces."""

    def __init__(self, talks: Sequence[Talk]) -> None:
        self.talks = talks
        self._families: dict[str, set[str]] = defaultdict(set)
        for talk in talks:
            for _, part in groupby(talk.spoken, key=lambda each: each[0]):
                self._families[" ".join(text.strip() for _, text in part)].add(talk.family)
        reader, texts = meaning(), list(self._families)
        self._vectors = np.vstack(
            [unit(reader.encode(texts[at : at + AT_ONCE])) for at in range(0, len(texts), AT_ONCE)]
        )
        self._pieces = [reader.pieces(text) for text in texts]
        self._rows = {text: row for row, text in enumerate(texts)}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row a text."""
        return self._vectors[[self._rows[text] for text in texts]]

    def vectors(self) -> dict[str, NDArray[np.float32]]:
        """Return the row of every text."""
        return {text: self._vectors[row] for text, row in self._rows.items()}

    def pieces(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        return self._pieces[self._rows[text]]

    def common(self, left_out: str | None = None) -> Common:
        """Return what the texts share, every family weighing the same, without those of the family left out."""
        groups = [
            self._vectors[[family in of and left_out not in of for of in self._families.values()]]
            for family in sorted({talk.family for talk in self.talks} - {left_out})
        ]
        centre = np.mean([group.mean(axis=0) for group in groups], axis=0)
        spread = np.mean([(group - centre).T @ (group - centre) / len(group) for group in groups], axis=0)
        return Common(centre, np.linalg.eigh(spread.astype(np.float64))[1][:, -SHARED:].astype(np.float32))

    def exchanges(self, shared: Common) -> Exchanges:
        """Return the conversations as exchanges."""
        return Exchanges(self.talks, [turns(talk.spoken, self, shared) for talk in self.talks])  # type: ignore[arg-type]


def shipped_area(talks: Sequence[Talk], most: int = MOST) -> tuple[int, float | None]:
    """Return the number of real replies, and the area under the curve of the head that ships; None where no reply can be
    exchanged."""
    exchanges = Reading(talks).exchanges(common())
    numbers = range(len(exchanges.places))
    rows, real = [], []
    for number in sorted(random.Random(3).sample(numbers, min(most, len(numbers)))):
        place = exchanges.places[number]
        foreign = [reply for _ in range(FOREIGN) if (reply := exchanges.foreign(number))]
        for reply in (place.reply, *foreign):
            rows.append(evidence(place.before, reply, place.after))
            real.append(reply is place.reply)
    if len(set(real)) < 2:
        return sum(real), None
    return sum(real), float(roc_auc_score(real, shipped().probability(np.array(rows))))


def read(folder: Path) -> Reading:
    """Return all conversations of a folder, read by the shipped encoder."""
    return Reading(list(conversations(folder)))
