"""A calibration on a terminal: what people would give in sentences, then tables."""

from collections.abc import Iterable, Sequence

from rich.console import Console

from ..inputs import Json
from ..judge_commands import print_lines
from ..records import judge_text
from ..tables import print_rows

MEANS = ("factor", "label", "system", "judge", "mean", "interval", "labels alone", "judge alone", "labels", "worth",
    "annotators", "alpha", "warnings")  # fmt: skip
DIFFERENCES = ("factor", "judge", "first", "second", "difference", "interval", "judge_difference")
MAPS = ("factor", "label", "judge", "form", "n", "error_before", "error", "coverage")
PLANS = ("factor", "system", "judge", "half_width_now", "half_width", "labels", "labels_without_judge")
MOST_SENTENCES = 8
"""Beyond that the sentences say what holds of all systems together; the table has the rest."""


def print_calibration(console: Console, answer: Json, steady: Iterable[str], remarks: Iterable[str]) -> None:
    """Print the ratings people would give, the figures, and their basis. Warnings go to standard error."""
    print_lines(*headline(answer), style="bold", to=console)
    maps = [{**one, "judge": judge_text(one["judge"])} for one in answer["maps"]]
    tables: dict[str, tuple[Sequence[str], Sequence[Json]]] = {
        "Means on people's scale": (MEANS, [_mean_row(row) for row in answer["means"]]),
        "Differences on people's scale: first minus second": (DIFFERENCES, answer["differences"]),
        "Maps to people's scale, for single verdicts": (MAPS, maps),
        "Labels needed for a half width of the interval": (PLANS, answer["plan"]),
    }
    for title, (columns, rows) in tables.items():
        if rows:
            print_rows(console, title, columns, rows)
    print_lines(*steady, to=console)
    warnings = (str(warning["detail"]) for warning in answer["warnings"])
    print_lines(*(f"Warning: {line}" for line in (*remarks, *warnings)), style="yellow")


def headline(answer: Json) -> list[str]:
    """Return what people would give each system, and what the judge alone says."""
    rows = answer["means"]
    if len(rows) > MOST_SENTENCES:
        first = {(row["factor"], row["judge"]): row for row in reversed(rows)}
        rows = [row for row in rows if first[row["factor"], row["judge"]] is row]
    several = len({row["factor"] for row in answer["means"]}) > 1
    judges = len({row["judge"] for row in answer["means"]}) > 1
    return [_sentence(row, several=several, judges=judges) for row in rows]


def _sentence(row: Json, *, several: bool, judges: bool) -> str:
    given = f"{row['system']}" if row["system"] is not None else "these conversations"
    judge = row["judge"] if judges else "The judge"
    alone = f"{judge} alone says {_score(row['judge_mean'], row)}."
    start = f"On {row['factor']}, people" if several else "People"
    if row["mean"] is None:
        count = "one label" if row["n"] else "no label"
        on = f" on {row['factor']}" if several else ""
        return f"{given} has {count}{on}, so the judge is not corrected there. {alone}"
    low, high = (_score(row["interval"][end], row) for end in ("low", "high"))
    least, most = row["scale"]["min"], row["scale"]["max"]
    scale = f"of {most:g}" if least == 0 else f"on {least:g} to {most:g}"
    return f"{start} would give {given} {_score(row['mean'], row)} {scale}, between {low} and {high}. {alone}"


def _mean_row(row: Json) -> Json:
    found, plain = row["annotators"] or {}, row["plain"] or {}
    return {
        **row,
        "labels alone": plain.get("mean"),
        "judge alone": row["judge_mean"],
        "labels": f"{row['n']} of {row['judged']}",
        "annotators": found.get("raters"),
        "alpha": None if found.get("alpha") is None else f"{found['alpha']:z.2f} on {found['overlap']}",
        "warnings": ", ".join(row["warnings"]),
    }


def _score(value: float, row: Json) -> str:
    """A score with as many digits as its scale wants."""
    span = row["scale"]["max"] - row["scale"]["min"]
    return f"{value:z.{2 if span <= 2 else 0 if span > 20 else 1}f}"
