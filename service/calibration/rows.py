"""The figures of a calibration: means, differences, plans."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..domain.rounding import Figure
from ..domain.rubric import Scale
from .estimates.means import (
    Estimate,
    calibrated_mean,
    correlation,
    difference,
    judge_bias,
    plain_mean,
    plan_labels,
    worth,
)
from .estimates.sample import Ends
from .groups import FEWEST, Group, paired
from .sheets import Terms

_DIGITS = 9
"""Digits beyond are rounding error, and differ from one processor to another."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """An interval that covers the value in `level` of all samples."""

    low: Figure
    high: Figure
    level: Figure


@dataclass(frozen=True, slots=True)
class PlainMean:
    """The mean of the labels without the judge, with an interval by the same method."""

    mean: Figure
    interval: Bounds


@dataclass(frozen=True, slots=True)
class Bias:
    """The distance of a judge's mean above people's, in points of people's scale."""

    value: Figure
    interval: Bounds


@dataclass(frozen=True, slots=True)
class Annotators:
    """The people behind the labels. Intervals hold for these annotators; others may rate otherwise."""

    raters: int
    overlap: int
    """Conversations that two or more of them rated."""
    spread: Figure | None
    """Mean standard deviation among the raters of one conversation; null without overlap."""
    alpha: Figure | None
    """Krippendorff's alpha among them, for interval data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedMean:
    """A system's mean on people's scale. Without labels of the system all that rests on them is null."""

    system: str | None
    """Null for all conversations together."""
    factor: str
    label: str
    judge: str
    scale: Scale
    """People's."""
    mean: Figure | None = None
    """Estimate of the score that people would give."""
    interval: Bounds | None = None
    standard_error: Figure | None = None
    degrees_of_freedom: Figure | None = None
    plain: PlainMean | None = None
    judge_mean: Figure
    """The judge's over all conversations, moved to people's scale."""
    bias: Bias | None = None
    n: int
    """Labelled conversations."""
    judged: int
    """All conversations that the judge rated."""
    worth: Figure | None = None
    """Number of plain labels that one calibrated label equals."""
    correlation: Figure | None = None
    """Pearson's, of judge and people over the labels."""
    weight: Figure | None = None
    """Factor by which the estimate uses the judge's score, 0-4. Above 1 where the judge uses less of the scale than people."""
    annotators: Annotators | None
    warnings: tuple[str, ...]
    """Codes of the warnings that concern this figure."""


