"""One score for a whole log, 0-4: a weighted mean of CoRE's factors and of users' reactions, mapped to the ratings of whole conversations.

`research/fit_overall.py` fits the few numbers of `overall.toml`. The score never falls when a factor's score rises."""

import hashlib
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..domain.counts import ACCEPTED, CONTENT, KEPT, OBJECTED, REJECTED, REPEATED, SOUND
from ..domain.verdict import Scored, Verdict

FILE = Path(__file__).parent / "overall.toml"
TOP = 4.0
GOOD = frozenset({SOUND, KEPT, ACCEPTED, CONTENT})
REACTIONS = (ACCEPTED, REJECTED, OBJECTED, CONTENT, REPEATED)
SOUND_ENOUGH, BEYOND = 0.6, 0.1
"""Share of sound replies above which a difference counts a tenth: there it says more about the detector than about replies."""
LEAST = 1.0
"""The lowest overall score where no fault is reported: a worse one would have no reason to show."""
COUNTED, FACTORS = "counted", "factors"
"""Names of the models: with the embedded judge's counts, and of factors alone."""
ENOUGH = 0.5
"""Share of the weights that assessed factors must have."""


@dataclass(frozen=True, slots=True)
class OverallModel:
    """Weights by factor (0 or more), and the line from their weighted mean to an overall score. The points that replies keep
    after their reported faults bound it; where they keep all, it is at least `LEAST`."""

    weights: Mapping[str, float]
    slope: float
    intercept: float
    bend: float = TOP
    """Score above which the line bends towards 4 without reaching it: of two good conversations the better one scores higher."""

    def mean(self, scores: Mapping[str, float]) -> float:
        """Return the weighted mean, 0-4, of those scores that have a weight; 0 where none has."""
        known = {slug: weight for slug, weight in self.weights.items() if slug in scores}
        return sum(weight * scores[slug] for slug, weight in known.items()) / (sum(known.values()) or 1.0)

    def limits(self, scores: Mapping[str, float]) -> tuple[float, float]:
        """Return the lowest and the highest overall score that the reported faults allow."""
        most = scores.get(KEPT, TOP)
        return LEAST if scores.get(KEPT) == TOP else 0.0, most

    def __call__(self, scores: Mapping[str, float]) -> float | None:
        """Return the overall score, 0-4, of scores by factor slug; None where too few weighted factors have one."""
        total = sum(weight for slug, weight in self.weights.items() if slug in scores)
        if total < ENOUGH * sum(self.weights.values()) or not total:
            return None
        least, most = self.limits(scores)
        return min(most, max(least, self.on_line(scores)))

    def on_line(self, scores: Mapping[str, float]) -> float:
        """Return the weighted mean put on the line, before the limits hold."""
        score, room = self.intercept + self.slope * self.mean(scores), TOP - self.bend
        return TOP - room * math.exp((self.bend - score) / room) if score > self.bend < TOP else score


def scores_of(verdicts: Iterable[Verdict]) -> dict[str, float]:
    """Return what the models read of verdicts, 0-4, higher for better: scores by factor, and the embedded judge's counts."""
    scored = [one for one in verdicts if isinstance(one, Scored)]
    counts = {name: value for one in scored for name, value in (one.counts or {}).items()}
    return scores_with({one.factor: one.score for one in scored}, counts)


def scores_with(factors: Mapping[str, float], counts: Mapping[str, float]) -> dict[str, float]:
    """Return the factors' scores and the counted shares, 0-4, higher for better. Shares are of sound replies, of points kept
    after faults, and of users' reactions."""
    shares = {name: counts[name] for name in (SOUND, KEPT, *REACTIONS) if name in counts}
    if (over := shares.get(SOUND, 0.0) - SOUND_ENOUGH) > 0:
        shares[SOUND] = SOUND_ENOUGH + BEYOND * over
    better = {name: TOP * (share if name in GOOD else 1 - share) for name, share in shares.items()}
    return {**factors, **better}


def overall_of(verdicts: Iterable[Verdict]) -> float | None:
    """Return the overall score, 0-4, that verdicts on CoRE's factors give; None where too few weighted factors have a score."""
    scores = scores_of(verdicts)
    return model_for(scores)(scores)


def model_for(scores: Mapping[str, float]) -> OverallModel:
    """Return the model that reads counts where the embedded judge counted, else that of the factors alone."""
    return overall_models()[COUNTED if SOUND in scores else FACTORS]


@cache
def overall_models() -> Mapping[str, OverallModel]:
    """Return the fitted models by name."""
    stored = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: OverallModel(**one) for name, one in stored.items()}


@cache
def overall_revision() -> str:
    """12 hex of SHA-256 over the fitted numbers."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:12]
