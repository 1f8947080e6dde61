"""Labelled conversations to show a model as anchors: where it errs most, at both ends of people's scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..inputs import Json
from ..labelling.judged import JudgedLog
from .calibrating import CalibrationMaterial


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
