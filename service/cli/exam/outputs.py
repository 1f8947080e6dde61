"""An exam as JSON, CSV and JUnit XML."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from ..file_formats import csv_text, json_text
from ..safe_text import cell, xml
from .results import MEASURES, RATED, ExamResults

COLUMNS = ("judge", "by", "name", "measure", "value", "n", "low", "high")


def exam_json(results: ExamResults) -> str:
    """Return the answer of `/exam` for one judge; for several, one answer each by `judge`, and the comparisons."""
    value: Any = results.exams[0].answer
    if results.paired:
        value = {
            "exams": [{"judge": one.judge, **one.answer} for one in results.exams],
            "paired": [
                {
                    "first": results.exams[0].judge, "second": other, "by": row.by.value, "name": row.name,
                    "n": row.n, "both": row.both, "only_first": row.only_first, "only_second": row.only_second,
                    "neither": row.neither, "p": round(row.p, 6),
                }
                for other, rows in results.paired
                for row in rows
            ],
        }  # fmt: skip
    return json_text(value)


def exam_csv(results: ExamResults) -> str:
    """Return one line per judge, row and measure."""
    return csv_text(COLUMNS, _figures(results))


def _figures(results: ExamResults) -> Iterator[dict[str, Any]]:
    for one in results.exams:
        parts = [(row.by.value, row.name, MEASURES, row) for row in one.report.rows]
        for by, name, measures, part in [*parts, ("absolute", "all", RATED, one.report.absolute)]:
            named = {"judge": cell(one.judge), "by": by, "name": cell(name)}
            for measure in measures:
                yield {**named, "measure": measure, **asdict(getattr(part, measure))}


def junit(results: ExamResults) -> str:
    """Return a suite per judge and a test case per pair: a failure where the judge does not see the fault."""
    root = ElementTree.Element("testsuites", {"name": "crs-eval exam"})
    for one in results.exams:
        suite = ElementTree.SubElement(root, "testsuite", {"name": xml(one.judge)})
        kinds = [_case(suite, pair) for pair in one.report.outcomes]
        counts = {"tests": len(kinds), "failures": kinds.count("failure"), "errors": kinds.count("error")}
        suite.attrib |= {name: str(n) for name, n in {**counts, "skipped": kinds.count("skipped")}.items()}
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _case(suite: ElementTree.Element, pair: Any) -> str | None:
    from ...faults import load_faults

    home = load_faults()[pair.fault].home
    change = pair.change(home)
    name = {"name": xml(pair.id), "classname": f"{home}.{pair.fault}", "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", name)
    scores = f"{home}: {_score(change.good)} before, {_score(change.bad)} with the fault"
    kind = {True: None, False: "failure", None: "error" if change.failed else "skipped"}[change.fell]
    if kind is not None:
        ElementTree.SubElement(case, kind, {"message": scores})
    else:
        ElementTree.SubElement(case, "system-out").text = scores
    return kind


def _score(score: float | None) -> str:
    return "no score" if score is None else f"{score:.2f}"
