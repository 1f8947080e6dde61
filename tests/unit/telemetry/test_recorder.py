from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from service.domain.verdict import DetectedFault, Scored
from service.telemetry import recorder
from service.telemetry.recorder import LONGEST, OTHER, BoundedLabels
from service.telemetry.telemetry import Telemetry
from tests import factories


def samples(telemetry: Telemetry, name: str) -> list[Sample]:
    families = text_string_to_metric_families(telemetry.prometheus().decode())
    return [sample for family in families for sample in family.samples if sample.name == name]


def scored(score: int) -> Scored:
    return factories.scored("coherence", score)


def test_a_fault_counts_once_a_reply_although_several_verdicts_carry_it() -> None:
    telemetry = Telemetry("0", homes={"pushy": "appropriateness", "loops": "naturalness"})
    faults = (
        DetectedFault("pushy", 1, 0.9),
        DetectedFault("pushy", 3, 0.8),
        DetectedFault("loops", 3, 1.0, certain=True),
    )
    verdicts = [
        replace(scored(1), factor=factor, faults=faults)
        for factor in ("appropriateness", "naturalness", "coherence")
    ]
    for one in verdicts:
        telemetry.recorder.verdict(one, "alpha")
    telemetry.recorder.again(telemetry.recorder.tally(verdicts, "alpha"))
    telemetry.recorder.again(telemetry.recorder.tally(verdicts, "alpha", complete=False))
    found = {
        (s.labels["system"], s.labels["fault"], s.labels["certain"]): s.value
        for s in samples(telemetry, "crs_eval_faults_total")
    }
    assert found == {("alpha", "pushy", "false"): 4, ("alpha", "loops", "true"): 2}


def test_systems_beyond_the_bound_share_a_label() -> None:
    telemetry = Telemetry("0", systems=3)
    for number in range(100):
        telemetry.recorder.verdict(scored(2), f"system-{number}")
    found = samples(telemetry, "crs_eval_verdicts_total")
    assert len(found) == 4
    assert sum(s.value for s in found if s.labels["system"] == "other") == 97


def test_series_of_verdicts_have_a_bound_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST_SERIES", 30)
    telemetry = Telemetry("0", systems=1000)
    for number in range(100):
        telemetry.recorder.verdict(scored(2), f"system-{number}")
    found = samples(telemetry, "crs_eval_verdicts_total")
    assert len(found) == 31
    assert sum(s.value for s in found) == 100


def test_what_comes_again_is_counted_each_time() -> None:
    telemetry = Telemetry("0")
    one, other = (telemetry.recorder.tally((scored(score),), "alpha") for score in (1, 3))
    for tally in (one, one, other, one):
        telemetry.recorder.again(tally)
    levels = {s.labels["level"]: s.value for s in samples(telemetry, "crs_eval_verdicts_total")}
    assert levels == {"1": 3, "3": 1}
    [total] = samples(telemetry, "crs_eval_scores_total")
    assert total.value == 6


def test_labels_are_short_and_printable() -> None:
    labels = BoundedLabels(5)
    assert labels.of("x" * 1000) == "x" * LONGEST
    assert labels.of("a\nb\x00") == "a b"
    assert labels.of("\x00") == OTHER
