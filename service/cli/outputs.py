"""Results as files, in the format that the file's name says."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from .file_formats import by_suffix, cell, csv_text, json_text, script_json
from .inputs import Json
from .judge_commands import output
from .options import ShowOptions
from .records import Record, debaters_text, judge_text, write_atomically
from .score_view import conversation_rows, print_scores, scores_as_markdown
from .scores import DEBATE_SPAN, OVERALL, OVERALL_SPAN, Run, answered_overall

COLUMNS = (
    "conversation", "system", "factor", "status", "score", "min", "max", "rationale", "reason", "flags",
    "judge", "evaluator_revision", "comparison_key", "cached", "cost", "faults",
)  # fmt: skip
FRAME = Path(__file__).parent.parent / "web" / "page" / "report.html"
"""The frame of a report, made from `clients/page/src/report.ts`. The page fills it too."""
_PLACE = "{{results}}"
_FIELDS = ("conversation", "system", "answer", "failure")


def write_results(path: Path, records: Sequence[Record]) -> None:
    """Write the records as the suffix of `path` says. Raises CommandError for one that is unknown."""
    write_atomically(path, by_suffix(path, WRITERS)(Run(path.stem, records)))


def _csv_rows(record: Record) -> Iterator[Mapping[str, object]]:
    names = {"conversation": cell(record.conversation), "system": cell(record.system or "")}
    for verdict in record.verdicts:
        yield {**names, **_csv_verdict(verdict), "comparison_key": record.comparison_key}
    if (overall := _csv_overall(record)) is not None:
        faults = [one for verdict in record.verdicts for one in verdict.get("faults") or ()]
        key = record.comparison_key
        yield {**names, **overall, "comparison_key": key, "faults": _faults(faults)}
    if record.answer is None:
        reason = cell(str((record.failure or {}).get("detail")))
        yield {**names, "status": "failed", "reason": reason}


def _csv_overall(record: Record) -> Mapping[str, object] | None:
    """The score of the whole conversation: the debate's, else the answer's own. None where neither was asked for."""
    row = {"factor": OVERALL, "min": 0, "max": f"{DEBATE_SPAN:g}"}
    if record.debate:
        judge = cell(debaters_text(record.debate))
        return {**row, "status": "scored", "score": record.debate["overall"], "judge": judge}
    if record.debate_failure:
        return {**row, "status": "failed", "reason": _reason(record.debate_failure)}
    score = answered_overall(record)
    judges = dict.fromkeys(judge_text(verdict["judge"]) for verdict in record.verdicts)
    fitted = {"max": f"{OVERALL_SPAN:g}", "status": "scored", "score": score, "judge": cell("+".join(judges))}
    return None if score is None else {**row, **fitted}


def _faults(found: Sequence[Json]) -> str:
    """Each fault once, by message."""
    ordered = sorted(found, key=lambda one: (-1 if one["message"] is None else one["message"], one["fault"]))
    texts = (one["fault"] + ("" if one["message"] is None else f":{one['message']}") for one in ordered)
    return " ".join(dict.fromkeys(texts))


def _csv_verdict(verdict: Json) -> Mapping[str, object]:
    return {
        **{name: verdict[name] for name in ("factor", "status", "score", "evaluator_revision")},
        "min": verdict["scale"]["min"],
        "max": verdict["scale"]["max"],
        "rationale": cell(verdict["rationale"] or ""),
        "reason": _reason(verdict["reason"]),
        "flags": " ".join(flag["code"] for flag in verdict["flags"]),
        "judge": cell(judge_text(verdict["judge"])),
        "cached": json.dumps(verdict["cached"]),
        "cost": verdict["usage"]["cost"],
        "faults": _faults(verdict.get("faults") or ()),
    }


def _reason(reason: Json | None) -> str:
    return cell(f"{reason['code']}: {reason['detail']}") if reason else ""


def _as_html(run: Run) -> str:
    """The results in the script of the page that draws them. What logs and judges wrote is data: no other script may run."""
    records = [asdict(record) for record in run.records]
    results = [{name: record[name] for name in _FIELDS} for record in records]
    return FRAME.read_text(encoding="utf-8").replace(_PLACE, script_json(results))


WRITERS: Mapping[str, Callable[[Run], str]] = {
    ".jsonl": lambda run: "".join(record.line() for record in run.records),
    ".json": lambda run: json_text([asdict(record) for record in run.records]),
    ".csv": lambda run: csv_text(COLUMNS, (row for record in run.records for row in _csv_rows(record))),
    ".md": scores_as_markdown,
    ".html": _as_html,
}


def show(run: Run, wanted: ShowOptions, remarks: Console, *, written: bool) -> None:
    """Print results in the form that is wished for. Without one they are a table on a terminal and for `--fail-under`. In a pipe they
    are lines of JSON, unless they are `written` to a file, and the table is among the remarks."""
    for_people = sys.stdout.isatty() or wanted.fail_under is not None
    form = wanted.form or ("table" if for_people or written else "jsonl")
    if wanted.form == "table" or (wanted.form is None and for_people and not remarks.quiet):
        print_scores(output(), run, wanted.limit, whole=wanted.verbose)
    elif wanted.form is None:
        print_scores(remarks, run, wanted.limit, whole=wanted.verbose)
    if form == "md":
        sys.stdout.write(scores_as_markdown(run, wanted.limit))
    elif form != "table":
        kept = run
        if wanted.limit:
            kept = Run(run.name, [row.record for row in conversation_rows(run, wanted.limit)])
        sys.stdout.write(WRITERS[f".{form}"](kept))
