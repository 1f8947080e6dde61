"""The gate on people's scale: what a worse system shows, and a judge that is partial."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import typer

from service.calibration.estimates.sample import Floats
from service.cli.calibration.calibration_file import CalibrationFile, KeptLabel, Wishes
from service.cli.calibration.command import calibrate as calibrate_files
from service.cli.configuration import GateSettings
from service.cli.exits import CommandError, Exit
from service.cli.gate.command import gate
from service.cli.gate.judgement import judge
from service.cli.gate.people_scale import people_differences
from service.cli.gate.results import RuleState
from service.cli.records import write_records
from service.cli.scores import Run
from tests.unit.cli import making

ALPHA = 0.025
NAMES = [f"c{number}" for number in range(200)]


def run(name: str, scores: Floats) -> Run:
    made = making.run(name, {c: {"coherence": float(s)} for c, s in zip(NAMES, scores, strict=True)})
    records = [replace(one, digest=f"{name}-{one.conversation}") for one in made.records]
    return Run(name, records)


@dataclass
class Study:
    """Situations put to two systems. The judge flatters one run by `flattery`; people would rate the candidate lower by
    `drop`, and label `n` conversations of each run."""

    drop: float = 0.0
    flattery: float = 0.0
    n: int = 40

    def draw(self, generator: np.random.Generator) -> tuple[Run, Run, CalibrationFile]:
        hard = generator.normal(2.4, 0.9, len(NAMES))
        people = [
            np.clip(np.round(hard + generator.normal(0, 0.4, len(NAMES)) - loss), 0, 4)
            for loss in (0.0, self.drop)
        ]
        runs, labels = [], []
        chosen = generator.choice(len(NAMES), self.n, replace=False)
        for name, given, more in zip(("before", "now"), people, (0.0, self.flattery), strict=True):
            judged = np.clip(given + 0.6 + more + generator.normal(0, 0.5, len(NAMES)), 0, 4)
            runs.append(run(name, judged))
            labels += [
                KeptLabel(NAMES[i], "coherence", float(given[i]), digest=f"{name}-{NAMES[i]}") for i in chosen
            ]
        return runs[0], runs[1], CalibrationFile(tuple(labels), Wishes({}, {}))


def test_a_run_without_labels_is_not_decided_and_labels_of_others_are_counted() -> None:
    before, now, calibration = Study().draw(np.random.default_rng(2))
    kept = tuple(one for one in calibration.labels if not str(one.digest).startswith("now"))
    old = replace(calibration, labels=kept)
    decided = judge(now, before, GateSettings(), old)
    assert decided.state is RuleState.INCONCLUSIVE
    assert "crs-eval label sample" in decided.results[0].detail
    foreign = replace(calibration.labels[0], digest="another")
    more = replace(calibration, labels=(*calibration.labels, foreign))
    notes = judge(now, before, GateSettings(), more).notes
    assert "Of the calibration's labels, 1 belong to conversations in neither run." in notes
    other = replace(calibration, labels=tuple(replace(one, label="novelty") for one in calibration.labels))
    with pytest.raises(CommandError, match="no labels for a factor that both runs"):
        judge(now, before, GateSettings(), other)


def test_several_factors_share_alpha() -> None:
    before, now, calibration = Study(drop=0.2).draw(np.random.default_rng(3))

    def twice(one: Run) -> Run:
        scores = one.factors["coherence"].scores
        made = making.run(one.name, {c: {"coherence": s, "novelty": s} for c, s in scores.items()})
        return Run(one.name, [replace(r, digest=f"{one.name}-{r.conversation}") for r in made.records])

    more = (replace(one, label="novelty") for one in calibration.labels)
    both = replace(calibration, labels=(*calibration.labels, *more))
    (alone,) = people_differences(before, now, NAMES, ["coherence"], calibration, alpha=ALPHA)
    first, second = people_differences(
        twice(before), twice(now), NAMES, ["coherence", "novelty"], both, alpha=ALPHA
    )
    assert first.p == second.p == pytest.approx(alone.p)
    assert first.adjusted == second.adjusted == pytest.approx(min(1.0, 2 * alone.p))
    assert first.critical > alone.critical
    assert alone.baseline - alone.candidate == pytest.approx(alone.loss), "the row would contradict itself"


def test_what_calibrate_writes_serves_the_gate(tmp_path: Path) -> None:
    before, now, calibration = Study(drop=1.0, flattery=1.2, n=60).draw(np.random.default_rng(1))
    for one in (before, now):
        records = [replace(record, system="bot") for record in one.records]
        write_records(tmp_path / f"{one.name}.jsonl", records)
    rows = [
        making.rating(
            conversation=one.conversation, system="bot", rater=rater, score=one.score, digest=one.digest
        )
        for one in calibration.labels
        for rater in ("anna", "ben")
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shop = tmp_path / "shop.json"
    files = {name: str(tmp_path / f"{name}.jsonl") for name in ("before", "now")}
    calibrate_files([files["before"], files["now"]], labels=[str(tmp_path / "labels.jsonl")], out=shop)
    with pytest.raises(typer.Exit) as ended:
        gate(files["now"], baseline=files["before"], calibration=shop, report=[tmp_path / "gate.json"])
    assert ended.value.exit_code == Exit.FAIL
    (result,) = json.loads((tmp_path / "gate.json").read_text())["results"]
    assert "on people's scale, by 60 and 60 labels" in result["detail"]
    with pytest.raises(typer.Exit) as alone:
        gate(files["now"], baseline=files["before"])
    assert alone.value.exit_code == Exit.PASS
    with pytest.raises(CommandError, match="requires --baseline"):
        gate(files["now"], calibration=shop)
