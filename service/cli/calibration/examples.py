"""Labelled conversations to show a model as anchors: where it errs most, at both ends of people's scale."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..inputs import Json
from ..labelling.judged import JudgedLog
from .calibrating import Material

FOLDS = 5


@dataclass(frozen=True)
class Example:
    """A conversation with people's mean and the judge's score, both as shares of their scales, 0-1. `digest` names the log."""

    conversation: str
    digest: str
    factor: str
    people: float
    judge: float
    log: Json
    given: float = 0.0
    """People's mean, on their own scale."""

    @property
    def gap(self) -> float:
        """How far the judge is from people."""
        return abs(self.judge - self.people)


Rate = Callable[[Example, Sequence[Example]], float]
"""A judge that is shown anchors: what it says of a conversation, 0-1."""


@dataclass(frozen=True)
class Gain:
    """Root mean squared errors over `n` conversations, 0-1: without anchors, and with anchors from other conversations."""

    n: int
    before: float
    after: float


def picked(examples: Sequence[Example], count: int) -> list[Example]:
    """Return `count` anchors, from the worst rated by people to the best: half from the lower half of people's ratings and
    half from the upper, in each those where the judge errs most."""
    ordered = sorted(examples, key=lambda one: (one.people, one.digest))
    middle = len(ordered) // 2
    low, high = ordered[:middle], ordered[middle:]
    fewer = min(count // 2, len(low))
    chosen = _farthest(low, fewer) + _farthest(high, count - fewer)
    return sorted(chosen, key=lambda one: (one.people, one.digest))


def _farthest(examples: Sequence[Example], count: int) -> list[Example]:
    return sorted(examples, key=lambda one: (-one.gap, one.digest))[:count]


def anchors_for(example: Example, anchors: Sequence[Example]) -> list[Example]:
    """The anchors that a conversation may be judged beside: never itself."""
    return [anchor for anchor in anchors if anchor.digest != example.digest]


def cross_validated(examples: Sequence[Example], count: int, rate: Rate, folds: int = FOLDS) -> Gain:
    """Return what anchors bring: each part of the conversations is judged beside anchors picked from the others. Raises
    ValueError for fewer conversations than parts."""
    if len(examples) < folds:
        raise ValueError(f"{folds} parts take {folds} labelled conversations or more, not {len(examples)}")
    ordered = sorted(examples, key=lambda one: one.digest)
    before = after = 0.0
    for part in range(folds):
        held = ordered[part::folds]
        names = {one.digest for one in held}
        anchors = picked([one for one in ordered if one.digest not in names], count)
        for one in held:
            before += (one.judge - one.people) ** 2
            after += (rate(one, anchors_for(one, anchors)) - one.people) ** 2
    return Gain(len(ordered), (before / len(ordered)) ** 0.5, (after / len(ordered)) ** 0.5)


def examples_of(material: Material, logs: Sequence[JudgedLog]) -> dict[str, list[Example]]:
    """The labelled conversations of each factor."""
    by_record = {(one.record.conversation, one.record.system): one for one in logs}
    given: dict[tuple[str, str | None, str], list[float]] = {}
    for one in material.matched.first:
        name = one.record.conversation, one.record.system, one.label.factor
        given.setdefault(name, []).append(one.label.score)
    scales = {(mean.factor, mean.judge): mean.scale for mean in material.report.means}
    found: dict[str, list[Example]] = {}
    for score in material.scores:
        label = material.wishes.same.get(score.factor, score.factor)
        place = score.record.conversation, score.record.system
        if (scores := given.get((*place, label))) is None:
            continue
        scale, mean = scales[score.factor, score.judge], sum(scores) / len(scores)
        log = by_record[place]
        example = Example(
            conversation=score.record.conversation,
            digest=log.digest,
            factor=score.factor,
            people=(mean - scale.min) / (scale.max - scale.min),
            judge=(score.score - score.low) / (score.high - score.low),
            log=log.log,
            given=mean,
        )
        found.setdefault(score.factor, []).append(example)
    return found


def examples_text(found: dict[str, list[Example]], count: int) -> str:
    """The file: for each factor its anchors, with people's mean on their own scale. A log that is judged must not be shown
    itself: its `digest` says which anchor that is."""
    rows = [
        {
            "factor": factor,
            "digest": one.digest,
            "score": one.given,
            "share": one.people,
            "judge_share": one.judge,
            "log": {
                part: one.log[part]
                for part in ("domain", "history", "messages", "items")
                if one.log.get(part)
            },
        }
        for factor, examples in found.items()
        for one in picked(examples, count)
    ]
    return json.dumps({"anchors": rows}, ensure_ascii=False, indent=1) + "\n"
