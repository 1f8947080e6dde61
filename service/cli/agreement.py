"""Judges' ratings out of results, and what the figures of `/agreement` say in a few lines."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..domain.plurals import counted, listed
from .calibration.matching import judged_scores
from .inputs import Json, present
from .scores import OVERALL, load_run

PEOPLE = "people"
MOST_LINES = 10
_MOST_JUDGED = 5
"""Lines on single factors, so that the warnings find room."""
_COEFFICIENTS = ("spearman", "kendall_tau_b", "pearson", "quadratic_weighted_kappa")
"""Coefficients that a line may rest on: the first that was asked for."""
_STRENGTHS = ((0.7, "closely"), (0.5, "well"), (0.3, "moderately"), (0.1, "weakly"))
_FEW = 10
"""Ratings below which their range says nothing about the scale."""

_DRAWN = frozenset({"digest", "probability", "stratum", "domain"})
"""Fields of a labelling sheet's export that say how its conversation was drawn: `/agreement` does not read them."""

Range = tuple[float, float]


def plain_ratings(given: Sequence[Json]) -> list[Json]:
    """Ratings as `/agreement` takes them: an export of a labelling sheet says more of each conversation."""
    return [{name: value for name, value in rating.items() if name not in _DRAWN} for rating in given]


def judge_ratings(results: Sequence[Path]) -> tuple[list[Json], Mapping[str, Range]]:
    """The scores of results files as judges' ratings, and the scale of each factor; a debate's own score is one of `overall`."""
    ratings, scales = list[Json](), dict[str, Range]()
    for path in results:
        for one in judged_scores(load_run(str(path)).records):
            if one.revision is None and one.factor != OVERALL:
                continue  # the mean of a protocol
            ratings.append(present(one.rating))
            scales[one.factor] = one.low, one.high
    return ratings, scales


def summary(rows: Sequence[Json], ratings: Sequence[Json], scales: Mapping[str, Range]) -> list[str]:
    """Summarise agreement in at most ten lines: the raters, how far each judge agrees with people and people with
    one another, and differing scales. `scales` holds the known scales of the judges' factors."""
    people = {str(rating.get("rater")) for rating in ratings if rating.get("kind") == "human"}
    judges = {str(rating.get("rater")) for rating in ratings if rating.get("kind") == "judge"}
    conversations = len({str(rating.get("conversation")) for rating in ratings})
    named = counted(len(judges), "judge") + (f" ({listed(sorted(judges))})" if judges else "")
    lines = [
        f"{counted(conversations, 'conversation')}, rated by {counted(len(people), 'person', 'people')} and {named}."
    ]
    if not people or not judges:
        lacking = "a person" if judges else "a judge"
        return [*lines, f"No rating is by {lacking}, so the agreement of judges with people is unknown."]
    lines += _agreements(rows)
    alphas = [row for row in rows if row["statistic"] == "krippendorff_alpha" and row["value"] is not None]
    among = [row for row in alphas if (row["rater"], row["over"], row["other"]) == (PEOPLE, "pooled", None)]
    if row := min(among, key=lambda row: (row["factor"] != OVERALL, -row["n"]), default=None):
        alpha = f"Krippendorff's alpha {row['value']:z.2f}{_bounds(row['interval'])}"
        lines.append(f"People among themselves, on {row['factor']}: {alpha}.")
    lines += _scale_warning(ratings, scales)
    assert len(lines) <= MOST_LINES
    return lines


def _agreements(rows: Sequence[Json]) -> list[str]:
    with_people = [row for row in rows if row["over"] == "pooled" and row["other"] == PEOPLE]
    used = next((name for name in _COEFFICIENTS if any(r["statistic"] == name for r in with_people)), None)
    if used is None:
        return ["None of the requested figures compares a judge with people."]
    found = [row for row in with_people if row["statistic"] == used]
    known = [row for row in found if row["value"] is not None]
    known.sort(key=lambda row: (row["factor"] != OVERALL, -row["value"]))
    lines = [_agreement(row) for row in known[:_MOST_JUDGED]]
    rest = [row["factor"] for row in known[_MOST_JUDGED:]]
    if rest:
        lines.append(f"Weaker: {len(rest)} more, down to {known[-1]['value']:z.2f} on {rest[-1]}.")
    if unknown := [str(row["factor"]) for row in found if row["value"] is None]:
        lines.append(
            f"No agreement can be computed on {listed(unknown)}: see `undefined` in the answer for the reason."
        )
    return lines


def _agreement(row: Json) -> str:
    value, interval = row["value"], row["interval"]
    strength = next(
        (word for least, word in _STRENGTHS if value >= least), "hardly" if value > -0.1 else "inversely"
    )
    chance = "; this could be chance" if interval and interval["low"] <= 0 <= interval["high"] else ""
    name = str(row["statistic"]).replace("_", " ")
    detail = f"{name} {value:z.2f}{_bounds(interval)}, n = {row['n']}{chance}"
    return f"{row['factor']}: {row['rater']} agrees {strength} with people ({detail})."


def _bounds(interval: Json | None) -> str:
    return f", 95 % interval {interval['low']:z.2f} to {interval['high']:z.2f}" if interval else ""


def _scale_warning(ratings: Sequence[Json], scales: Mapping[str, Range]) -> Iterator[str]:
    """Warn in one line of all factors that judges and people rate on different scales."""
    given: dict[tuple[str, str], list[float]] = defaultdict(list)
    for rating in ratings:
        if isinstance(rating.get("score"), int | float):
            given[str(rating.get("factor")), str(rating.get("kind"))].append(float(rating["score"]))
    found = []
    for factor in dict.fromkeys(factor for factor, _ in given):
        judge, people = given.get((factor, "judge")), given.get((factor, "human"))
        if judge and people and factor in scales and _differ(people, *scales[factor]):
            low, high = scales[factor]
            found += [f"{factor} (judge {low:g} to {high:g}, people {min(people):g} to {max(people):g})"]
    if found:
        yield (
            f"Warning: scales differ on {listed(found)}. Rank correlations remain valid; kappa, alpha, percent agreement and "
            "differences of means do not."
        )


def _differ(people: Sequence[float], low: float, high: float) -> bool:
    """Return whether people's scores lie off the judge's scale, or in a small corner of it."""
    off = min(people) < low or max(people) > high
    return off or max(people) * (2 if len(people) >= _FEW else 10) <= high
