"""Agreement of judges with people and with one another, and how factors go together (CoRE, figures 7-11)."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isfinite
from statistics import fmean
from typing import Any

from ....errors import InvalidRequest
from ....statistics.agreement import measure
from ....statistics.bootstrap import Interval, Resamples
from ....statistics.coefficients import Coefficient
from ....statistics.comparison import over_systems
from ....statistics.ratings import PEOPLE, RaterKind, Rating, Ratings
from ....statistics.rows import StatRow, Workshop
from ....statistics.sheets import RaterScores, align, sort_ratings
from ...exits import CommandError
from ...inputs import Json
from ...scores import MEAN_OF_FACTORS, OVERALL
from ...tabulating.formats import StudyTable, heat_map, table_of
from ...tabulating.summary import summarise
from ..report import of_plot, published, source
from .judgements import JudgeRun, title_of
from .sessions import StudySession, file_name

FEWEST_SYSTEMS = 3
INTERVALS = "Low and high: 95 % percentile bootstrap over users."
NO_LABELS = (
    "no --labels: have people rate the logs in the run's folder, and give the same command their ratings"
)


def ratings(judged: JudgeRun) -> list[Rating]:
    """A judge's scores as ratings: a situation put to each system."""
    found: list[Rating] = []
    for name, record in judged.records.items():
        scored = [verdict for verdict in record.verdicts if verdict["status"] == "scored"]
        scores = {verdict["factor"]: verdict["score"] for verdict in scored}
        if scored:
            ends = [
                (verdict["score"], verdict["scale"]["min"], verdict["scale"]["max"]) for verdict in scored
            ]
            scores[MEAN_OF_FACTORS] = 100 * fmean((score - low) / (high - low) for score, low, high in ends)
        if record.debate:
            scores[OVERALL] = record.debate["overall"]
        session = judged.sessions[name]
        found += [rating(session, factor, judged.judge, score) for factor, score in scores.items()]
    return found


def all_ratings(every: Sequence[JudgeRun]) -> list[Rating]:
    """The scores of all judges as ratings."""
    return [one for judged in every for one in ratings(judged)]


def rating(
    session: StudySession, factor: str, rater: str, score: float, kind: RaterKind = RaterKind.JUDGE
) -> Rating:
    """Rate a session. Whole users are resampled, so a user's seeds are turns of one conversation."""
    return Rating(
        conversation=session.user,
        system=session.system,
        factor=factor,
        rater=rater,
        kind=kind,
        score=score,
        turn=session.seed,
        length=session.words,
    )


def people(labels: Sequence[Json], sessions: Sequence[StudySession]) -> list[Rating]:
    """People's ratings of these sessions. Raises CommandError for one of another conversation."""
    known = {session.id: session for session in sessions}
    found = []
    for label in labels:
        session = known.get(str(label.get("conversation")))
        score = label.get("score")
        if session is None or not isinstance(score, int | float) or not isfinite(score):
            raise CommandError(
                f"--labels: {label.get('conversation')!r} is no session of this run. Label the logs in its folder: "
                "each rating names a log's id as `conversation`, a `factor`, a `rater` and a `score`."
            )
        factor, rater = str(label.get("factor")), str(label.get("rater") or "person")
        # The factors' mean is compared with people's overall rating as well.
        names = (factor, MEAN_OF_FACTORS) if factor == OVERALL else (factor,)
        found += [rating(session, name, rater, score, RaterKind.HUMAN) for name in names]
    return found


def agreement(given: Sequence[Rating], statistics: Sequence[str]) -> Sequence[StatRow]:
    """The rows of `/agreement` on these ratings, computed here: in full precision, and however long it takes. Raises
    CommandError for a person with a judge's name, and for one called `people`."""
    try:
        return measure(given, statistics=statistics).rows
    except InvalidRequest as wrong:
        raise CommandError(f"These ratings cannot be compared: {wrong.detail}") from None


