"""Results for people: one line per conversation, faults by rate, then means; or one conversation's whole verdict."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..domain.counts import SOUND
from ..domain.plurals import counted
from ..scoring.overall import REACTIONS, model_for, scores_with
from .exits import Exit
from .file_formats import markdown, markdown_lines
from .inputs import Json
from .records import Record
from .scores import OVERALL_SPAN, FoundFault, Run, answered_overall, faults_of
from .tables import OVERVIEW, figures_table, overview_cells, print_overview, rows, total_cost

LOW = 2.0
"""Overall score under which a conversation without a reported fault shows its weakest reply."""
_ROUNDED = 0.01
"""Rounding of the numbers in an answer moves its overall score by at most this."""
_PARTS = {SOUND: "sound replies", **dict.fromkeys(REACTIONS, "reactions")}
_REASONS = 3
"""Reasons of little tested conversations that are printed, the most frequent first."""
FAULT_COLUMNS = ("fault", "replies", "rate", "conversations", "certain")


def exit_under(run: Run, least: float | None, ended: Exit, remarks: Console) -> Exit:
    """Return how the command ends: a complete run whose mean score is under `least` fails."""
    if least is None or ended is not Exit.PASS:
        return ended
    scores = [score for record in run.records if (score := score_of(record)) is not None]
    if not scores:
        remarks.print("No conversation has a score, so --fail-under has no effect.", style="yellow")
        return Exit.INCONCLUSIVE
    mean = fmean(scores)
    if mean >= least - 1e-9:  # the mean of equal scores may differ from them in the last digit
        return ended
    # 3.996 is not 4.00, which would not be under 4.
    shown = f"{mean:.2f}" if round(mean, 2) < least else f"{mean:.6g}"
    remarks.print(f"The mean score {shown} is under {least:g} (--fail-under).", style="red")
    return Exit.FAIL


@dataclass(frozen=True)
class ConversationRow:
    """One conversation in a line. `score` is 0-4, `confidence` 0-1; both are None where nothing was scored, and `gap` says why."""

    record: Record
    score: float | None
    confidence: float | None
    worst: FoundFault | None
    gap: str

    @property
    def weakest(self) -> int | None:
        """The message of the reply that got the lowest score of any factor; None where no factor has scores of replies."""
        turns = [turn for verdict in self.record.verdicts for turn in verdict.get("turns") or ()]
        return min(turns, key=lambda turn: turn["score"])["message"] if turns else None

    @property
    def why(self) -> str:
        """The costliest fault in a line. Without one, the weakest reply of a low score, or the reason of a missing score."""
        if self.worst is not None:
            return f"{self.worst.fault}: {' '.join(self.worst.text.split())}"
        if self.score is not None and self.score < LOW and self.weakest is not None:
            return f"no likely fault; weakest: message {self.weakest}"
        return self.gap


def conversation_rows(run: Run, limit: int | None = None) -> list[ConversationRow]:
    """Return at most `limit` conversations, those without a score first, then the lowest scores."""
    made = sorted(map(_row, run.records), key=lambda row: -1.0 if row.score is None else row.score)
    return made[:limit]


def _row(record: Record) -> ConversationRow:
    summaries: Sequence[Json] = (record.answer or {}).get("summaries") or [{}]
    summary = next((one for one in summaries if one.get("overall") is not None), summaries[0])
    worst = next(iter(faults_of(record)), None)
    return ConversationRow(record, score_of(record), summary.get("confidence"), worst, _gap(record))


def score_of(record: Record) -> float | None:
    """Return the overall score of a conversation, 0-4; the mean of its factors, put on that scale, where it has none."""
    if (fitted := answered_overall(record)) is not None:
        return fitted
    return next(iter(Run("", [record]).mean.values()), None)


def explained_overall(record: Record) -> str | None:
    """Return the parts of the overall score, and the limit that decided it. None without a score of this version's model."""
    scored = {
        verdict["factor"]: verdict["score"] for verdict in record.verdicts if verdict["status"] == "scored"
    }
    counts = [(verdict.get("counts") or {}).items() for verdict in record.verdicts]
    scores = scores_with(scored, {name: value for one in counts for name, value in one})
    model, score = model_for(scores), answered_overall(record)
    made = model(scores)
    if score is None or made is None or abs(made - score) > _ROUNDED:
        return None
    parts: dict[str, dict[str, float]] = {}
    for slug in filter(scores.__contains__, model.weights):
        parts.setdefault(_PARTS.get(slug, slug), {})[slug] = scores[slug]
    means = ", ".join(f"{name} {model.mean(part):.2f}" for name, part in parts.items())
    line = model.on_line(scores)
    limit = _limit(line, *model.limits(scores))
    return f"Weighted mean of {means}: {model.mean(scores):.2f}. On the scale of people's ratings: {line:z.2f}.{limit}"


def _limit(line: float, least: float, most: float) -> str:
    if line > most:
        kept = f"Replies keep {most:.2f} points after their reported faults, and the score is never higher."
        return f" {kept}" if most < OVERALL_SPAN else f" The highest score is {most:g}."
    if line >= least:
        return ""
    return (
        f" No fault is reported, so the score is at least {least:g}." if least else " The lowest score is 0."
    )


