"""Files of an exam: JSON, and one HTML page."""

from collections.abc import Callable, Mapping
from typing import Any

from ..file_formats import json_text
from .page import exam_page
from .results import ExamResults


def as_json(results: ExamResults) -> str:
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


WRITERS: Mapping[str, Callable[[ExamResults], str]] = {".json": as_json, ".html": exam_page}
