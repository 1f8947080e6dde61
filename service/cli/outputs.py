"""Results as files, in the format that the file's name says."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from .browser_json import browser_json
from .exits import CommandError
from .inputs import Json
from .overview import FactorRow
from .records import Record, debaters_text, judge_text, write_atomically
from .safe_text import cell, markdown
from .scores import DEBATE_SPAN, OVERALL, Run

COLUMNS = (
    "conversation", "system", "factor", "status", "score", "min", "max", "rationale", "reason", "flags",
    "judge", "evaluator_revision", "comparison_key", "cached", "cost",
)  # fmt: skip


def write_results(path: Path, records: Sequence[Record]) -> None:
    """Write the records as the suffix of `path` says. Raises CommandError for one that is unknown."""
    run = Run(path.stem, records)
    write_atomically(path, _writer(path)(run))


def check_format(path: Path) -> None:
    """Raise CommandError, before anything is asked, for a file whose format is unknown."""
    _writer(path)


def _writer(path: Path) -> Callable[[Run], str]:
    try:
        return _WRITERS[path.suffix.lower()]
    except KeyError:
        known = ", ".join(_WRITERS)
        raise CommandError(f"{path}: the suffix says the format, and there are {known}.") from None


def _as_jsonl(run: Run) -> str:
    return "".join(record.line() for record in run.records)


def _as_json(run: Run) -> str:
    return json.dumps([asdict(record) for record in run.records], ensure_ascii=False, indent=1) + "\n"


def _as_csv(run: Run) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    for record in run.records:
        for verdict in record.verdicts:
            writer.writerow(_csv_row(record, verdict))
        if record.debate or record.debate_failure:
            writer.writerow(_csv_debate(record))
        if record.answer is None:
            writer.writerow(_csv_gap(record))
    return text.getvalue()


def _csv_gap(record: Record) -> Mapping[str, object]:
    return {
        "conversation": cell(record.conversation),
        "system": cell(record.system or ""),
        "status": "failed",
        "reason": cell(str((record.failure or {}).get("detail"))),
    }


def _csv_debate(record: Record) -> Mapping[str, object]:
    """The debate's own score, as of a factor `overall`."""
    row = {
        "conversation": cell(record.conversation),
        "system": cell(record.system or ""),
        "factor": OVERALL,
        "min": 0,
        "max": browser_json(DEBATE_SPAN),
        "comparison_key": record.comparison_key,
    }
    if record.debate:
        score, judge = _number(record.debate["overall"]), cell(debaters_text(record.debate))
        return {**row, "status": "scored", "score": score, "judge": judge}
    failure = record.debate_failure or {}
    return {**row, "status": "failed", "reason": cell(f"{failure['code']}: {failure['detail']}")}


def _csv_row(record: Record, verdict: Json) -> Mapping[str, object]:
    return {
        "conversation": cell(record.conversation),
        "system": cell(record.system or ""),
        "factor": verdict["factor"],
        "status": verdict["status"],
        "score": _number(verdict["score"]),
        "min": verdict["scale"]["min"],
        "max": verdict["scale"]["max"],
        "rationale": cell(verdict["rationale"] or ""),
        "reason": cell(
            f"{verdict['reason']['code']}: {verdict['reason']['detail']}" if verdict["reason"] else ""
        ),
        "flags": " ".join(flag["code"] for flag in verdict["flags"]),
        "judge": cell(judge_text(verdict["judge"])),
        "evaluator_revision": verdict["evaluator_revision"],
        "comparison_key": record.comparison_key,
        "cached": browser_json(verdict["cached"]),
        "cost": _number(verdict["usage"]["cost"]),
    }


def _number(value: float | None) -> str:
    """As the page writes it."""
    return "" if value is None else browser_json(value)


def _as_markdown(run: Run) -> str:
    from .score_view import scores_as_markdown

    return scores_as_markdown(run)


def markdown_table(table: Sequence[FactorRow]) -> str:
    """The overview as a Markdown table."""
    lines = [
        "| factor | mean | 95 % interval | scored | not assessable | failed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in table:
        mean = "" if row.mean is None else f"{row.mean:z.2f} of {row.high:g}"
        interval = "" if row.interval is None else f"{row.interval[0]:z.2f} to {row.interval[1]:z.2f}"
        lines.append(
            f"| {markdown(row.factor)} | {mean} | {interval} | {row.n} | {row.not_assessable} | {row.failed} |"
        )
    return "\n".join(lines) + "\n"


def _as_html(run: Run) -> str:
    from .report import report

    return report(run)


_WRITERS: Mapping[str, Callable[[Run], str]] = {
    ".jsonl": _as_jsonl,
    ".json": _as_json,
    ".csv": _as_csv,
    ".md": _as_markdown,
    ".html": _as_html,
}
