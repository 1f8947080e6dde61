"""The mixture of evaluators: each factor by the judge that agrees best with people (CoRE, figure 11)."""

from collections.abc import Mapping, Sequence

from ...inputs import Json
from ...tabulating.summary import Measured, Summary, summarise
from ..sheets import Sheet, sheet_of
from .judging import Judged


def best_judges(rows: Sequence[Json], factors: Sequence[str]) -> dict[str, str]:
    """For each factor the judge with the highest quadratic weighted kappa, the first of equal ones."""
    found: dict[str, tuple[float, str]] = {}
    for row in rows:
        known = row["statistic"] == "quadratic_weighted_kappa" and row["value"] is not None
        if known and row["factor"] in factors and row["value"] > found.get(row["factor"], (-2.0, ""))[0]:
            found[row["factor"]] = (row["value"], row["rater"])
    return {factor: judge for factor, (_, judge) in found.items()}


def mixture(judged: Sequence[Judged], best: Mapping[str, str]) -> Sheet:
    """The systems on each factor by its best judge, all datasets together: each weighs as many conversations as it has."""
    by_name = {one.judge: one.numbers() for one in judged}
    numbers: list[Measured] = []
    for factor, name in best.items():
        numbers += [one for one in by_name[name] if one.factor == factor]
    told = "; ".join(f"{factor}: {name}" for factor, name in best.items())
    summary: Summary = summarise("Mixture of evaluators (CoRE, figure 11)", numbers, factors=list(best))
    return sheet_of("mixture", summary, f"Judges: {told}. Datasets weigh by their conversations.")
