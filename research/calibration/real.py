"""Real conversations with people's labels: what calibration does to the embedded judge's scores of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from service.app import create_app
from service.calibration.estimates.means import calibrated_mean, plain_mean
from service.calibration.estimates.sample import Ends, Floats, Sample, Target
from service.calibration.maps.curves import Labelled
from service.calibration.maps.intervals import fit_map, held_coverage
from service.settings import Settings

TRIALS = 4000
_OF_SYSTEM = 15


@dataclass(frozen=True)
class Labels:
    """Conversations with people's label and the embedded judge's debate score, both on people's scale."""

    name: str
    ends: Ends
    people: Floats
    judge: Floats
    system: Sequence[str]


@dataclass(frozen=True)
class Resampled:
    """Many labelled samples of as many conversations as there are, drawn from them: means of the judge, of people and of the
    calibrated estimate, correlation, coverage, widths, and the worth of a label, found and expected."""

    data: str
    part: str
    judged: int
    labels: int
    judge_mean: float
    people_mean: float
    calibrated_mean: float
    correlation: float
    coverage: float
    plain_coverage: float
    ratio: float
    worth: float
    expected: float


@dataclass(frozen=True)
class RealMap:
    """A map from all labels of a set: its form, errors before and after, and coverage of single verdicts."""

    data: str
    labels: int
    form: str
    before: float
    after: float
    coverage: float


def read(folder: Path) -> Iterator[Labels]:
    """Judge the three sets with the embedded judge."""
    with TestClient(create_app(Settings(workers=0, log_format="json"))) as client:
        for file, name, ends in (
            ("crsarena_eval.dev.jsonl", "CRSArena-Eval, overall", Ends(0, 4)),
            ("uss_sgd.dev.jsonl", "USS-SGD, overall", Ends(1, 5)),
            ("cosrec.dev.jsonl", "CoSRec, mean of four aspects", Ends(1, 5)),
        ):
            logs = [json.loads(line) for line in (folder / file).read_text().splitlines()]
            known = [(log, _label(log["human"])) for log in logs]
            scores = [_debated(client, log) for log, _ in known]
            kept = [
                (log, label, score)
                for (log, label), score in zip(known, scores, strict=True)
                if score is not None
            ]
            people = np.array([label for _, label, _ in kept])
            judge = ends.low + np.array([score for _, _, score in kept]) / 100 * ends.span
            yield Labels(name, ends, people, judge, [str(log.get("system")) for log, _, _ in kept])


def _label(human: Mapping[str, Any]) -> float:
    if "overall" in human:
        return float(np.mean(human["overall"]))
    dialogue = human["dialogue"]
    if "dialogue_overall" in dialogue:
        return float(dialogue["dialogue_overall"])
    return float(
        np.mean(
            [np.mean(dialogue[name]) for name in ("fluency", "informativeness", "logicality", "coherence")]
        )
    )


def _debated(client: TestClient, log: Mapping[str, Any]) -> float | None:
    sent = {name: value for name, value in log.items() if name != "human"}
    answer = client.post("/debate", json={"log": sent})
    return float(answer.json()["overall"]) if answer.status_code == 200 else None


def resampled(data: Labels, labels: int = 60, trials: int = TRIALS) -> Iterator[Resampled]:
    """All conversations together, then each system of which there are enough."""
    generator = np.random.default_rng(244)
    yield _resampled(data, "all", np.arange(len(data.people)), labels, generator, trials=trials)
    systems = sorted(set(data.system))
    for system in systems if len(systems) > 1 else []:
        here = np.flatnonzero(np.array(data.system) == system)
        if len(here) > _OF_SYSTEM:
            yield _resampled(data, system, here, _OF_SYSTEM, generator, trials=trials)


def _resampled(
    data: Labels, part: str, here: np.ndarray, labels: int, generator: np.random.Generator, *, trials: int
) -> Resampled:
    people, judge = data.people[here], data.judge[here]
    size = len(here)
    at = generator.integers(0, size, (trials, size))
    sample = Sample.of(people[at[:, :labels]], judge[at[:, :labels]], judge[at[:, labels:]])
    found, plain = (estimate(sample, data.ends, Target.FUTURE) for estimate in (calibrated_mean, plain_mean))
    truth = float(people.mean())
    r = float(np.corrcoef(people, judge)[0, 1])
    widths = [float((one.high - one.low).mean()) for one in (found, plain)]
    covered = [float(((one.low <= truth) & (truth <= one.high)).mean()) for one in (found, plain)]
    return Resampled(
        data.name,
        part,
        size,
        labels,
        float(judge.mean()),
        truth,
        float(found.spread.mean.mean()),
        r,
        covered[0],
        covered[1],
        widths[0] / widths[1],
        float(plain.spread.mean.var() / found.spread.mean.var()),
        1 / (1 - r**2 * (size - labels) / size),
    )


def real_map(data: Labels) -> RealMap:
    """The map from all labels."""
    labelled = Labelled(data.judge, data.people, np.ones(len(data.people)), np.arange(len(data.people)))
    made = fit_map(labelled, data.ends)
    assert made.error is not None
    assert made.error_before is not None
    coverage = held_coverage(labelled, data.ends)
    assert coverage is not None
    return RealMap(data.name, len(data.people), made.form.value, made.error_before, made.error, coverage)
