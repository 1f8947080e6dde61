"""A calibration on a terminal: sentences first, then tables."""

from collections.abc import Mapping, Sequence

from rich.console import Console

from ..inputs import Json
from ..judge_commands import say
from ..records import judge_text
from ..tables import figures_table
from .matching import Consistency
from .sentences import differences, headline, of_scale, plans, score, steadiness, warnings

ALL = "all"
COLUMNS = (
    "system",
    "people would give",
    "labels alone",
    "judge alone",
    "labels",
    "worth",
    "annotators; warnings",
)
MAP_COLUMNS = ("map", "judge", "form", "n", "error before", "error", "intervals hold")


def print_calibration(
    console: Console,
    answer: Json,
    steady: Mapping[str, Consistency],
    remarks: Sequence[str],
) -> None:
    """Print what people would give; then the figures, what they rest on, and warnings."""

    say(*headline(answer), *differences(answer), style="bold")
    for title, rows in mean_tables(answer, steady).items():
        console.print(figures_table(title, COLUMNS, rows, COLUMNS[-1:]))
    if answer["maps"]:
        title = "Maps to people's scale, for single verdicts"
        console.print(figures_table(title, MAP_COLUMNS, map_rows(answer), MAP_COLUMNS))
    say(*plans(answer), *steadiness(steady))
    say(*(f"Warning: {line}" for line in warnings(answer, remarks)), style="yellow")


def mean_tables(answer: Json, steady: Mapping[str, Consistency]) -> Mapping[str, Sequence[Sequence[str]]]:
    """For each factor and judge, by their names: a row for each system, in the order of `COLUMNS`."""
    found: dict[str, list[Sequence[str]]] = {}
    for row in answer["means"]:
        # Repeats are counted over all systems: they stand in the first row.
        rows = found.setdefault(table_title(row), [])
        rows.append(_mean_row(row, {} if rows else steady))
    return found


def table_title(row: Json) -> str:
    """The factor, its label where that has another name, and the judge."""
    label = "" if row["label"] == row["factor"] else f" (labels: {row['label']})"
    return f"{row['factor']}{label}, judged by {row['judge']}, {of_scale(row)}"


def _mean_row(row: Json, steady: Mapping[str, Consistency]) -> Sequence[str]:
    plain = row["plain"]
    return (
        row["system"] or ALL,
        "" if row["mean"] is None else _figure(row["mean"], row["interval"], row),
        "" if plain is None else _figure(plain["mean"], plain["interval"], row),
        score(row["judge_mean"], row),
        f"{row['n']} of {row['judged']}",
        "" if row["worth"] is None else f"{row['worth']:.2f}",
        "; ".join([annotators(row, steady), *filter(None, [_mind(row)])]),
    )


def _figure(value: float, interval: Json, row: Json) -> str:
    return f"{score(value, row)} ({score(interval['low'], row)} to {score(interval['high'], row)})"


def _mind(row: Json) -> str:
    """The codes of the warnings that concern this figure, in words; who rated is told beside them."""
    return ", ".join(code.replace("_", " ") for code in row["warnings"] if code != "one_annotator")


def annotators(row: Json, steady: Mapping[str, Consistency]) -> str:
    """Return how many rated, how well they agree, and how steady they are."""
    found = row["annotators"]
    if not found:
        return "none"
    told = [f"{found['raters']}"]
    if found["alpha"] is not None:
        told.append(f"alpha {found['alpha']:z.2f} on {found['overlap']}")
    elif found["spread"] is not None:
        told.append(f"apart by {found['spread']:.2f} on {found['overlap']}")
    if (again := steady.get(row["label"])) is not None:
        told.append(f"same again {again.same} of {again.pairs}")
    return ", ".join(told)


def map_rows(answer: Json) -> list[tuple[str, ...]]:
    """A row for each map, in the order of `MAP_COLUMNS`."""
    return [
        (
            one["factor"] if one["factor"] == one["label"] else f"{one['factor']} to {one['label']}",
            judge_text(one["judge"]),
            one["form"],
            str(one["n"]),
            *("" if one[name] is None else f"{one[name]:.2f}" for name in ("error_before", "error")),
            "" if one["coverage"] is None else f"{one['coverage']:.0%} of labels, aim {one['level']:.0%}",
        )
        for one in answer["maps"]
    ]
