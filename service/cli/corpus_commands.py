"""`align`, `metrics` and `agreement`: one request over everything that was given."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..domain.plurals import counted
from . import options
from .connection import connected
from .exits import CommandError
from .file_formats import by_suffix, cell, csv_text, json_text
from .files import check_outputs
from .inputs import Json, Source, placed_objects, present, read_logs
from .judge_commands import console, output, print_lines, split
from .options import ServiceOptions, spread
from .records import Record, parse_record, write_atomically
from .studies.study import numbers

METRIC_COLUMNS = (
    "metric", "view", "scope", "k", "turn", "group", "value", "unit", "n", "interval", "undefined",
)  # fmt: skip
AGREEMENT_COLUMNS = (
    "statistic", "over", "factor", "other_factor", "rater", "other", "system", "other_system", "round",
    "value", "n", "interval", "undefined",
)  # fmt: skip

Method = Literal["explicit", "llm", "implicit"]
TitleMatching = Literal["strict", "published"]
Answer = Annotated[
    Path | None, typer.Option("--out", "-o", help="File for the answer: .json, or .csv for its rows.")
]


@spread
def align(
    pairs: Annotated[
        list[str], typer.Argument(help="Pairs of replies: {candidate, reference, dialogue?, turn?, ...}.")
    ],
    *,
    out: Answer = None,
    method: Annotated[
        Method, typer.Option(help="Source of the strategies: given, asked of a model, or from a classifier.")
    ] = "implicit",
    judge: options.Judge = None,
    cache: options.CacheOption = None,
    service: ServiceOptions,
) -> None:
    """Measure how often a recommender uses the same strategy as a human recommender (Behavior Alignment)."""
    _check_out(out, pairs)
    given = placed_objects(pairs)
    body = {"method": method, "judge": judge, "cache": cache, "pairs": [pair for _, pair in given]}
    answer = ask_once("/behavior-alignment", body, service, places=[place for place, _ in given])
    _write(out, answer, answer["pairs"])
    interval = answer["interval"]
    bounds = f" (95 % interval {interval['low']:z.3f} to {interval['high']:z.3f})" if interval else ""
    value = "undefined" if answer["score"] is None else f"{answer['score']:z.3f}"
    output().print(f"Behavior Alignment: {value}{bounds} over {counted(answer['counted'], 'pair')}.")


@spread
def metrics(
    logs: options.Logs,
    *,
    out: Answer = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Results of crs-eval score on these logs, for metrics that need verdicts."),
    ] = None,
    names: Annotated[str | None, typer.Option("--metrics")] = None,
    k: Annotated[
        str | None, typer.Option(help="Lengths at which to cut lists, such as 1,10. Default: 1,10,25,50.")
    ] = None,
    group_by: Annotated[
        str | None,
        typer.Option(
            help="Labels to group by: system, persona, age_group, attributes, domain. Default: system, if there are several."
        ),
    ] = None,
    catalog: options.Catalog = None,
    matching: Annotated[
        TitleMatching | None, typer.Option(help="Rule for finding titles in texts. Default: strict.")
    ] = None,
    service: ServiceOptions,
    skip_unreadable: options.SkipUnreadable = False,
) -> None:
    """Compute metrics over conversations: recall, success, coverage, sincerity, ... with intervals."""
    from ..computed_metrics import METRICS
    from ..computed_metrics.figures import Label
    from . import system_metrics as systems
    from .names import check_names
    from .tables import print_rows

    _check_out(out, [*logs, results])
    wanted, labels = split(names), split(group_by)
    check_names("metric", wanted or (), METRICS)
    check_names("label to group by", labels or (), [label.value for label in Label])
    sources, _ = read_logs(logs, skip_unreadable=skip_unreadable)
    several = len(systems.systems_of(sources)) > 1
    if several and labels is None:
        labels = [systems.SYSTEM]
    body = {
        "logs": [source.log for source in sources],
        "verdicts": _verdicts(results, sources) if results else None,
        "metrics": wanted,
        "k": numbers("--k", k, 1, 1_000_000) if k else None,
        "group_by": labels,
        "matching": matching,
    }
    catalog = catalog or catalog_of(sources)
    places = [source.place for source in sources]
    answer = ask_once("/computational-metrics", body, service, catalog=catalog, places=places)
    apart = several and systems.SYSTEM in (labels or ())
    compared = systems.shared(sources) if apart else []
    figures = {name: row for name, row in systems.tested(answer["rows"]).items() if row["interval"]}
    if compared and figures:
        # One request for all: each conversation under a system of its own number has figures of its own.
        alone = [{**source.log, "system": str(number)} for number, source in enumerate(compared)]
        asked = {"logs": alone, "verdicts": None, "group_by": [systems.SYSTEM]}
        asked["metrics"] = sorted({row["metric"] for row in figures.values()})
        each = ask_once("/computational-metrics", {**body, **asked}, service, catalog=catalog)
        answer["differences"] = systems.differences(compared, each["rows"], list(figures))
    _write(out, answer, answer["rows"])
    title = counted(len(sources), "conversation")
    _show(title, METRIC_COLUMNS, answer["rows"], systems.side_by_side if apart else None)
    if rows := answer.get("differences"):
        print_rows(output(), "Differences", systems.DIFFERENCES, rows)
        output().print(systems.NOTE, style="dim")


@spread
def agreement(
    ratings: Annotated[
        list[str],
        typer.Argument(
            help="Ratings, {conversation, factor, rater, kind, score}, or labels from crs-eval import."
        ),
    ],
    *,
    out: Answer = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(help="Results of crs-eval score, whose scores are the judge's ratings."),
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(help="factor=label, if people rated a factor under another name. May be repeated."),
    ] = None,
    service: ServiceOptions,
) -> None:
    """Measure how well judges agree with people, with intervals and a short summary."""
    from .agreement import judge_ratings, plain_ratings, summary
    from .names import check_names

    _check_out(out, [*ratings, *(results or ())])
    placed = placed_objects(ratings)
    for place, one in placed:
        if parse_record(one):
            raise CommandError(
                f"{place} is a result of a judge, and people's ratings are needed: --results FILE"
            )
    given = plain_ratings([rating for _, rating in placed])
    ours, ranges = judge_ratings(results or ())
    renamed = dict(pair.partition("=")[::2] for pair in same or ())
    check_names("factor in the results", renamed, _factors(ours))
    check_names("factor in the ratings", renamed.values(), _factors(given))
    given += [{**rating, "factor": renamed.get(rating["factor"], rating["factor"])} for rating in ours]
    places = [place for place, _ in placed]
    answer = ask_once("/agreement", {"ratings": given}, service, places=places)
    _write(out, answer, answer["rows"])
    _show(counted(len(given), "rating"), AGREEMENT_COLUMNS, answer["rows"])
    scales = {renamed.get(factor, factor): scale for factor, scale in ranges.items()}
    for line in summary(answer["rows"], given, scales):
        print_lines(line, style="yellow" if line.startswith("Warning") else None, to=output())


def catalog_of(sources: Sequence[Source]) -> str | None:
    """The catalogue that the logs name. Raises CommandError where they name several: one request has one."""
    named = list(dict.fromkeys(source.catalog for source in sources if source.catalog is not None))
    if len(named) > 1:
        raise CommandError(
            f"The logs name several catalogues ({', '.join(named)}): choose one with --catalog."
        )
    return named[0] if named else None


def ask_once(
    path: str,
    body: Mapping[str, Any],
    service: ServiceOptions,
    *,
    catalog: str | None = None,
    places: Sequence[str] = (),
) -> Json:
    """The answer to one request. Raises CommandError for a refusal, with the place in a file of an entry that is wrong."""
    from .names import check_request
    from .remote import ServiceRefusal

    async def ask() -> Json | ServiceRefusal:
        async with connected(service.url, service.api_key, catalog=catalog) as remote:
            await check_request(remote, body, {remote.catalog: None} if remote.catalog else {})
            return await remote.post(path, present({**body, "catalog": remote.catalog}))

    answer = asyncio.run(ask())
    if isinstance(answer, ServiceRefusal):
        raise answer.error(places)
    return answer


def _verdicts(results: Path, sources: Sequence[Source]) -> list[Sequence[Json]]:
    """Find each log's verdicts by its id, or without one by its content if the results hold it."""
    from .scores import load_run

    records = load_run(str(results)).records
    by_name: dict[str, dict[str | None, Record]] = {}
    for one in records:
        by_name.setdefault(one.conversation, {})[one.system] = one
    by_content = {record.digest: record for record in records if record.digest is not None}
    found = []
    for source in sources:
        named = by_name.get(source.conversation, {})
        # `score --system` names a system that the log does not name.
        record = named.get(source.system) or (next(iter(named.values())) if len(named) == 1 else None)
        if source.position is not None and (record is None or record.digest is not None):
            record = by_content.get(source.digest)
        if record is None:
            message = f"{results} has no result for {source.conversation!r}. Score all of these logs first."
            raise CommandError(message)
        found.append(record.verdicts)
    return found


