"""Finished exams of one judge or several, and their words and numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..inputs import Json

if TYPE_CHECKING:
    from ...exam.report import ExamFigure, ExamPart, ExamReport, ExamRow
    from ...exam.versus import PairedRow

HALF = 0.5
MEASURES = (
    "sensitivity", "detected", "right_factors", "others_moved", "false_alarms", "overall_falls", "overall_drop",
)  # fmt: skip
FIGURES = (
    "pairs", "not assessable", "failed", "sees (95 %)", "names it", "right factors", "others move", "false alarms",
    "overall falls", "mean fall", "trust",
)  # fmt: skip
PAIRED = ("part", "name", "pairs", "both see", "only first", "only second", "neither", "p (McNemar, exact)")
RATED = ("absolute_error", "rank_correlation", "awful_score")


@dataclass(frozen=True)
class TakenExam:
    """A judge by the name that was asked for, the estimate, and the report."""

    judge: str
    estimate: Json
    report: "ExamReport"

    @property
    def answer(self) -> Json:
        """The answer that `/exam` gives to the whole: CRS_EVAL_EXAMS reads it."""
        from pydantic import TypeAdapter

        from ...exam.report import ExamReport

        report = TypeAdapter(ExamReport).dump_python(self.report, mode="json")
        return {"estimate": self.estimate, "report": report}


@dataclass(frozen=True)
class ExamResults:
    """Exams of several judges on the same pairs. The first is compared with each other one."""

    exams: Sequence[TakenExam]

    @cached_property
    def paired(self) -> "Sequence[tuple[str, Sequence[PairedRow]]]":
        """The other judges, each with the rows that compare the first one with it."""
        from ...exam.versus import versus
        from ...faults import load_faults

        first = self.exams[0].report
        return [(one.judge, versus(first, one.report, load_faults())) for one in self.exams[1:]]

    def names(self, by: "ExamPart") -> list[str]:
        """Return the names of the rows of any judge, faults in the order of their home factors."""
        from ...faults import load_faults

        names = {row.name for one in self.exams for row in one.report.rows if row.by is by}
        faults = load_faults()
        return sorted(names, key=lambda name: (faults[name].home if name in faults else "", name))


def row_cells(row: "ExamRow") -> tuple[str, ...]:
    """Return the figures of a row in the order of `FIGURES`."""
    figures = (
        row.detected,
        row.right_factors,
        row.others_moved,
        row.false_alarms,
        row.overall_falls,
        row.overall_drop,
    )
    counts = map(str, (row.pairs, row.not_assessable, row.failed))
    return *counts, with_interval(row.sensitivity), *map(share, figures), trust(row.sensitivity)


def paired_cells(row: "PairedRow") -> tuple[str, ...]:
    """Return a row of two judges in the order of `PAIRED`."""
    counts = (row.n, row.both, row.only_first, row.only_second, row.neither)
    return row.by.value, row.name, *map(str, counts), f"{row.p:.3f}"


def trust(sensitivity: "ExamFigure") -> str:
    """Return `yes` where a judge surely sees more than half of the faults, `no` where it surely sees fewer, else `unclear`."""
    if sensitivity.low is None or sensitivity.high is None:
        return ""
    return "yes" if sensitivity.low > HALF else "no" if sensitivity.high < HALF else "unclear"


def share(figure: "ExamFigure") -> str:
    """Return a share for people: 0.85, empty without cases."""
    return "" if figure.value is None else f"{figure.value:z.2f}"


def with_interval(figure: "ExamFigure") -> str:
    """Return a figure with its interval: 0.85 (0.70-0.93)."""
    if figure.low is None or figure.high is None:
        return share(figure)
    return f"{share(figure)} ({figure.low:z.2f}-{figure.high:z.2f})"


def headline(one: TakenExam) -> Iterator[str]:
    """Yield a judge's figures over the whole exam, a sentence each."""
    from ...exam.report import ExamPart

    row, rated, sitting = one.report.row(ExamPart.ALL), one.report.absolute, one.report.sitting
    if row is not None:
        yield from _of_pairs(row)
    if rated.absolute_error.n:
        yield (
            f"Overall score of {rated.absolute_error.n} rated conversations: absolute error "
            f"{with_interval(rated.absolute_error)}, rank correlation {with_interval(rated.rank_correlation)}."
        )
    if rated.awful_score.n:
        yield f"Mean score of {rated.awful_score.n} awful conversations: {with_interval(rated.awful_score)} of 4."
    usage = sitting.usage
    cost = "" if usage.cost is None else f", cost {usage.cost:.4g}"
    yield f"Tokens: {usage.input_tokens + usage.output_tokens:,}{cost}. Time: {sitting.seconds:.0f} s."


def _of_pairs(row: "ExamRow") -> Iterator[str]:
    yield f"Sees {with_interval(row.sensitivity)} of the faults of {row.sensitivity.n} pairs."
    if row.not_assessable or row.failed:
        yield f"Not assessable: {row.not_assessable} of {row.pairs} pairs. Failed: {row.failed}."
    if row.detected.n:
        yield f"Names the fault in {with_interval(row.detected)} of {row.detected.n} bad versions."
        yield f"Reports a fault in {with_interval(row.false_alarms)} of {row.false_alarms.n} good versions."
    else:
        yield "Reports no faults, so it has no false alarms to count."
    yield f"Factors that should fall: {with_interval(row.right_factors)} do. Others that move: {share(row.others_moved)}."
    yield f"The overall score falls in {with_interval(row.overall_falls)} of the pairs, by {share(row.overall_drop)} on average."
