"""The difference of two runs on people's scale, from labels of some of their conversations and a judge's scores of all.

The estimate is prediction-powered (`calibration`): the judge's difference, corrected by what labels say of its errors in
either run. Its p-values are those of its intervals, adjusted over all factors by Holm's method."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...calibration.estimates.means import calibrated_mean
from ...calibration.groups import FEWEST, Group, groups_of
from ...calibration.remarks import not_random
from ...calibration.rows import difference_of
from ...calibration.sheets import Sheet, Terms, sheets_of
from ...domain.plurals import counted
from ...errors import InvalidRequest
from ...statistics.permutation import holm, t_quantile, t_tail
from ...statistics.sheets import sort_ratings
from ..calibration.calibration_file import CalibrationFile, KeptLabel, rating_table
from ..exits import CommandError
from ..inputs import Json
from ..scores import Run
from .paired import RunDifference, signed

BASELINE, CANDIDATE = "baseline", "candidate"
_LEVEL = 0.8
"""Level of the requested interval: so narrow that the scale's ends do not cut it."""
_SHOWN = 0.95


Labelled = Mapping[tuple[str, str, str], KeptLabel]
"""Labels of both runs' conversations, by run, conversation and name of the label."""


def labels_of_runs(calibration: CalibrationFile, baseline: Run, candidate: Run) -> tuple[Labelled, int]:
    """Find each label's conversation by the content of its log; by its name and system where that is not known, if only one of
    the runs has it. The second value counts the labels of neither run."""
    places: dict[str | tuple[str, str | None], list[tuple[str, str]]] = {}
    for side, run in ((BASELINE, baseline), (CANDIDATE, candidate)):
        for record in run.records:
            key = (record.conversation, record.system) if record.digest is None else record.digest
            places.setdefault(key, []).append((side, record.conversation))
    found, lost = {}, 0
    for label in calibration.labels:
        named = places.get((label.conversation, label.system), [])
        here = places.get(label.digest or "", []) or (named if len(named) == 1 else [])
        found.update({(*place, label.label): label for place in here})
        lost += not here
    return found, lost


def labelled_factors(calibration: CalibrationFile, run: Run) -> list[str]:
    """The factors of a run that the calibration has labels for."""
    names = {label.label for label in calibration.labels}
    return [factor for factor in run.factors if calibration.wishes.same.get(factor, factor) in names]


def people_differences(
    baseline: Run,
    candidate: Run,
    conversations: Sequence[str],
    factors: Sequence[str],
    calibration: CalibrationFile,
    *,
    alpha: float,
) -> list[RunDifference]:
    """One difference for each factor with two labels or more in each run. Raises CommandError for labels off their scale."""
    rows = _ratings((baseline, candidate), conversations, factors, calibration)
    if not rows:
        return []
    ends = {factor: (baseline.factors[factor].low, baseline.factors[factor].high) for factor in factors}
    terms = calibration.wishes.terms(ends, level=_LEVEL)
    found = []
    try:
        ratings = sort_ratings(rating_table(rows))
        for sheet in sheets_of(ratings, terms, lambda: None):
            groups = {group.system: group for group in groups_of(sheet, ratings.units.systems)}
            before, now = groups.get(BASELINE), groups.get(CANDIDATE)
            if before is not None and now is not None and min(before.n, now.n) >= FEWEST:
                found.append(_run_difference(sheet, before, now, terms))
    except InvalidRequest as error:
        raise CommandError(f"The calibration cannot be used: {error}") from None
    # The share that makes a loss certain, and p-values over all factors (Holm).
    share = alpha / max(len(found), 1)
    return [
        replace(one, adjusted=adjusted, critical=t_quantile(1 - share, one.critical))
        for one, adjusted in zip(found, holm([one.p for one in found]), strict=True)
    ]


def _ratings(
    runs: tuple[Run, Run], conversations: Sequence[str], factors: Sequence[str], calibration: CalibrationFile
) -> list[Json]:
    """The judge's scores and the labels as ratings of two systems in the same situations."""
    compared = set(conversations)
    rows: list[Json] = [
        {
            "conversation": name,
            "system": side,
            "factor": factor,
            "rater": "judge",
            "kind": "judge",
            "score": score,
        }
        for side, run in zip((BASELINE, CANDIDATE), runs, strict=True)
        for factor in factors
        for name, score in run.factors[factor].scores.items()
        if name in compared
    ]
    labels = {calibration.wishes.same.get(factor, factor) for factor in factors}
    for (side, conversation, name), label in labels_of_runs(calibration, *runs)[0].items():
        if conversation in compared and name in labels:
            given = {"factor": name, "rater": "labels", "kind": "human", "score": label.score}
            drawn = {"probability": label.probability, "stratum": label.stratum}
            rows.append({"conversation": conversation, "system": side, **given, **drawn})
    return rows


def _run_difference(sheet: Sheet, before: Group, now: Group, terms: Terms) -> RunDifference:
    made = difference_of(before, now, terms, ())
    interval, degrees = made.interval, made.degrees_of_freedom
    centre = (interval.low + interval.high) / 2
    error = (interval.high - interval.low) / 2 / t_quantile((1 + _LEVEL) / 2, degrees)
    baseline = float(calibrated_mean(before.sample, sheet.ends, terms.target).mean)
    half = t_quantile((1 + _SHOWN) / 2, degrees) * error
    alone = f"the judge alone: {signed(-made.judge_difference, 3)}"
    drawn = not_random([(sheet, [before, now])], lambda: None)
    random = "; the labels are not a random sample" if drawn else ""
    return RunDifference(
        factor=sheet.factor,
        n=min(len(before.units), len(now.units)),
        baseline=baseline,
        # A pair says more of the difference than two means do: those can even differ the other way.
        candidate=baseline - made.difference,
        loss=made.difference,
        low=max(centre - half, -sheet.ends.span),
        high=min(centre + half, sheet.ends.span),
        p=t_tail(centre / error, degrees) if error > 0 else float(centre <= 0),
        adjusted=1.0,
        error=error,
        critical=degrees,
        about=f"on people's scale, by {before.n} and {counted(now.n, 'label')}; {alone}{random}",
    )