def _factors(ratings: Sequence[Json]) -> list[str]:
    return list(dict.fromkeys(str(rating.get("factor")) for rating in ratings))


def _show(
    title: str, columns: Sequence[str], rows: Sequence[Json], arrange: Callable[..., Any] | None = None
) -> None:
    """Print the rows that have a value, as `arrange` orders them, and a line that names the others."""
    from .tables import print_rows

    defined = [row for row in rows if row["value"] is not None]
    names = {row[columns[0]] for row in defined}
    shown = arrange(defined) if arrange else (columns, defined)
    print_rows(output(), title, *shown)
    if missing := {row[columns[0]]: row["undefined"] for row in rows if row[columns[0]] not in names}:
        listed = ", ".join(f"{name} ({code})" for name, code in missing.items())
        output().print(f"Without a value: {listed}.", soft_wrap=True)


def _check_out(out: Path | None, read: Sequence[str | Path | None]) -> None:
    if out is not None:
        by_suffix(out, dict.fromkeys((".json", ".csv")))
        check_outputs([out], read)


def _write(out: Path | None, answer: Json, rows: Sequence[Json]) -> None:
    if out is None:
        return
    writers = {".json": lambda: json_text(answer), ".csv": lambda: _csv(rows)}
    write_atomically(out, by_suffix(out, writers)())
    console().print(f"The answer is in {out}.")


def _csv(rows: Sequence[Json]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(names, [{name: _csv_cell(value) for name, value in row.items()} for row in rows])


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
