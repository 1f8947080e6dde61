"""The mixture of evaluators: each factor by the judge that agrees best with people (CoRE, figure 11)."""

from collections.abc import Mapping, Sequence

from ...inputs import Json
from ...tabulating.formats import StudyTable, table_of
from ...tabulating.summary import Measured, Summary, summarise
from .judgements import JudgeRun, per_dataset, title_of
from .sessions import file_name


def best_judges(rows: Sequence[Json], factors: Sequence[str]) -> dict[str, str]:
    """For each factor the judge with the highest quadratic weighted kappa, the first of equal ones."""
    found: dict[str, tuple[float, str]] = {}
    for row in rows:
        known = row["statistic"] == "quadratic_weighted_kappa" and row["value"] is not None
        if known and row["factor"] in factors and row["value"] > found.get(row["factor"], (-2.0, ""))[0]:
            found[row["factor"]] = (row["value"], row["rater"])
    return {factor: judge for factor, (_, judge) in found.items()}


def mixtures(judged: Sequence[JudgeRun], best: Mapping[str, str]) -> list[StudyTable]:
    """The systems on each factor by its best judge: all datasets together, each weighing as many conversations as it
    has, and each dataset alone."""
    return [_mixture(judged, best, dataset) for dataset in per_dataset(judged[0])]


def _mixture(judged: Sequence[JudgeRun], best: Mapping[str, str], dataset: str | None) -> StudyTable:
    by_name = {one.judge: one.numbers(dataset) for one in judged}
    numbers: list[Measured] = []
    for factor, name in best.items():
        numbers += [one for one in by_name[name] if one.factor == factor]
    told = "; ".join(f"{factor}: {name}" for factor, name in best.items())
    title = f"Mixture of evaluators{title_of(dataset)} (CoRE, figure 11)"
    summary: Summary = summarise(title, numbers, factors=list(best))
    weighed = "" if dataset else " Datasets weigh by their conversations."
    name = "-".join(filter(None, ["mixture", dataset and file_name(dataset)]))
    return table_of(name, summary, f"Judges: {told}.{weighed}")