@dataclass(frozen=True, slots=True)
class CalibratedDifference:
    """The difference of two systems on people's scale: the first minus the second."""

    factor: str
    label: str
    judge: str
    first: str
    second: str
    difference: Figure
    interval: Bounds
    standard_error: Figure
    degrees_of_freedom: Figure
    plain: PlainMean
    judge_difference: Figure
    paired: bool
    """True where it is taken over situations that both systems had."""
    n: int
    """Labelled situations where paired, else labelled conversations of both."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """The numbers of labels that a precision takes, from the variances seen here. Null: more than a million, or out of reach."""

    system: str | None
    factor: str
    judge: str
    half_width: Figure
    """The precision that was asked for."""
    half_width_now: Figure
    labels: int | None
    """Labelled conversations in all, with this judge."""
    labels_without_judge: int | None
    labels_with_more_judged: int | None
    """With this judge, were there many more judged conversations."""


def mean_of(group: Group, terms: Terms, warnings: tuple[str, ...]) -> tuple[CalibratedMean, LabelPlan | None]:
    """Return the mean of a group and the plan for it; without two labels the mean is open, and there is no plan."""
    sheet = group.sheet
    mean = CalibratedMean(
        system=group.system,
        factor=sheet.factor,
        label=sheet.label,
        judge=sheet.rater,
        scale=sheet.people_scale,
        judge_mean=_rounded(group.judge_mean),
        n=group.n,
        judged=len(group.units),
        annotators=annotators_of(group) if group.n and sheet.by_people else None,
        warnings=warnings,
    )
    if group.n < FEWEST:
        return mean, None
    ends, target, level = sheet.ends, terms.target, terms.level
    sample = group.sample
    calibrated, plain = calibrated_mean(sample, ends, target, level), plain_mean(sample, ends, target, level)
    half_width = ends.span / 20 if terms.half_width is None else terms.half_width
    plan = plan_labels(sample, plain, calibrated, ends, target=target, level=level, half_width=half_width)
    now = _rounded((calibrated.high - calibrated.low) / 2)
    bias = judge_bias(sample, ends, target, level)
    return replace(
        mean,
        **_estimated(calibrated, plain, level),
        mean=_rounded(calibrated.mean),
        bias=Bias(_rounded(bias.mean), _bounds(bias, level)),
        worth=_finite(worth(sample, calibrated, plain)),
        correlation=_finite(correlation(sample)),
        weight=_rounded(calibrated.weight),
    ), LabelPlan(group.system, sheet.factor, sheet.rater, half_width, now, *plan)


def difference_of(
    first: Group, second: Group, terms: Terms, warnings: tuple[str, ...]
) -> CalibratedDifference:
    """Return the difference of two groups with labels: over pairs where the same situations were put to both."""
    sheet, target, level = first.sheet, terms.target, terms.level
    span = Ends(-sheet.ends.span, sheet.ends.span)
    pairs = paired(first, second)
    if pairs is not None:
        found = calibrated_mean(pairs, span, target, level)
        plain = plain_mean(pairs, span, target, level)
        judged, n = float(pairs.judge_mean), pairs.n
    else:
        samples = first.sample, second.sample
        one, two = (calibrated_mean(sample, sheet.ends, target, level) for sample in samples)
        found = difference(one, two, sheet.ends, level)
        one, two = (plain_mean(sample, sheet.ends, target, level) for sample in samples)
        plain = difference(one, two, sheet.ends, level)
        judged, n = first.judge_mean - second.judge_mean, first.n + second.n
    return CalibratedDifference(
        factor=sheet.factor,
        label=sheet.label,
        judge=sheet.rater,
        first=first.system or "",
        second=second.system or "",
        difference=_rounded(found.mean),
        **_estimated(found, plain, level),
        judge_difference=_rounded(judged),
        paired=pairs is not None,
        n=n,
        warnings=warnings,
    )


def annotators_of(group: Group) -> Annotators:
    """Return how many people gave a group's labels, and how well they agree."""
    sheet = group.sheet
    labels = sheet.labels
    at = np.searchsorted(labels.units, sheet.unit[group.labelled])
    count, squares, mean = labels.count[at].astype(float), labels.squares[at], labels.mean[at]
    shared = count > 1
    raters = sheet.raters.get(group.code, 0)
    if not shared.any():
        return Annotators(raters, 0, None, None)
    count, squares, mean = count[shared], squares[shared], mean[shared]
    total, weighted = count.sum(), (count * mean).sum()
    expected = 2 * (total * (squares + count * mean**2).sum() - weighted**2)
    observed = (2 * count * squares / (count - 1)).sum() * (total - 1)
    return Annotators(
        raters,
        int(shared.sum()),
        _rounded(np.sqrt(squares / (count - 1)).mean()),
        _rounded(1 - observed / expected) if expected > 1e-9 * total**2 else None,
    )


def _estimated(found: Estimate, plain: Estimate, level: float) -> dict[str, Any]:
    """Return an estimate's interval and error, and what the labels alone say."""
    return {
        "interval": _bounds(found, level),
        "standard_error": _rounded(found.error),
        "degrees_of_freedom": _rounded(found.degrees),
        "plain": PlainMean(_rounded(plain.mean), _bounds(plain, level)),
    }


def _bounds(found: Estimate, level: float) -> Bounds:
    return Bounds(_rounded(found.low), _rounded(found.high), level)


def _rounded(value: object) -> float:
    return round(float(np.asarray(value)), _DIGITS)


def _finite(value: object) -> float | None:
    found = float(np.asarray(value))
    return round(found, _DIGITS) if np.isfinite(found) else None