def coupling(judged: JudgeRun, factors: Sequence[str]) -> tuple[StudyTable, str] | None:
    """Kendall's tau-b between every two factors of a judge (figure 7); None where none is defined."""
    given = [one for one in ratings(judged) if one.factor in factors]
    rows = agreement(given, ["coupling", "mean_coupling"])
    found = [row for row in rows if row.statistic == "coupling" and row.value is not None]
    if not found:
        return None
    title = f"Coupling of factors, Kendall's tau-b, judge {judged.judge} (CoRE, figure 7)"
    taus = {frozenset((row.factor, row.other_factor)): row.value for row in found}
    square = [[1.0 if a == b else taus.get(frozenset((a, b))) for b in factors] for a in factors]
    mean = next((row for row in rows if row.statistic == "mean_coupling"), None)
    size, printed = "mean of the absolute values", published("core")["coupling"]["rows"]
    table: list[list[Any]] = [[row.factor, row.other_factor, row.n, *bounded(row)] for row in found]
    table.append([size, None, mean.conversations if mean else None, *bounded(mean)])
    table += [
        [f"{size}, published: {name}", None, None, value, None, None] for name, value in printed.items()
    ]
    columns = ("factor", "other factor", "conversations", *with_bounds("tau-b"))
    place = source("core", "coupling")
    sheet = StudyTable(
        f"coupling-{judged.file}", title, columns, table, INTERVALS, place, digits=3, folded=True
    )
    return sheet, heat_map(title, list(factors), square)


