"""Labelled conversations to show a model as anchors: where it errs most, at both ends of people's scale."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from ...statistics.permutation import paired_p
from ..file_formats import json_text
from ..inputs import Json
from ..labelling.judged import JudgedLog
from .calibrating import CalibrationMaterial

FOLDS = 5


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
    span: float = 1.0
    """The length of people's scale."""
    on_judge_scale: float = 0.0
    """People's mean, moved to the judge's scale."""

    @property
    def gap(self) -> float:
        """The distance between the judge and people."""
        return abs(self.judge - self.people)


@dataclass(frozen=True)
class Gain:
    """Root mean squared errors over `n` conversations, 0-1: without anchors, and with anchors from other conversations. With them
    the judge is `nearer` to people on so many conversations, and `farther` on so many. `p_value`: how often chance alone makes
    squared errors differ this much (sign flips)."""

    n: int
    before: float
    after: float
    nearer: int
    farther: int
    p_value: float


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


def anchors_for(example: AnchorExample, anchors: Sequence[AnchorExample]) -> list[AnchorExample]:
    """The anchors that a conversation may be judged beside: never itself."""
    return [anchor for anchor in anchors if anchor.digest != example.digest]


def held_out(
    examples: Sequence[AnchorExample], count: int, folds: int = FOLDS
) -> Iterator[tuple[AnchorExample, list[AnchorExample]]]:
    """Yield each conversation with the anchors that it is judged beside: picked from the parts that it is not in. Raises
    ValueError for fewer conversations than parts."""
    if len(examples) < folds:
        raise ValueError(f"{folds} parts take {folds} labelled conversations or more, not {len(examples)}")
    ordered = sorted(examples, key=lambda one: one.digest)
    for part in range(folds):
        held = ordered[part::folds]
        names = {one.digest for one in held}
        anchors = picked([one for one in ordered if one.digest not in names], count)
        for one in held:
            yield one, anchors_for(one, anchors)


def gain(rows: Sequence[tuple[float, float, float]]) -> Gain:
    """Return the gain of conversations, from people's mean and the judge's scores without anchors and with them."""
    before, after = ([abs(row[place] - row[0]) for row in rows] for place in (1, 2))
    pairs = list(zip(before, after, strict=True))
    return Gain(
        len(rows),
        (sum(error**2 for error in before) / len(rows)) ** 0.5,
        (sum(error**2 for error in after) / len(rows)) ** 0.5,
        nearer=sum(new < old for old, new in pairs),
        farther=sum(new > old for old, new in pairs),
        p_value=paired_p([old**2 - new**2 for old, new in pairs]),
    )


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
            span=scale.max - scale.min,
            on_judge_scale=score.low
            + (mean - scale.min) / (scale.max - scale.min) * (score.high - score.low),
        )
        found.setdefault(score.factor, []).append(example)
    return found


def example_row(one: AnchorExample) -> Json:
    """The anchor as a request holds it: people's mean on the factor's scale."""
    log = {part: one.log[part] for part in ("domain", "history", "messages", "items") if one.log.get(part)}
    return {"factor": one.factor, "score": one.on_judge_scale, "log": log}


def examples_text(
    found: Mapping[str, Sequence[AnchorExample]], count: int, gains: Mapping[str, Gain], judge: str
) -> str:
    """The file: for each factor its anchors as requests hold them, with people's mean on their own scale beside. It also says
    what they bring to a judge where that was cross-validated. `digest` says which log an anchor is."""
    rows = [
        {**example_row(one), "digest": one.digest, "people": one.given, "judge_share": one.judge}
        for examples in found.values()
        for one in picked(examples, count)
    ]
    proven = [{"factor": factor, "judge": judge, **asdict(made)} for factor, made in gains.items()]
    return json_text({"anchors": rows, "cross_validation": proven})
