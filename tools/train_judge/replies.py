"""The learned part of proactiveness' turns: from people's marks for single replies to weights of signals.

Ridge regression whose weights may not be negative, on people's `interestingness` of every reply. Each
system's own mean is taken off signals and marks, so that nothing is learned of who talks. Held out: a whole
family of systems at a time."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from service.judges.builtin.signals import NAMES

LABEL = "interestingness"
SMOOTHING = 30.0
#: The sum's spread over the marked replies, in points.
SPREAD = 1.0


@dataclass(frozen=True)
class Marked:
    """A reply's signals and its mark, by which system of which family."""

    signals: Mapping[str, float]
    mark: float
    system: str
    family: str


def fit(replies: Sequence[Marked], names: Sequence[str] = NAMES) -> dict[str, dict[str, float]]:
    """Mean, spread and weight by signal, as they are stored."""
    rows = np.array([[reply.signals[name] for name in names] for reply in replies])
    mean, spread = rows.mean(0), rows.std(0)
    spread[spread == 0] = 1
    inputs = _centred((rows - mean) / spread, replies)
    marks = _centred(np.array([[reply.mark] for reply in replies]), replies)[:, 0]
    weight = Ridge(SMOOTHING, positive=True, fit_intercept=False).fit(inputs, marks).coef_
    scale = SPREAD / float(np.std((rows - mean) / spread @ weight))
    return {
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


def held_out(replies: Sequence[Marked], names: Sequence[str] = NAMES) -> list[float]:
    """Each reply's sum by a model that saw no reply of its family."""
    found = [0.0] * len(replies)
    for family in {reply.family for reply in replies}:
        stored = fit([reply for reply in replies if reply.family != family], names)
        for index, reply in enumerate(replies):
            if reply.family == family:
                found[index] = sum(
                    weight * (reply.signals[name] - stored["mean"][name]) / stored["spread"][name]
                    for name, weight in stored["weight"].items()
                )
    return found


def agreement(replies: Sequence[Marked], sums: Sequence[float]) -> dict[str, float]:
    """Pearson by half and family, and within systems."""
    parts = {half: [half in reply.system for reply in replies] for half in ("redial", "opendialkg")}
    parts |= {
        family: [reply.family == family for reply in replies]
        for family in sorted({r.family for r in replies})
    }
    found = {}
    for name, chosen in parts.items():
        pairs = [
            (reply.mark, value) for reply, value, keep in zip(replies, sums, chosen, strict=True) if keep
        ]
        found[name] = statistics.correlation(*zip(*pairs, strict=True))
    both = _centred(
        np.array([[reply.mark, value] for reply, value in zip(replies, sums, strict=True)]), replies
    )
    found["within system"] = float(np.corrcoef(both.T)[0, 1])
    return found