def _gap(record: Record) -> str:
    if record.answer is None:
        return str((record.failure or {}).get("detail") or "no answer")
    reasons = dict.fromkeys(v["reason"]["code"] for v in record.verdicts if v["reason"])
    scored = any(v["status"] == "scored" for v in record.verdicts)
    return "" if scored else f"nothing could be scored: {', '.join(reasons)}"


def fault_cells(run: Run) -> list[tuple[str, ...]]:
    """Return the reported faults in the order of `FAULT_COLUMNS`, those of the largest share of replies first."""
    made = []
    for fault, found in run.faults.items():
        counts = list(run.replies_showing(fault))
        showing, replies = sum(showing for _, showing, _ in counts), sum(of for _, _, of in counts)
        rate, named = showing / max(replies, 1), len({one.conversation for one in found})
        certain = sum(one.certain for one in found)
        cells = (fault, str(showing), f"{rate:.1%}", str(named), str(certain or ""))
        made.append((-rate, cells))
    return [cells for _, cells in sorted(made)]


def print_scores(console: Console, run: Run, limit: int | None, *, whole: bool) -> None:
    """Print the conversations, then faults by rate, then means. With `whole`, and for a single conversation, whole verdicts."""
    if whole or len(run.records) == 1:
        for row in conversation_rows(run, limit):
            _print_whole(console, row)
    else:
        _print_lines(console, run, limit)
    if len(run.records) > 1:
        if faults := fault_cells(run):
            console.print(figures_table("Faults", FAULT_COLUMNS, faults))
        print_overview(console, run)
    _print_little_tested(console, run)


def _print_little_tested(console: Console, run: Run) -> None:
    """Print the reasons why people may rate differently, each once."""
    found: Counter[str] = Counter()
    for record in run.records:
        flags = (flag for verdict in record.verdicts for flag in verdict.get("flags") or ())
        found.update({flag["detail"] for flag in flags if flag["code"] == "little_tested"})
    for detail, count in found.most_common(_REASONS):
        remark = f"{counted(count, 'conversation')} may be rated differently by people, so read the faults. Reason: {detail}."
        console.print(escape(remark), style="yellow")


def _print_lines(console: Console, run: Run, limit: int | None) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("conversation", no_wrap=True, overflow="ellipsis")
    table.add_column("score", no_wrap=True, justify="right")
    table.add_column("confidence", no_wrap=True, justify="right")
    table.add_column("worst fault")  # The only column that gives way, since only its cells say no_wrap.
    shown = conversation_rows(run, limit)
    for row in shown:
        why = Text(row.why, no_wrap=True, overflow="ellipsis")
        table.add_row(escape(row.record.conversation), _number(row.score), _number(row.confidence), why)
    console.print(table)
    if (more := len(run.records) - len(shown)) > 0:
        console.print(f"... and {more} more, none with a lower score", style="dim")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:z.2f}"


def _print_whole(console: Console, row: ConversationRow) -> None:
    judges = ", ".join(dict.fromkeys(v["judge"]["model"] or v["judge"]["name"] for v in row.record.verdicts))
    score = "no score" if row.score is None else f"{row.score:z.2f} of {OVERALL_SPAN:g}"
    sure = "" if row.confidence is None else f", confidence {row.confidence:.2f}"
    console.print(
        f"[bold]{escape(row.record.conversation)}[/]: {score}{sure} ({escape(judges) or row.gap})",
    )
    if explanation := explained_overall(row.record):
        console.print(Padding(escape(explanation), (0, 0, 0, 2), expand=False))
    for one in faults_of(row.record):
        _print_item(console, f"{one.fault}{' (certain)' if one.certain else ''}", one.text)
    unscored: dict[tuple[str, str], list[str]] = {}
    for verdict in row.record.verdicts:
        if verdict["status"] == "scored":
            score = f"{verdict['score']:z.2f} of {verdict['scale']['max']:g}"
            _print_item(console, f"{verdict['factor']}: {score}", verdict["rationale"] or "")
        else:
            reason = verdict["reason"]
            unscored.setdefault((reason["code"], reason["detail"] or ""), []).append(verdict["factor"])
    for (code, detail), factors in unscored.items():
        _print_item(console, f"{', '.join(factors)}: {code}", detail)
    console.print()


def _print_item(console: Console, name: str, text: str) -> None:
    console.print(Padding(f"[bold]{escape(name)}[/]", (0, 0, 0, 2), expand=False))
    if text:
        console.print(Padding(escape(text), (0, 0, 0, 4), expand=False))


def scores_as_markdown(run: Run, limit: int | None = None) -> str:
    """Return conversations, faults by rate, and means as Markdown."""
    cost = total_cost(run.records)
    title = f"# {counted(len(run.records), 'conversation')}{'' if cost is None else f', cost {cost:.4g}'}"
    lines = [title, "", "| conversation | score | confidence | worst fault |", "| --- | ---: | ---: | --- |"]
    for row in conversation_rows(run, limit):
        name, why = markdown(row.record.conversation, 120), markdown(row.why)
        lines.append(f"| {name} | {_number(row.score)} | {_number(row.confidence)} | {why} |")
    lines.append("")
    if faults := fault_cells(run):
        lines += [*markdown_lines(FAULT_COLUMNS, faults, right=4), ""]
    means = [(markdown(row.factor), *overview_cells(row, "0")[1:]) for row in rows(run)]
    return "\n".join([*lines, *markdown_lines(OVERVIEW, means, right=5), ""])
