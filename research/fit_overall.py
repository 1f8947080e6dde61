"""Fit the overall score to ratings of whole conversations, and report agreement with a set left out each time.

    python -m research.fit_overall          # judges the conversations (minutes), fits, writes service/scoring/overall.toml

Our own rated conversations (`research/corpus/absolute.jsonl`) and people's labels of `../shared/data` give the targets, 0-4.
Weights are 0 or more, and the slope is positive: a better factor never lowers the overall score. Agreement goes to
research/overall.json, which docs/embedded-judge.md shows."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize, nnls

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog
from service.domain.counts import REPEATED, SOUND
from service.domain.rubric import Protocol
from service.domain.verdict import Verdict
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.evaluation import EvaluationRequest, JudgeInput
from service.scoring.overall import (
    COUNTED,
    FACTORS,
    FILE,
    REACTIONS,
    TOP,
    OverallModel,
    scores_of,
)
from service.usecases.wire.log import Log

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
ABSOLUTE = ROOT / "research" / "corpus" / "absolute.jsonl"
REPORT = ROOT / "research" / "overall.json"
CORE = load_factors().of(Protocol.CORE)
#: The factors that the readers of our own conversations rated.
CORE_SLUGS = [
    "coherence",
    "effectiveness",
    "proactiveness",
    "recoverability",
    "explainability",
    "naturalness",
    "grammatical-correctness",
    "appropriateness",
]
SLUGS = ["coherence", SOUND, *REACTIONS]
OWN = "absolute"
"""The set of our own conversations."""
WEIGHTS = {OWN: 2.5}
"""A set's weight in the fit; 1 for the others."""
BEND = 3.8
"""Score above which the line bends: the scores of good conversations would tie at 4."""
FELT = frozenset(REACTIONS) - {REPEATED}
"""Only people's sets fit these: users in our own conversations are invented, and so are their feelings."""


@dataclass(frozen=True, slots=True)
class Row:
    """A rated conversation: its set, the system that spoke, the rating (0-4), and the judge's scores."""

    name: str
    system: str
    rating: float
    scores: dict[str, float]


def rated() -> Iterator[tuple[str, dict[str, Any], float]]:
    """Yield the set, the log and the rating, 0-4, of every conversation."""
    for line in ABSOLUTE.read_text("utf-8").splitlines():
        one = json.loads(line)
        ratings = [one["ratings"][each]["overall"] for each in ("first", "second")]
        yield OWN, one, float(np.mean(ratings))
    for name, read in LABELS.items():
        path = DATA / f"{name}.jsonl"
        for line in path.read_text("utf-8").splitlines() if path.exists() else []:
            one = json.loads(line)
            yield name, one, float(np.mean(read(one["human"])))


LABELS: dict[str, Callable[[Any], Any]] = {
    "crsarena_eval.dev": lambda human: human["dialogue"]["dialogue_overall"],
    "uss_redial.dev": lambda human: np.asarray(human["overall"], float) - 1,
    "uss_sgd.dev": lambda human: np.asarray(human["overall"], float) - 1,
    "uss_ccpe.dev": lambda human: np.asarray(human["overall"], float) - 1,
    "cosrec.dev": lambda human: np.mean([np.mean(value) for value in human["dialogue"].values()]) - 1,
}
JUDGE = EmbeddedJudge()


def read_factors() -> list[Row]:
    """Return the ratings by readers of our own conversations who rated factors beside the whole."""
    lines = map(json.loads, ABSOLUTE.read_text("utf-8").splitlines())
    given = [(one["id"], ratings) for one in lines for ratings in one["ratings"].values() if len(ratings) > 1]
    return [
        Row(
            name,
            "",
            ratings["overall"],
            {slug: ratings[slug] for slug in CORE_SLUGS if ratings[slug] is not None},
        )
        for name, ratings in given
    ]


def fit_factors(rows: Sequence[Row]) -> OverallModel:
    """Fit the model of judges that rate factors, to readers' ratings of factors and of the whole.

    A factor that cannot be rated counts as the mean of the others, as in the model. Four on every factor is four overall."""
    known = [np.array([row.scores.get(slug, np.nan) for slug in CORE_SLUGS]) for row in rows]
    lost = TOP - np.array([np.where(np.isnan(one), np.nanmean(one), one) for one in known])
    found, _ = nnls(lost, TOP - np.array([row.rating for row in rows]))
    slope = round(float(found.sum()), 3)
    shares = zip(CORE_SLUGS, found / found.sum(), strict=True)
    weights = {slug: round(float(share), 3) for slug, share in shares if share > 0.005}
    return OverallModel(weights, slope, round(TOP * (1 - slope), 3))


