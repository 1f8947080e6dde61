"""Labelled conversations to show a model as anchors: where it errs most, at both ends of people's scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..file_formats import json_text
from ..inputs import Json
from ..labelling.judged import JudgedLog
from .calibrating import CalibrationMaterial


@dataclass(frozen=True)
class AnchorExample:
    """A conversation with people's mean and the judge's score, both as shares of their scales, 0-1. `digest` names the log."""

    conversation: str
    digest: str
    factor: str
    people: float
    judge: float
    log: Json
    given: float = 0.0
    """People's mean, on their own scale."""
    on_judge_scale: float = 0.0
    """People's mean, moved to the judge's scale."""

    @property
    def gap(self) -> float:
        """The distance between the judge and people."""
        return abs(self.judge - self.people)


def picked(examples: Sequence[AnchorExample], count: int) -> list[AnchorExample]:
    """Return `count` anchors, from the worst rated by people to the best: half from the lower half of people's ratings and
    half from the upper, in each those where the judge errs most."""
    ordered = sorted(examples, key=lambda one: (one.people, one.digest))
    middle = len(ordered) // 2
    low, high = ordered[:middle], ordered[middle:]
    fewer = min(count // 2, len(low))
    chosen = _farthest(low, fewer) + _farthest(high, count - fewer)
    return sorted(chosen, key=lambda one: (one.people, one.digest))


def _farthest(examples: Sequence[AnchorExample], count: int) -> list[AnchorExample]:
    return sorted(examples, key=lambda one: (-one.gap, one.digest))[:count]


def examples_of(material: CalibrationMaterial, logs: Sequence[JudgedLog]) -> dict[str, list[AnchorExample]]:
    """The labelled conversations of each factor."""
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
        scale, mean = scales[score.factor, score.judge], sum(scores) / len(scores)
        log = by_record[place]
        example = AnchorExample(
            conversation=score.record.conversation,
            digest=log.digest,
            factor=score.factor,
            people=(mean - scale.min) / (scale.max - scale.min),
            judge=(score.score - score.low) / (score.high - score.low),
            log=log.log,
            given=mean,
            on_judge_scale=score.low
            + (mean - scale.min) / (scale.max - scale.min) * (score.high - score.low),
        )
        found.setdefault(score.factor, []).append(example)
    return found


def examples_text(found: Mapping[str, Sequence[AnchorExample]], count: int) -> str:
    """The file: for each factor its anchors as requests hold them, with people's mean on their own scale beside. `digest` says
    which log an anchor is."""
    rows = [
        {**_row(one), "digest": one.digest, "people": one.given, "judge_share": one.judge}
        for examples in found.values()
        for one in picked(examples, count)
    ]
    return json_text({"anchors": rows})


def _row(one: AnchorExample) -> Json:
    """The anchor as a request holds it: people's mean on the factor's scale."""
    log = {part: one.log[part] for part in ("domain", "history", "messages", "items") if one.log.get(part)}
    return {"factor": one.factor, "score": one.on_judge_scale, "log": log}
