"""The file that a calibration is kept in: the answer of `/calibrate`, and the labels that it rests on.

The service reads its maps; the gate reads the labels. It names no annotator."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from ...importing.entries import json_fault
from ..exits import CommandError
from ..file_formats import json_text
from ..files import read_text
from ..inputs import Json
from ..labelling.judged import JudgedLog
from .calibrating import CalibrationMaterial, Wishes
from .matching import MatchedLabel

LABELS = "labels"
_FORMAT = "labels_of"


@dataclass(frozen=True)
class KeptLabel:
    """People's mean of one conversation, and how it was drawn to be labelled."""

    conversation: str
    label: str
    score: float
    system: str | None = None
    digest: str | None = None
    probability: float | None = None
    stratum: str | None = None


@dataclass(frozen=True)
class CalibrationFile:
    """The parts of a calibration that a gate needs."""

    labels: tuple[KeptLabel, ...]
    wishes: Wishes


def file_text(answer: Json, material: CalibrationMaterial) -> str:
    """The whole file."""
    wishes = material.wishes
    about = {
        "same": dict(wishes.same),
        "scales": {name: list(ends) for name, ends in wishes.scales.items()},
    }
    return json_text({**answer, _FORMAT: about, LABELS: _kept(material)})


def load_calibration(path: Path) -> CalibrationFile:
    """Read the file. Raises CommandError for one that `crs-eval calibrate` did not write."""
    told = f"{path} is no calibration with labels; `crs-eval calibrate RESULTS --labels FILES -o {path}` writes one"
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{told} (not JSON: {json_fault(error)}).") from None
    try:
        about = value[_FORMAT]
        scales = {name: (int(low), int(high)) for name, (low, high) in about["scales"].items()}
        labels = TypeAdapter(tuple[KeptLabel, ...]).validate_python(value[LABELS])
        same = dict(about["same"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CommandError(f"{told}.") from None
    if not labels:
        raise CommandError(f"{told}.")
    return CalibrationFile(labels, Wishes(same, scales))


def _kept(material: CalibrationMaterial) -> list[Json]:
    found: dict[tuple[str, str | None, str], list[MatchedLabel]] = {}
    for one in material.matched.first:
        found.setdefault((one.record.conversation, one.record.system, one.label.factor), []).append(one)
    return [_row(labels) for labels in found.values()]


def _row(labels: Sequence[MatchedLabel]) -> Json:
    """People's mean of one conversation, and what is known of it."""
    label, record = labels[0].label, labels[0].record
    row = {
        "conversation": record.conversation,
        "system": record.system,
        "digest": record.digest,
        "label": label.factor,
        "probability": label.probability,
        "stratum": label.stratum,
        "score": sum(one.label.score for one in labels) / len(labels),
    }
    return {name: value for name, value in row.items() if value is not None}


@dataclass(frozen=True)
class AnchorExample:
    """A labelled conversation. `people` and `judge` are shares of their scales, 0-1; `digest` names the log. `row` is the
    anchor as a request holds it, with people's mean on their own scale beside."""

    people: float
    judge: float
    digest: str
    row: Json


def anchors_of(material: CalibrationMaterial, logs: Sequence[JudgedLog], count: int) -> list[Json]:
    """Return `count` anchors for each factor."""
    by_record = {(one.record.conversation, one.record.system): one for one in logs}
    given: dict[tuple[str, str | None, str], list[float]] = {}
    for one in material.matched.first:
        name = one.record.conversation, one.record.system, one.label.factor
        given.setdefault(name, []).append(one.label.score)
    scales = {(mean.factor, mean.judge): mean.scale for mean in material.report.means}
    found: dict[str, list[AnchorExample]] = {}
    for score in material.scores:
        label = material.wishes.same.get(score.factor, score.factor)
        place = score.record.conversation, score.record.system
        if (scores := given.get((*place, label))) is None:
            continue
        judged, scale, mean = by_record[place], scales[score.factor, score.judge], sum(scores) / len(scores)
        people = (mean - scale.min) / (scale.max - scale.min)
        judge = (score.score - score.low) / (score.high - score.low)
        parts = ("domain", "history", "messages", "items")
        row = {
            "factor": score.factor,
            "score": score.low + people * (score.high - score.low),
            "log": {part: judged.log[part] for part in parts if judged.log.get(part)},
            "digest": judged.digest,
            "people": mean,
            "judge_share": judge,
        }
        found.setdefault(score.factor, []).append(AnchorExample(people, judge, judged.digest, row))
    return [one.row for examples in found.values() for one in picked(examples, count)]


def picked(examples: Sequence[AnchorExample], count: int) -> list[AnchorExample]:
    """Return `count` anchors, from the worst rated by people to the best: half from the lower half of people's ratings and
    half from the upper, in each those where the judge errs most."""
    ordered = sorted(examples, key=lambda one: (one.people, one.digest))
    middle = len(ordered) // 2
    low, high = (
        sorted(half, key=lambda one: (-abs(one.judge - one.people), one.digest))
        for half in (ordered[:middle], ordered[middle:])
    )
    fewer = min(count // 2, len(low))
    chosen = low[:fewer] + high[: count - fewer]
    return sorted(chosen, key=lambda one: (one.people, one.digest))
