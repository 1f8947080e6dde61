"""The figures of a calibration: means, differences, plans."""

from dataclasses import dataclass, replace

import numpy as np

from ..domain import rounding
from ..domain.rubric import Scale
from ..statistics.bootstrap import Interval
from .estimates.means import Estimate, calibrated_mean, correlation, difference, judge_bias, plain_mean, worth
from .estimates.planning import Plan, plan_labels
from .estimates.sample import Ends
from .ratings.groups import FEWEST, Group, paired
from .ratings.sheets import Terms

_DIGITS = 9
"""Digits beyond are rounding error, and differ from one processor to another."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Powered:
    """A figure that rests on labels and a judge, and what the labels alone say. `error` is its standard error."""

    figure: Figure
    error: float
    degrees: float
    plain: Figure


@dataclass(frozen=True, slots=True)
class Annotators:
    """The people behind the labels. Intervals hold for these annotators; others may rate otherwise."""

    raters: int
    overlap: int
    """Conversations that two or more of them rated."""
    spread: rounding.Figure | None
    """Mean standard deviation among the raters of one conversation; null without overlap."""
    alpha: rounding.Figure | None
    """Krippendorff's alpha among them, for interval data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A system's mean on people's scale; None where it has too few labels. `weight` is how much of the judge's score it uses."""

    system: str | None
    factor: str
    label: str
    judge: str
    scale: Scale
    mean: Powered | None = None
    bias: Figure | None = None
    judge_mean: float
    n: int
    judged: int
    worth: float | None = None
    correlation: float | None = None
    weight: float | None = None
    annotators: Annotators | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems on people's scale, first minus second."""

    factor: str
    label: str
    judge: str
    first: str
    second: str
    difference: Powered
    judge_difference: float
    paired: bool
    n: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """The labels that a precision takes."""

    system: str | None
    factor: str
    judge: str
    half_width: float
    half_width_now: float
    plan: Plan


def mean_of(group: Group, terms: Terms, warnings: tuple[str, ...]) -> tuple[Mean, Planned | None]:
    """Return the mean of a group and the plan for it; without two labels the mean is open, and there is no plan."""
    sheet = group.sheet
    mean = Mean(
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
    return replace(
        mean,
        mean=_powered(calibrated, plain, level),
        bias=_figure(judge_bias(sample, ends, target, level), level),
        worth=_finite(worth(sample, calibrated, plain)),
        correlation=_finite(correlation(sample)),
        weight=_rounded(calibrated.weight),
    ), Planned(group.system, sheet.factor, sheet.rater, half_width, now, plan)


def difference_of(first: Group, second: Group, terms: Terms, warnings: tuple[str, ...]) -> Difference:
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
    return Difference(
        factor=sheet.factor,
        label=sheet.label,
        judge=sheet.rater,
        first=first.system or "",
        second=second.system or "",
        difference=_powered(found, plain, level),
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


def _powered(found: Estimate, plain: Estimate, level: float) -> Powered:
    return Powered(
        _figure(found, level), _rounded(found.error), _rounded(found.degrees), _figure(plain, level)
    )


def _figure(found: Estimate, level: float) -> Figure:
    return Figure(_rounded(found.mean), Interval(_rounded(found.low), _rounded(found.high), level))


def _rounded(value: object) -> float:
    return round(float(np.asarray(value)), _DIGITS)


def _finite(value: object) -> float | None:
    found = float(np.asarray(value))
    return round(found, _DIGITS) if np.isfinite(found) else None
