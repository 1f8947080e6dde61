"""A calibration from results and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...api.wire.calibrate import CalibrateAnswer
from ...calibration.ratings.sheets import Terms
from ...calibration.ratings.table import Table
from ...calibration.report import Report, calibrate
from ...domain.rubric import Scale
from ...errors import InvalidRequest
from ..exits import CommandError
from ..inputs import Json
from ..names import factors_here
from .matching import JudgedScore, MatchedLabels


@dataclass(frozen=True)
class Wishes:
    """Options of the caller: `same` names the label of a judge's factor where it has another name, `scales` the ends of a
    label's scale."""

    same: Mapping[str, str]
    scales: Mapping[str, tuple[int, int]]

    def terms(self, judge: Mapping[str, tuple[float, float]], **more: Any) -> Terms:
        """The terms of a calibration. `judge` holds the ends of the judge's scale by factor."""
        labels = {slug: factor.scale for slug, factor in factors_here().items()}
        judges = {slug: Scale(int(low), int(high)) for slug, (low, high) in judge.items()}
        scales = {name: Scale(*ends) for name, ends in self.scales.items()}
        return Terms(same=self.same, scales=scales, known={**labels, **judges}, **more)


def rating_table(rows: Sequence[Json]) -> Table:
    """Ratings as a calibration reads them. Fields that a row lacks are None."""
    names = dict.fromkeys(name for row in rows for name in row)
    table = Table()
    table.add({name: [row.get(name) for row in rows] for name in names})
    return table


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
        """The scores of factors that have labels. Raises CommandError where there is none."""
        labelled = {one.label.factor for one in matched.first}
        kept = [score for score in scores if wishes.same.get(score.factor, score.factor) in labelled]
        if not kept:
            known = ", ".join(dict.fromkeys(score.factor for score in scores)) or "none"
            told = f"The results judge {known}; the labels are of {', '.join(sorted(labelled))}."
            raise CommandError(f"{told} --same FACTOR=LABEL says which label belongs to which factor.")
        return cls(kept, matched, wishes)

    @cached_property
    def report(self) -> Report:
        """The calibration. Raises CommandError for labels that contradict one another or lie off their scale."""
        ends = {score.factor: (score.low, score.high) for score in self.scores}
        terms = self.wishes.terms(ends)
        table = rating_table(self._rows())
        try:
            return calibrate(table.ratings(), terms)
        except InvalidRequest as error:
            raise CommandError(str(error)) from None

    def _rows(self) -> list[Json]:
        rows: list[Json] = [
            {
                "conversation": score.record.conversation,
                "system": score.record.system,
                "factor": score.factor,
                "rater": score.judge,
                "kind": "judge",
                "score": score.score,
                "evaluator_revision": score.revision,
                "comparison_key": score.key,
            }
            for score in self.scores
        ]
        for one in self.matched.first:
            label, record = one.label, one.record
            row = {"conversation": record.conversation, "system": record.system, "factor": label.factor}
            rater = {"rater": label.rater, "kind": "human", "score": label.score}
            drawn = {"probability": label.probability, "stratum": label.stratum, "domain": label.domain}
            rows.append({**row, **rater, **drawn})
        return rows

    def answer(self) -> Json:
        """The calibration as `/calibrate` answers it."""
        made: Json = CalibrateAnswer.of(self.report).model_dump(mode="json")
        return made