def ranks_of_factors(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two factors (figure 9)."""
    scores = _by_factor([judged])[judged.judge]
    known = [factor for factor in factors if factor in scores]
    rows = [[a, b, *_tau_of_systems(scores[a], scores[b])] for a, b in combinations(known, 2)]
    title = f"Rankings of systems, factor against factor, Kendall's tau-b, judge {judged.judge}"
    columns = ("factor", "other factor", "systems", *with_bounds("tau-b"))
    words = of_plot("core", "ranks_of_factors")
    name, title = f"ranks-by-factor-{judged.file}", f"{title} (CoRE, figure 9)"
    return StudyTable(name, title, columns, rows, *words)


def ranks_of_judges(every: Sequence[JudgeRun]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two judges, on each factor (figure 8)."""
    scores = _by_factor(every)
    rows = [
        [factor, first, second, *_tau_of_systems(ours, scores[second][factor])]
        for first, second in combinations(scores, 2)
        for factor, ours in scores[first].items()
        if factor in scores[second]
    ]
    title = "Rankings of systems, judge against judge, Kendall's tau-b (CoRE, figure 8)"
    columns = ("factor", "judge", "other judge", "systems", *with_bounds("tau-b"))
    return StudyTable("ranks-by-judge", title, columns, rows, *of_plot("core", "ranks_of_judges"))


def _by_factor(every: Sequence[JudgeRun]) -> dict[str, dict[str, RaterScores]]:
    """Scores of each judge by factor."""
    sheets = sort_ratings(Ratings.from_objects(all_ratings(every))).sheets
    return {
        one.judge: {sheet.factor: sheet.judges[one.judge] for sheet in sheets if one.judge in sheet.judges}
        for one in every
    }


def _tau_of_systems(first: RaterScores, second: RaterScores) -> list[Any]:
    """Return how many systems both scored, and tau-b of the systems' means over what both scored, with its interval over users."""
    (row,) = over_systems([Coefficient.KENDALL_TAU_B], align(first, second), Workshop(Resamples()))
    return [row.n, *figure_cells(row.value, row.interval)]


def with_people(
    judged: Sequence[JudgeRun],
    given: Sequence[Rating],
    statistics: Sequence[str] = ("quadratic_weighted_kappa", "spearman", "kendall_tau_b"),
) -> list[StatRow]:
    """The rows of `/agreement` between each judge and the people."""
    rows = agreement([*all_ratings(judged), *given], statistics)
    return [row for row in rows if row.over == "pooled" and row.other == PEOPLE]


def figure_cells(value: float | None, interval: Interval | None) -> list[Any]:
    """Return a value and the ends of its interval, None where there is none."""
    return [value, interval.low, interval.high] if interval else [value, None, None]


def bounded(row: StatRow | None) -> list[Any]:
    """Return a statistic and the ends of its interval, None for what is undefined."""
    return figure_cells(row.value if row else None, row.interval if row else None)


def with_bounds(name: str) -> list[str]:
    """Return the columns of a statistic and the ends of its interval."""
    return [name, f"{name}, low", f"{name}, high"]


def figures(rows: Sequence[StatRow], rater: str, factor: str, statistics: Sequence[str]) -> list[Any]:
    """Return how many units a rater and the people share on a factor, and each statistic of the two with its interval."""
    found = {row.statistic: row for row in rows if (row.rater, row.factor) == (rater, factor)}
    n = max((found[name].n for name in statistics if name in found), default=0)
    return [n, *(value for name in statistics for value in bounded(found.get(name)))]


def kappas(rows: Sequence[StatRow], judges: Sequence[str], factors: Sequence[str]) -> StudyTable:
    """Quadratic weighted kappa with people by factor, the best published beside (figure 10, table 22)."""
    printed = published("core")["kappas"]["judges"]
    own = [column for judge in judges for column in with_bounds(judge)]
    columns = ["factor", "conversations", *own, "published: GPT-4o-mini", "published: best"]
    table: list[list[Any]] = []
    for factor in factors:
        here = [figures(rows, judge, factor, ["quadratic_weighted_kappa"]) for judge in judges]
        values = [value for _, *bounds in here for value in bounds]
        best, name = max((each[factor], name) for name, each in printed.items())
        beside = [printed["GPT-4o-mini"][factor], f"{best:.3f} ({name})"]
        table.append([factor, max(n for n, *_ in here), *values, *beside])
    title = "Agreement with people by factor, quadratic weighted kappa (CoRE, table 22, figure 10)"
    place = source("core", "kappas")
    return StudyTable("kappa-with-people", title, columns, table, INTERVALS, place, digits=3)


def overall_with_people(rows: Sequence[StatRow], judges: Sequence[str]) -> StudyTable:
    """Correlations of overall scores with people's overall (table 7)."""
    raters = dict.fromkeys(str(row.rater) for row in rows if row.factor == OVERALL)
    names = {MEAN_OF_FACTORS: "mean of factors", OVERALL: "debate"}
    scored = [(judge, factor, f"{judge}, {name}") for judge in judges for factor, name in names.items()]
    scored += [(rater, OVERALL, rater) for rater in raters if rater not in judges]
    compared = {(row.rater, row.factor) for row in rows}
    table: list[list[Any]] = [
        [name, *figures(rows, rater, factor, ["spearman", "kendall_tau_b"])]
        for rater, factor, name in scored
        if (rater, factor) in compared
    ]
    for name, (spearman, tau) in published("core")["overall"]["rows"].items():
        table.append([f"published: {name}", 80, spearman, None, None, tau, None, None])
    title = "Agreement of overall scores with people (CoRE, table 7)"
    columns = ("score", "conversations", *with_bounds("Spearman"), *with_bounds("tau-b"))
    place = source("core", "overall")
    return StudyTable("overall-with-people", title, columns, table, INTERVALS, place, digits=3)


def best_judges(rows: Sequence[StatRow], factors: Sequence[str]) -> dict[str, str]:
    """For each factor the judge with the highest quadratic weighted kappa, the first of equal ones."""
    found: dict[str, tuple[float, str]] = {}
    for row in rows:
        if row.statistic == "quadratic_weighted_kappa" and row.value is not None and row.factor in factors:
            factor = str(row.factor)
            if factor not in found or row.value > found[factor][0]:
                found[factor] = row.value, str(row.rater)
    return {factor: rater for factor, (_, rater) in found.items()}


def mixtures(judged: Sequence[JudgeRun], best: Mapping[str, str]) -> list[StudyTable]:
    """The systems on each factor by its best judge (figure 11): all datasets together, each weighing as many conversations as
    it has, and each dataset alone."""
    chosen = "; ".join(f"{factor}: {name}" for factor, name in best.items())
    sheets = []
    for dataset in judged[0].datasets:
        by_name = {one.judge: one.numbers(dataset) for one in judged}
        numbers = [one for factor, name in best.items() for one in by_name[name] if one.factor == factor]
        title = f"Mixture of evaluators{title_of(dataset)} (CoRE, figure 11)"
        weighed = "" if dataset else " Datasets weigh by their conversations."
        name = "-".join(filter(None, ["mixture", dataset and file_name(dataset)]))
        summary = summarise(title, numbers, factors=list(best))
        sheets.append(table_of(name, summary, f"Judges: {chosen}.{weighed}"))
    return sheets
