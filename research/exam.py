"""`make -C research exam`: run the shipped exam with the embedded judge, and log the headline figures.

    python -m research.exam

Appends one line to `research/exam_runs.jsonl`: date, judge, evaluator revisions, figures. Nothing is learned from a run."""

import datetime
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from research.measure_faults import measured, replace_measured
from service.encoder.detector import detector

RUNS = Path(__file__).parent / "exam_runs.jsonl"
FIGURES = (
    "sensitivity",
    "detected",
    "right_factors",
    "others_moved",
    "false_alarms",
    "overall_falls",
    "overall_drop",
)
COMMAND = (sys.executable, "-m", "service.cli.program", "exam", "--judge", "builtin", "-o")


def headline(report: dict[str, Any], date: str) -> dict[str, Any]:
    """Return the line of a report: its figures over all pairs, with their intervals.

    `evaluator_revision` is a digest over the revisions of all factors."""
    [row] = [row for row in report["rows"] if row["by"] == "all"]
    revisions = sorted(f"{one['factor']} {one['evaluator_revision']}" for one in report["factors"])
    return {
        "date": date,
        "judge": "builtin",
        "evaluator_revision": hashlib.sha256("\n".join(revisions).encode()).hexdigest()[:12],
        "detector": detector().revision,
        "faults_revision": report["faults_revision"],
        "pairs": row["pairs"],
        "not_assessable": row["not_assessable"],
        **{name: row[name] for name in FIGURES},
        **report["absolute"],
    }


def main() -> None:
    """Run the exam and log it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "exam.json"
        subprocess.run((*COMMAND, str(out)), check=True)
        report = json.loads(out.read_text(encoding="utf-8"))["report"]
    rows = {}
    for row in report["rows"]:
        if row["by"] == "fault":
            seen, alarms = row["detected"], row["false_alarms"]
            figures = (seen["value"], seen["low"], seen["high"])
            rows[row["name"]] = measured("exam", seen["n"], figures, alarms["value"], alarms["n"])
    replace_measured("exam", rows)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    line = json.dumps(headline(report, date))
    with RUNS.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
