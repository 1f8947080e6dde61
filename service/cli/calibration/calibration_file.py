"""The file that a calibration is kept in: the answer of `/calibrate`, and the labels that it rests on.

The service reads its maps; the gate reads the labels. It names no annotator."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ...calibration.report import Report, calibrate
from ...calibration.sheets import Terms
from ...domain.rubric import Scale
from ...errors import InvalidRequest
from ...statistics.ratings import Ratings
from ..exits import CommandError
from ..file_formats import json_text
from ..files import FileError, read_json
from ..inputs import Json, grouped, present
from ..labelling.judged import JudgedLog
from ..names import factors_here
from .matching import JudgedScore, MatchedLabel, MatchedLabels

LABELS = "labels"
_FORMAT = "labels_of"
_SCALE = re.compile(r"([^=]{1,200})=([+-]?\d{1,9}):([+-]?\d{1,9})")


@dataclass(frozen=True)
class Wishes:
    """Options: `same` names the label of a judge's factor if its name differs, `scales` the ends of a label's scale."""

    same: Mapping[str, str]
    scales: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, same: Sequence[str], scales: Sequence[str]) -> "Wishes":
        """Read `FACTOR=LABEL` and `LABEL=0:4`. Raises CommandError for an option that is written otherwise."""
        pairs, ends = {}, {}
        for text in same:
            factor, _, label = text.partition("=")
            if not factor or not label:
                raise CommandError(f"--same {text}: write it as FACTOR=LABEL.")
            pairs[factor] = label
        for text in scales:
            if (found := _SCALE.fullmatch(text)) is None:
                raise CommandError(f"--scale {text}: write it as LABEL=0:4, with whole numbers.")
            ends[found[1]] = int(found[2]), int(found[3])
            if int(found[2]) >= int(found[3]):
                raise CommandError(f"--scale {text}: the lower end comes first.")
        return cls(pairs, ends)

    def terms(self, judge: Mapping[str, tuple[float, float]], **more: Any) -> Terms:
        """The terms of a calibration. `judge` holds the ends of the judge's scale by factor."""
        labels = {slug: factor.scale for slug, factor in factors_here().items()}
        judges = {slug: Scale(int(low), int(high)) for slug, (low, high) in judge.items()}
        scales = {name: Scale(*ends) for name, ends in self.scales.items()}
        return Terms(same=self.same, scales=scales, known={**labels, **judges}, **more)


def rating_table(rows: Sequence[Json]) -> Ratings:
    """Ratings as a calibration reads them. Fields that a row lacks are None."""
    names = dict.fromkeys(name for row in rows for name in row)
    return Ratings.of({name: [row.get(name) for row in rows] for name in names})


@dataclass(frozen=True)
class CalibrationMaterial:
    """The judge's scores and the labels of what they are compared with."""

    scores: Sequence[JudgedScore]
    matched: MatchedLabels
    wishes: Wishes

    @classmethod
    def of(
        cls, scores: Sequence[JudgedScore], matched: MatchedLabels, wishes: Wishes
    ) -> "CalibrationMaterial":
        """Keep the scores of factors that have labels. Raises CommandError if there are none."""
        labelled = {one.label.factor for one in matched.first}
        kept = [score for score in scores if wishes.same.get(score.factor, score.factor) in labelled]
        if not kept:
            known = ", ".join(dict.fromkeys(score.factor for score in scores)) or "none"
            mismatch = f"The results judge {known}; the labels are of {', '.join(sorted(labelled))}."
            raise CommandError(f"{mismatch} Use --same FACTOR=LABEL to match labels with factors.")
        return cls(kept, matched, wishes)

    @cached_property
    def labelled(self) -> Mapping[tuple[str, str | None, str], Sequence[MatchedLabel]]:
        """The first labels by conversation, system and what is rated."""
        first = self.matched.first
        return grouped(((one.record.conversation, one.record.system, one.label.factor), one) for one in first)

    @cached_property
    def report(self) -> Report:
        """The calibration. Raises CommandError for labels that contradict one another or lie off their scale."""
        ends = {score.factor: (score.low, score.high) for score in self.scores}
        terms = self.wishes.terms(ends)
        try:
            return calibrate(rating_table(self._rows()), terms)
        except InvalidRequest as error:
            raise CommandError(str(error)) from None

    def _rows(self) -> list[Json]:
        rows = [
            {**one.rating, "evaluator_revision": one.revision, "comparison_key": one.key}
            for one in self.scores
        ]
        for one in self.matched.first:
            label, record = one.label, one.record
            row = {"conversation": record.conversation, "system": record.system, "factor": label.factor}
            rater = {"rater": label.rater, "kind": "human", "score": label.score}
            drawn = {"probability": label.probability, "stratum": label.stratum, "domain": label.domain}
            rows.append({**row, **rater, **drawn})
        return rows


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

    labels: Annotated[tuple[KeptLabel, ...], Field(min_length=1)]
    wishes: Annotated[Wishes, Field(alias=_FORMAT)]


_FILE = TypeAdapter(CalibrationFile)


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
    message = f"{path} is not a calibration with labels. Write one with `crs-eval calibrate RESULTS --labels FILES -o {path}`"
    try:
        return _FILE.validate_python(read_json(path))
    except FileError as error:
        raise CommandError(f"{message} ({error.detail}).") from None
    except ValidationError:
        raise CommandError(f"{message}.") from None


def _kept(material: CalibrationMaterial) -> list[Json]:
    """People's mean of each conversation, and what is known of it."""
    rows = []
    for (conversation, system, name), labels in material.labelled.items():
        mean, first = fmean(one.label.score for one in labels), labels[0]
        drawn = first.record.digest, first.label.probability, first.label.stratum
        rows.append(present(asdict(KeptLabel(conversation, name, mean, system, *drawn))))
    return rows


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
    scales = {(mean.factor, mean.judge): mean.scale for mean in material.report.means}
    found: dict[str, list[AnchorExample]] = {}
    for score in material.scores:
        label = material.wishes.same.get(score.factor, score.factor)
        place = score.record.conversation, score.record.system
        if (labels := material.labelled.get((*place, label))) is None:
            continue
        judged, scale = by_record[place], scales[score.factor, score.judge]
        mean = fmean(one.label.score for one in labels)
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
    """Return `count` anchors, worst rated first: half from each half of people's ratings, those where the judge errs most."""
    ordered = sorted(examples, key=lambda one: (one.people, one.digest))
    middle = len(ordered) // 2
    low, high = (
        sorted(half, key=lambda one: (-abs(one.judge - one.people), one.digest))
        for half in (ordered[:middle], ordered[middle:])
    )
    fewer = min(count // 2, len(low))
    chosen = low[:fewer] + high[: count - fewer]
    return sorted(chosen, key=lambda one: (one.people, one.digest))