def agreement_of_factors(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how the model agrees with readers on conversations that it did not see, a tenth left out each time."""
    parts = {row.name: number % 10 for number, row in enumerate(rows[::2])}
    models = [fit_factors([row for row in rows if parts[row.name] != part]) for part in range(10)]
    return agreed([(row, models[parts[row.name]](row.scores)) for row in rows])


def log_of(raw: Mapping[str, Any]) -> ConversationLog:
    """Return the log of a row, other fields left out."""
    return Log.model_validate({key: value for key, value in raw.items() if key in Log.model_fields}).value()


async def verdicts_of(log: ConversationLog) -> list[Verdict]:
    """Return the embedded judge's verdicts on CoRE's factors."""
    evaluation = EvaluationRequest(JudgeInput(log, Catalogue.of_log(log, None)), CORE)
    return [verdict async for verdict in JUDGE.ask(evaluation, Call())]


async def judge() -> list[Row]:
    """Judge every conversation with the embedded judge."""
    rows = []
    for name, raw, rating in rated():
        scores = scores_of(await verdicts_of(log_of(raw)))
        rows.append(Row(name, str(raw.get("system") or ""), rating, scores))
        print(f"\r{len(rows)} judged", end="", file=sys.stderr)
    return rows


def fit(rows: Sequence[Row]) -> OverallModel:
    """Fit weights by non-negative least squares, scores and ratings centred in each set: sets use the scale differently.

    Reactions weigh less than half, so that a conversation without any still has a score. The line from the weighted mean to ratings has the least mean absolute error on our own conversations, whose raters used the whole scale."""
    parts = [
        _centred([row for row in rows if row.name == name]) for name in sorted({row.name for row in rows})
    ]
    found, _ = nnls(
        np.vstack([scores for scores, _ in parts]), np.concatenate([ratings for _, ratings in parts])
    )
    pairs = zip(SLUGS, found, strict=True)
    weights = {slug: float(weight) for slug, weight in pairs if weight > 0.005}
    felt = sum(weights[slug] for slug in REACTIONS if slug in weights)
    share = min(1.0, 0.98 * (sum(weights.values()) - felt) / felt) if felt else 1.0
    chosen = {
        slug: round(weight * (share if slug in REACTIONS else 1.0), 3) for slug, weight in weights.items()
    }
    own = [row for row in rows if row.name == OWN] or rows

    def error(line: np.ndarray) -> float:
        model = OverallModel(chosen, float(line[0]), float(line[1]), BEND)
        known = ((model(row.scores), row.rating) for row in own)
        return float(np.mean([abs(score - rating) for score, rating in known if score is not None]))

    slope, intercept = minimize(error, [1.0, 0.0], method="Nelder-Mead").x
    return OverallModel(chosen, round(float(slope), 3), round(float(intercept), 3), BEND)


def _centred(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return lost points and lost rating of a set about their means, weighed; a missing score is the mean."""
    lost = TOP - np.array([[row.scores.get(slug, np.nan) for slug in SLUGS] for row in rows])
    lost = lost - np.nanmean(lost, axis=0)
    if rows[0].name == OWN:
        lost[:, [at for at, slug in enumerate(SLUGS) if slug in FELT]] = 0
    ratings = np.array([row.rating for row in rows])
    scale = np.sqrt(WEIGHTS.get(rows[0].name, 1.0) / len(rows)) / ratings.std()
    return np.nan_to_num(lost) * scale, (ratings.mean() - ratings) * scale


def agreement(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return by set how the overall score of a model that did not see the set agrees with its ratings."""
    found: dict[str, dict[str, Any]] = {}
    for name in sorted({row.name for row in rows}):
        model = fit([row for row in rows if row.name != name])
        test = [(row, model(row.scores)) for row in rows if row.name == name]
        found[name] = agreed(test)
        halves = {row.system.rpartition("_")[2] for row, _ in test if name.startswith("crsarena")}
        for half in sorted(halves):
            found[f"{name} {half}"] = agreed([one for one in test if one[0].system.endswith(half)])
    return found


def agreed(test: Sequence[tuple[Row, float | None]]) -> dict[str, Any]:
    """Return how scores agree with ratings: Pearson's r, also with each system's mean taken off, and the mean absolute error."""
    known = [(row.rating, score, row.system) for row, score in test if score is not None]
    ratings, scores = (np.array([one[at] for one in known], float) for at in (0, 1))
    systems = np.array([one[2] for one in known])
    within = [values.copy() for values in (ratings, scores)]
    for system in set(systems):
        for values in within:
            values[systems == system] -= values[systems == system].mean()
    return {
        "n": len(known),
        "r": round(float(np.corrcoef(ratings, scores)[0, 1]), 3),
        "within_systems": round(float(np.corrcoef(within[0], within[1])[0, 1]), 3),
        "error": round(float(np.abs(ratings - scores).mean()), 3),
    }


def main() -> None:
    """Judge, report, and write the model that all ratings give."""
    rows = [row for row in asyncio.run(judge()) if row.scores]
    readers = read_factors()
    found = {**agreement(rows), "factors": agreement_of_factors(readers)}
    for name, figures in found.items():
        print(f"{name:28}", figures)
    REPORT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    lines = ["# Written by research/fit_overall.py."]
    for name, model in ((COUNTED, fit(rows)), (FACTORS, fit_factors(readers))):
        weights = [f"{slug} = {weight}" for slug, weight in model.weights.items()]
        line = [f"{name} = {getattr(model, name)}" for name in ("slope", "intercept", "bend")]
        lines += ["", f"[{name}]", *line, "", f"[{name}.weights]", *weights]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(FILE.read_text())


if __name__ == "__main__":
    main()
