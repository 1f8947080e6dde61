"""A calibration as one HTML file without scripts: what people would give, figures, what they rest on."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from ..inputs import Json
from ..plain_page import plain_page, table
from ..records import judge_text
from . import figures
from .calibrating import CalibrationMaterial
from .matching import Consistency
from .sentences import differences, headline, plans, steadiness, warnings
from .tables import COLUMNS, MAP_COLUMNS, map_rows, mean_tables, table_title


def calibration_page(
    answer: Json, material: CalibrationMaterial, steady: Mapping[str, Consistency], remarks: Sequence[str]
) -> str:
    """The whole document."""
    reference = material.wishes.reference or "people"
    lead = [f'<p class="lead">{escape(line)}</p>' for line in headline(answer, reference)]
    others = [f"<p>{escape(line)}</p>" for line in differences(answer)]
    told = [f'<p class="warning">{escape(line)}</p>' for line in warnings(answer, remarks)]
    rest = [f"<p>{escape(line)}</p>" for line in (*plans(answer), *steadiness(steady))]
    parts = [*lead, *others, *told, *_means(answer, steady), *rest]
    parts += [part for one in answer["maps"] for part in _map(one, material)]
    return plain_page("What people would give", parts)


def _means(answer: Json, steady: Mapping[str, Consistency]) -> Iterator[str]:
    for title, rows in mean_tables(answer, steady).items():
        drawn = [row for row in answer["means"] if table_title(row) == title]
        yield f"<h2>{escape(title)}</h2>{figures.means(drawn)}{table(COLUMNS, rows)}"
    yield (
        '<p class="dim">Dot and thick line: what people would give, with its interval. Thin line: the interval of the labels '
        "alone. Diamond: the judge alone. Worth: how many plain labels one label counts for beside this judge.</p>"
    )


def _map(one: Json, material: CalibrationMaterial) -> Iterator[str]:
    points = labelled_points(one, material)
    yield f"<h2>{escape(one['factor'])}: single verdicts</h2>"
    yield table(MAP_COLUMNS, map_rows({"maps": [one]}))
    yield figures.judge_against_people(one, points)
    yield '<p class="dim">A dot is a labelled conversation (larger: several). The line is the map, the band the interval of a single verdict.</p>'
    if one["coverage"] is not None and points:
        told = (
            f"{one['coverage']:.0%} of the labels lie inside intervals that were made without them (cross-validation); "
            f"{one['level']:.0%} is the aim."
        )
        yield f'<p class="dim">{escape(told)}</p>'


def labelled_points(one: Json, material: CalibrationMaterial) -> list[figures.Point]:
    """The judge's score and people's mean of every conversation behind a map."""
    name = judge_text(one["judge"])
    given: dict[tuple[str, str | None], list[float]] = {}
    for match in material.matched.first:
        if match.label.factor == one["label"]:
            given.setdefault((match.record.conversation, match.record.system), []).append(match.label.score)
    return [
        (judged.score, sum(scores) / len(scores))
        for judged in material.scores
        if (judged.factor, judged.judge) == (one["factor"], name)
        and (scores := given.get((judged.record.conversation, judged.record.system)))
    ]
