"""Calibration of a detector's log odds to a stated prior, and the thresholds from which a fault is reported."""

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
#: The probability from which a fault is reported; one that is missing here is never reported. Chosen with replies that are held out
#: (`README.md`, rounds 9 to 18): at most one good conversation in ten, written or real, shows a report.
REPORTED = {
    "off-topic": 0.85, "ignores-question": 0.55, "wrong-kind": 0.65, "wrong-addressee": 0.31,
    "contradicts-itself": 0.65, "contradicts-user": 0.5, "asks-known": 0.8, "unintelligible": 0.85,
    "wrong-language": 0.14, "breaks-constraint": 0.31, "ignores-exclusion": 0.45, "repeats-refused": 0.4,
    "never-delivers": 0.9, "abandons": 0.65, "declines": 0.27, "not-corrected": 0.14,
    "denies-error": 0.2, "passive": 0.8, "interrogates": 0.85, "no-reason": 0.17,
    "generic-reason": 0.85, "invented-fact": 0.23, "broken-grammar": 0.35, "template-leak": 0.8,
    "loops": 0.85, "stilted": 0.45, "rude": 0.31, "pushy": 0.12,
    "unsafe": 0.31,
}  # fmt: skip
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
COSTS = np.array([CATALOGUE[slug].costs[CATALOGUE[slug].home] for slug in FAULTS])
HOMES = [CATALOGUE[slug].home for slug in FAULTS]
FAMILIES = [[n for n, home in enumerate(HOMES) if home == one] for one in dict.fromkeys(HOMES)]


def contested(odds: Rows) -> Rows:
    """Return the log odds as the service pools them before it calibrates."""
    return pooled(odds, FAMILIES)
