"""The plots of `make -C research agreement`."""

from research.agreement_page import LABELS, Report, Rows, Study, compared, find
from research.bars_and_dots import Bar, bars, dots
from service.cli.svg import heat_map


def plots(report: Report) -> dict[str, str]:
    """File name to SVG: agreement by label, coupling of factors, systems by judge and people."""
    drawn = {}
    for study in report.main:
        stem = study.stem
        for half, rows in study.halves.items():
            some = [_bar(rows, label, rater) for label, rater in compared(rows)]
            title = f"Pearson with people, {study.name.split('.')[0]}, {half}"
            drawn[f"{stem}-{half}.svg"] = bars(title, some, "knowing only the system")
        drawn |= _coupling_plot(study, stem)
        drawn |= _systems_plot(study, stem)
    return drawn


def _bar(rows: Rows, label: str, rater: str) -> Bar:
    wanted = {"statistic": "pearson", "factor": label, "rater": rater, "other": "people"}
    row, oracle = (find(rows, over=over, **wanted) for over in ("pooled", "system_mean"))
    interval = row["interval"] if row else None
    return Bar(
        f"{LABELS.get(label, label)} ({rater})",
        row["value"] if row else None,
        interval["low"] if interval else None,
        interval["high"] if interval else None,
        oracle["value"] if oracle else None,
    )


def _coupling_plot(study: Study, stem: str) -> dict[str, str]:
    cells = [row for row in study.judge if row["statistic"] == "coupling" and row["other_factor"]]
    names = list(dict.fromkeys(name for row in cells for name in (row["factor"], row["other_factor"])))
    if not names:
        return {}
    known = {(row["factor"], row["other_factor"]): row["value"] for row in cells}
    values = [[1.0 if a == b else known.get((a, b), known.get((b, a))) for b in names] for a in names]
    return {f"{stem}-coupling.svg": heat_map("Kendall's tau-b between the judge's factors", names, values)}


def _systems_plot(study: Study, stem: str) -> dict[str, str]:
    means = [row for row in study.debate if row["statistic"] == "mean_score" and row["system"]]
    systems = list(dict.fromkeys(str(row["system"]) for row in means))
    points = []
    for system in systems:
        roles = [row["value"] for row in means if row["system"] == system]
        people = find(study.everything, statistic="mean_score", rater="people", system=system)
        if people and people["value"] is not None:
            points.append((system, people["value"] / 4, sum(roles) / len(roles) / 100))
    if not points:
        return {}
    axes = ("people, overall impression / 4", "debate / 100")
    return {f"{stem}-systems.svg": dots("Systems by people and by the debate", points, axes)}
