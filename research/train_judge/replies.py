"""The learned weighings of replies: from people's marks for single replies to weights of signals.

Ridge regression whose weights may not be negative. Each system's own mean is taken off signals and marks, so that
nothing is learned of who talks. `relevance` learns from people's marks for a reply's relevance. Where people recommend to people,
it also learns, for a small part, from how content the next message of a user sounds to annotators; `interest` from marks for a
reply's interestingness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from service.judges.embedded.rules.replies import FULL, NAMES

SMOOTHING = 200.0
#: The sum's spread over the marked replies, in points, and what a reply of no particular signals keeps.
SPREAD = {"relevance": 1.8, "interest": 1.0}
LEVEL = {"relevance": 2.2, "interest": FULL / 2}
#: Top of the scale of the marks that are learned from.
TOP = {"relevance": 3.0, "interest": 2.0}
#: The weight of a reply to a user whose satisfaction was rated beside one of a system that was marked itself, by what it is
#: part of. Task dialogues and interviews are not learned from here: they cost more on films than they bring there.
COUNTS = {"human": 0.15}


@dataclass(frozen=True)
class Marked:
    """A reply's signals and its mark (0-1), by which system of which family, and what it counts."""

    signals: Mapping[str, float]
    mark: float
    system: str
    family: str
    counts: float = 1.0


def fit(replies: Sequence[Marked], kind: str, names: Sequence[str] = NAMES) -> dict[str, Any]:
    """Level, and mean, spread and weight by signal, as they are stored."""
    counts = np.array([reply.counts for reply in replies])
    rows = np.array([[reply.signals[name] for name in names] for reply in replies])
    own = counts == counts.max()
    mean, spread = rows[own].mean(0), rows[own].std(0)
    spread[spread == 0] = 1
    marks = np.array([[reply.mark] for reply in replies])
    inputs, targets = _centred((rows - mean) / spread, replies), _centred(marks, replies)[:, 0]
    kinds = np.array([reply.system if reply.system in COUNTS else "" for reply in replies])
    for kind_of in {*kinds.tolist()}:
        targets[kinds == kind_of] /= targets[kinds == kind_of].std() or 1.0
    weight = (
        Ridge(SMOOTHING, positive=True, fit_intercept=False).fit(inputs, targets, sample_weight=counts).coef_
    )
    scale = SPREAD[kind] / float(np.std(((rows - mean) / spread @ weight)[own]))
    return {
        "level": LEVEL[kind],
        "mean": _plain(names, mean),
        "spread": _plain(names, spread),
        "weight": {name: value for name, value in _plain(names, weight * scale).items() if value > 0},
    }


def _centred(rows: Any, replies: Sequence[Marked]) -> Any:
    found = rows.copy()
    for system in {reply.system for reply in replies}:
        chosen = np.array([reply.system == system for reply in replies])
        found[chosen] -= found[chosen].mean(0)
    return found


def _plain(names: Sequence[str], values: Any) -> dict[str, float]:
    return {name: round(float(value), 5) for name, value in zip(names, values, strict=True)}
