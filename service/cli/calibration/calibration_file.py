"""The file that a calibration is kept in: the answer of `/calibrate`, and the labels that it rests on.

The service reads its maps; the gate reads the labels. It names no annotator."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...importing.entries import json_fault
from ..exits import CommandError
from ..file_formats import json_text
from ..files import read_text
from ..inputs import Json
from .calibrating import CalibrationMaterial, Wishes

LABELS = "labels"
_FORMAT = "labels_of"
_DRAWN = ("probability", "stratum")


@dataclass(frozen=True)
class KeptLabel:
    """People's mean of one conversation, and how it was drawn to be labelled."""

    conversation: str
    system: str | None
    digest: str | None
    label: str
    score: float
    probability: float | None
    stratum: str | None


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
        "reference": wishes.reference,
        "target": wishes.target,
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
        labels = tuple(_label(row) for row in value[LABELS])
        same, reference, target = dict(about["same"]), about["reference"], about["target"]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CommandError(f"{told}.") from None
    if not labels:
        raise CommandError(f"{told}.")
    return CalibrationFile(labels, Wishes(same, scales, reference, target))


def _kept(material: CalibrationMaterial) -> list[Json]:
    found: dict[tuple[str, str | None, str], Json] = {}
    scores: dict[tuple[str, str | None, str], list[float]] = {}
    for one in material.matched.first:
        name = one.record.conversation, one.record.system, one.label.factor
        drawn = {part: getattr(one.label, part) for part in _DRAWN}
        conversation, system, label = name
        row = {
            "conversation": conversation,
            "system": system,
            "digest": one.record.digest,
            "label": label,
            **drawn,
        }
        found.setdefault(name, {key: value for key, value in row.items() if value is not None})
        scores.setdefault(name, []).append(one.label.score)
    return [{**row, "score": sum(scores[name]) / len(scores[name])} for name, row in found.items()]


def _label(row: Mapping[str, object]) -> KeptLabel:
    texts = {
        name: str(row[name]) if row.get(name) is not None else None
        for name in ("system", "digest", "stratum")
    }
    probability = row.get("probability")
    return KeptLabel(
        conversation=str(row["conversation"]),
        label=str(row["label"]),
        score=float(str(row["score"])),
        probability=None if probability is None else float(str(probability)),
        **texts,
    )
