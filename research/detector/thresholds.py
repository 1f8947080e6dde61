"""Calibration of a detector's log odds to a stated prior, and the thresholds from which a fault is reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from service.encoder.detector import contested as pooled
from service.faults import load_faults

from .trees import FAULTS, GOOD

Rows = NDArray[Any]
#: The share of replies that have a given fault.
PRIOR = 0.02
#: The share of good conversations that may show any fault, under the 10 % that are to hold on those not seen, and the precision that each reported fault needs.
BUDGET, LEAST_PRECISION = 0.04, 0.7
#: The lowest threshold: nobody believes a report with a probability of a few per cent, however seldom it is wrong.
LEAST_CHANCE = 0.1
#: The highest thresholds of faults that people miss first when they are not named, beyond the budget. Each brings a report in one more
#: good conversation in a hundred, written or real, at most.
HIGHEST = {
    "ignores-question": 0.6, "contradicts-user": 0.7, "contradicts-itself": 0.65, "wrong-kind": 0.7, "asks-known": 0.8,
}  # fmt: skip
#: Points of 4 that a fault costs on its home factor: the starting values of the list of faults.
COSTS = np.array([
    3, 2.5, 3, 3.5, 2, 3, 2, 3, 3, 3, 3, 2.5, 3, 3, 3, 4, 4, 3, 2.5, 3, 2, 2.5, 1, 3, 3, 2, 3.5, 2.5, 4,
])  # fmt: skip
#: Pseudo-observations that hold the slope at 1 and a fault's intercept at the shared one.
_HELD_SLOPE, _HELD = 0.1, 1.0
_SIZE = 600.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """One slope, and an intercept for each fault, over its contested log odds."""

    slope: float
    intercepts: Rows

    def chances(self, odds: Rows) -> Rows:
        """Return probabilities (replies, faults) at the stated prior, from log odds against a good reply."""
        found: Rows = 1 / (1 + np.exp(-(self.slope * contested(odds) + self.intercepts)))
        return found


def calibrated(odds: Rows, labels: Rows) -> Calibration:
    """Fit a logistic calibration by Newton's method.

    For each fault, replies that have it weigh as the prior and good replies as the rest; replies with each other fault weigh
    as the prior, too. Intercepts are shrunk to a shared one."""
    count, odds = len(FAULTS), contested(odds)
    slope, shared, own = 1.0, 0.0, np.zeros(count)
    good, sizes = labels == GOOD, np.bincount(labels, minlength=count + 1).clip(1)
    for _ in range(100):
        gradient, curve = np.zeros(2 + count), np.zeros((2 + count, 2 + count))
        for fault in range(count):
            has = labels == fault + 1
            weight = np.where(good, (1 - PRIOR) / good.sum(), PRIOR / sizes[labels])
            z = odds[:, fault]
            chance = 1 / (1 + np.exp(-(slope * z + shared + own[fault])))
            at, x = [0, 1, 2 + fault], np.stack([z, np.ones_like(z), np.ones_like(z)])
            gradient[at] += _SIZE * (x @ (weight * (chance - has)))
            curve[np.ix_(at, at)] += _SIZE * ((x * weight * chance * (1 - chance)) @ x.T)
        gradient[0] += _HELD_SLOPE * (slope - 1)
        gradient[2:] += _HELD * own
        curve[np.diag_indices(2 + count)] += [_HELD_SLOPE, 1e-6, *[_HELD] * count]
        move = np.linalg.solve(curve, gradient)
        move *= min(1.0, 2.0 / np.abs(move).max())
        slope, shared, own = slope - move[0], shared - move[1], own - move[2:]
        if np.abs(move).max() < 1e-7:
            break
    return Calibration(float(slope), shared + own)


def faulty(odds: Rows) -> Rows:
    """Return log odds of any fault against none: the sum over all faults."""
    most = odds.max(-1, keepdims=True)
    found: Rows = most[..., 0] + np.log(np.exp(odds - most).sum(-1))
    return found


def even(values: Rows, has: Rows) -> tuple[float, float]:
    """Fit slope and intercept of a logistic calibration at even odds."""
    model = LogisticRegression(C=np.inf, class_weight="balanced", tol=1e-9).fit(values[:, None], has)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


CATALOGUE = load_faults()
HOMES = [CATALOGUE[slug].home for slug in FAULTS]
FAMILIES = [[n for n, home in enumerate(HOMES) if home == one] for one in dict.fromkeys(HOMES)]


def contested(odds: Rows) -> Rows:
    """Return the log odds as the service pools them before it calibrates."""
    return pooled(odds, FAMILIES)


def precision(recall: float, alarms: float) -> float:
    """Return the share of reports that are right at the stated prior, where `alarms` is the share of good replies reported."""
    return PRIOR * recall / max(PRIOR * recall + (1 - PRIOR) * alarms, 1e-12)


def bounded(limits: Rows) -> Rows:
    """Return thresholds between the lowest and the highest."""
    return np.clip(limits, LEAST_CHANCE, [HIGHEST.get(slug, np.inf) for slug in FAULTS])


def thresholds(
    chances: Rows, labels: Rows, good: Mapping[str, Sequence[Rows]], within: Sequence[int] | None = None
) -> Rows:
    """Return a threshold for each fault, above 1 where none is affordable.

    Args:
        chances: Probabilities (replies, faults) of planted and good replies.
        labels: Their classes.
        good: Sets of good conversations; each conversation has probabilities (replies, faults).
        within: The faults that may be reported; all unless given.

    Thresholds fall step by step. Each step is the one that gains most recall, weighed by cost, for its false alarms. No set
    gets more alarmed conversations than the budget, and no fault a precision under the least one."""
    own = [np.sort(chances[labels == fault + 1, fault])[::-1] for fault in range(len(FAULTS))]
    peaks = {name: np.array([rows.max(0) for rows in talks]) for name, talks in good.items() if talks}
    every = np.concatenate([chances[labels == GOOD], *(rows for talks in good.values() for rows in talks)])
    alarmed = {name: np.zeros(len(rows), bool) for name, rows in peaks.items()}
    found, reached = np.full(len(FAULTS), 1.01), np.zeros(len(FAULTS), int)
    while True:
        best: tuple[float, int, int] | None = None
        for fault in within if within is not None else range(len(FAULTS)):
            for step in range(reached[fault] + 1, len(own[fault]) + 1):
                limit, recall = own[fault][step - 1], step / len(own[fault])
                price = _price(limit, fault, peaks, alarmed)
                if price is None:
                    break
                gain = COSTS[fault] * (step - reached[fault]) / len(own[fault]) / (price + 0.02)
                alarms = float((every[:, fault] >= limit).mean())
                sure = precision(recall, alarms) >= LEAST_PRECISION
                if sure and (best is None or gain > best[0]):
                    best = gain, fault, step
        if best is None:
            return np.where(found <= 1, bounded(found), found)
        _, fault, step = best
        found[fault], reached[fault] = own[fault][step - 1], step
        for name, rows in peaks.items():
            alarmed[name] |= rows[:, fault] >= found[fault]


def _price(
    threshold: float, fault: int, good: Mapping[str, Rows], alarmed: Mapping[str, Rows]
) -> float | None:
    """Return the share of what is left of the budgets that a threshold uses up, or None where it is over one."""
    total = 0.0
    for name, rows in good.items():
        before, after = alarmed[name].mean(), (alarmed[name] | (rows[:, fault] >= threshold)).mean()
        if after > BUDGET:
            return None
        total += (after - before) / max(BUDGET - before, 1e-3)
    return total
