"""A calibration on a terminal: sentences first, then tables."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from ..inputs import Json
from ..judge_commands import say
from ..records import judge_text
from ..tables import figures_table
from .matching import Consistency

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

MOST_SENTENCES = 8
"""Beyond that the sentences say what holds of all systems together; the table has the rest."""
_MOST_PAIRS = 6
_FINE_SPAN, _COARSE_SPAN = 2, 20


def print_calibration(
    console: Console,
    answer: Json,
    steady: Mapping[str, Consistency],
    remarks: Sequence[str],
) -> None:
    """Print what people would give, the figures, and what they rest on. Warnings go to standard error."""
    say(*headline(answer), *differences(answer), style="bold", to=console)
    for title, rows in mean_tables(answer, steady).items():
        console.print(figures_table(title, COLUMNS, rows, COLUMNS[-1:]))
    if answer["maps"]:
        title = "Maps to people's scale, for single verdicts"
        console.print(figures_table(title, MAP_COLUMNS, map_rows(answer), MAP_COLUMNS))
    say(*plans(answer), *steadiness(steady), to=console)
    warnings = (str(warning["detail"]) for warning in answer["warnings"])
    say(*(f"Warning: {line}" for line in (*remarks, *warnings)), style="yellow")


def mean_tables(answer: Json, steady: Mapping[str, Consistency]) -> Mapping[str, Sequence[Sequence[str]]]:
    """For each factor and judge, by their names: a row for each system, in the order of `COLUMNS`."""
    found: dict[str, list[Sequence[str]]] = {}
    for row in answer["means"]:
        # Repeats are counted over all systems: they stand in the first row.
        label = "" if row["label"] == row["factor"] else f" (labels: {row['label']})"
        title = f"{row['factor']}{label}, judged by {row['judge']}, {of_scale(row)}"
        rows = found.setdefault(title, [])
        rows.append(_mean_row(row, {} if rows else steady))
    return found


def _mean_row(row: Json, steady: Mapping[str, Consistency]) -> Sequence[str]:
    plain = row["plain"]
    # The warnings that concern this figure; who rated is said beside them.
    mind = ", ".join(code.replace("_", " ") for code in row["warnings"] if code != "one_annotator")
    return (
        row["system"] or ALL,
        "" if row["mean"] is None else _figure(row["mean"], row["interval"], row),
        "" if plain is None else _figure(plain["mean"], plain["interval"], row),
        score(row["judge_mean"], row),
        f"{row['n']} of {row['judged']}",
        "" if row["worth"] is None else f"{row['worth']:.2f}",
        "; ".join([annotators(row, steady), *filter(None, [mind])]),
    )


def _figure(value: float, interval: Json, row: Json) -> str:
    return f"{score(value, row)} ({score(interval['low'], row)} to {score(interval['high'], row)})"


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


def headline(answer: Json) -> list[str]:
    """Return what people would give each system, and what the judge alone says."""
    rows = answer["means"]
    if len(rows) > MOST_SENTENCES:
        first = {(row["factor"], row["judge"]): row for row in reversed(rows)}
        rows = [row for row in rows if first[row["factor"], row["judge"]] is row]
    several = len({row["factor"] for row in answer["means"]}) > 1
    judges = len({row["judge"] for row in answer["means"]}) > 1
    return [_mean(row, several=several, judges=judges) for row in rows]


def _mean(row: Json, *, several: bool, judges: bool) -> str:
    given = f"{row['system']}" if row["system"] is not None else "these conversations"
    judge = row["judge"] if judges else "The judge"
    alone = f"{judge} alone says {score(row['judge_mean'], row)}."
    start = f"On {row['factor']}, people" if several else "People"
    if row["mean"] is None:
        told = "one label" if row["n"] else "no label"
        on = f" on {row['factor']}" if several else ""
        return f"{given} has {told}{on}, so nothing corrects the judge there. {alone}"
    low, high = (score(row["interval"][end], row) for end in ("low", "high"))
    return f"{start} would give {given} {score(row['mean'], row)} {of_scale(row)}, between {low} and {high}. {alone}"


def differences(answer: Json) -> Iterator[str]:
    """Yield which of two systems people would rate higher, where that can be told."""
    rows = answer["differences"]
    several = len({row["factor"] for row in rows}) > 1
    scales = {(row["factor"], row["judge"]): row for row in answer["means"]}
    if len(rows) > _MOST_PAIRS:
        sure = sum(row["interval"]["low"] > 0 or row["interval"]["high"] < 0 for row in rows)
        chance = round(len(rows) * (1 - rows[0]["interval"]["level"]))
        yield (
            f"Of {len(rows)} differences between two systems, {sure} have an interval without 0. Chance alone gives about {chance}. "
            "The file has them all."
        )
        return
    for row in rows:
        mean = scales[row["factor"], row["judge"]]
        yield _difference(row, mean, f"On {row['factor']}: " if several else "")


def _difference(row: Json, mean: Json, prefix: str) -> str:
    sign = 1 if row["difference"] >= 0 else -1
    better, worse = (row["first"], row["second"])[::sign]
    low, high = sorted(sign * row["interval"][end] for end in ("low", "high"))
    told = f"{score(sign * row['difference'], mean)} (between {score(low, mean)} and {score(high, mean)})"
    judge = sign * row["judge_difference"]
    if low <= 0:
        return f"{prefix}{better} and {worse} may be equal: the difference is {told}."
    against = f" The judge alone says {score(judge, mean)}." if judge <= 0 else ""
    return f"{prefix}People would rate {better} above {worse} by {told}.{against}"


def plans(answer: Json) -> Iterator[str]:
    """Yield how precise the means are, and how many labels more precision takes."""
    first = {(row["factor"], row["judge"]): row for row in reversed(answer["plan"])}
    for row in (row for row in answer["plan"] if first[row["factor"], row["judge"]] is row):
        wanted = f"{row['half_width']:g}"
        counts = (row[part] for part in ("labels", "labels_without_judge"))
        with_judge, without = ("more than a million labels" if n is None else f"{n} labels" for n in counts)
        yield (
            f"{row['factor']}: known to within {row['half_width_now']:.2g}; to within {wanted} takes {with_judge} "
            f"with this judge, {without} without it."
        )


def steadiness(found: Mapping[str, Consistency]) -> Iterator[str]:
    """Yield how often annotators repeated what they had said."""
    for label, one in found.items():
        yield (
            f"{label}: annotators said the same again of {one.same} of {one.pairs} conversations that came twice; the "
            f"answers differ by {one.difference:.2g} on average."
        )


def score(value: float, row: Json) -> str:
    """A score, or a difference, with as many digits as its scale wants."""
    span = row["scale"]["max"] - row["scale"]["min"]
    digits = 2 if span <= _FINE_SPAN else 0 if span > _COARSE_SPAN else 1
    return f"{value:z.{digits}f}"


def of_scale(row: Json) -> str:
    """`of 4`, or `on 1 to 5` where the scale does not begin with 0."""
    low, high = row["scale"]["min"], row["scale"]["max"]
    return f"of {high:g}" if low == 0 else f"on {low:g} to {high:g}"
