"""`align`, `metrics` and `agreement`: one request over everything that was given."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..domain.plurals import counted
from . import options
from .exits import CommandError, Exit
from .file_formats import by_suffix, csv_text, json_text
from .inputs import Json, Source, objects, read_logs
from .judge_commands import console, say, split
from .options import ServiceOptions, spread
from .safe_text import cell

if TYPE_CHECKING:
    from ..alignment.score import Estimate

METRIC_COLUMNS = (
    "metric", "view", "scope", "k", "turn", "group", "value", "unit", "n", "interval", "undefined",
)  # fmt: skip
AGREEMENT_COLUMNS = (
    "statistic", "over", "factor", "other_factor", "rater", "other", "system", "other_system", "round",
    "value", "n", "interval", "undefined",
)  # fmt: skip

Method = Literal["explicit", "llm", "implicit"]
Denominator = Literal["pairs", "paper"]
Answer = Annotated[
    Path | None, typer.Option("--out", "-o", help="File of the answer: .json, or .csv for its rows.")
]


class TitleMatching(StrEnum):
    """The rule by which a title counts as named in a text."""

    STRICT = "strict"
    PUBLISHED = "published"


@spread
def align(
    pairs: Annotated[
        list[str] | None,
        typer.Argument(help="Pairs of replies: {candidate, reference, dialogue?, turn?, ...}."),
    ] = None,
    *,
    candidate_log: Annotated[
        str | None, typer.Option(help="In place of pairs: a file with the system's logs.", metavar="FILE")
    ] = None,
    reference_log: Annotated[
        str | None,
        typer.Option(
            help="With it: the human recommender's, one log or those of the same ids.", metavar="FILE"
        ),
    ] = None,
    out: Answer = None,
    method: Annotated[Method, typer.Option(help="Source of the strategies.")] = "implicit",
    judge: options.Judge = None,
    denominator: Annotated[
        Denominator | None, typer.Option(help="Total that the share is taken of; pairs by default.")
    ] = None,
    cache: options.CacheOption = None,
    service: ServiceOptions,
) -> None:
    """Say how often a recommender does what a human recommender did (Behavior Alignment)."""
    share_of = denominator or "pairs"
    body = {"method": method, "judge": judge, "denominator": share_of, "cache": cache}
    given = _to_align(pairs or [], candidate_log, reference_log)
    answers = ask_each("/behavior-alignment", [{**body, **one} for one in given], service)
    answer = answers[0] if len(answers) == 1 else _one_alignment(method, share_of, answers)
    _write(out, answer, answer["pairs"])
    interval = answer["interval"]
    told = f" (95 % interval {interval['low']:z.3f} to {interval['high']:z.3f})" if interval else ""
    value = "undefined" if answer["score"] is None else f"{answer['score']:z.3f}"
    console().print(
        f"Behavior Alignment: {value}{told} over {counted(answer['counted'], 'pair')}.", highlight=False
    )


def _to_align(pairs: Sequence[str], candidate: str | None, reference: str | None) -> list[Json]:
    """Pairs, or each system's log with the human one of its id. Raises CommandError for both, neither, or a log
    that has no counterpart."""
    if bool(pairs) == bool(candidate or reference) or (candidate is None) != (reference is None):
        raise CommandError("Give files of pairs, or --candidate-log and --reference-log: one of the two.")
    if candidate is None or reference is None:
        return [{"pairs": objects(pairs)}]
    ours, theirs = read_logs([candidate])[0], read_logs([reference])[0]
    if len(ours) == len(theirs) == 1:
        return [{"candidate_log": ours[0].log, "reference_log": theirs[0].log}]
    by_name = {source.conversation: source for source in theirs}
    for source in ours:
        if source.position is not None or source.conversation not in by_name:
            raise CommandError(
                f"{source.place}: {reference} has no log of the id {source.log.get('id')!r}; logs are paired by `id`."
            )
    return [{"candidate_log": one.log, "reference_log": by_name[one.conversation].log} for one in ours]


def _one_alignment(method: Method, denominator: Denominator, answers: Sequence[Json]) -> Json:
    """The alignment over all dialogues, with stage weights of INSPIRED and of these people."""
    from ..alignment import score
    from ..alignment.stages import load_stage_weights
    from .alignment import own_stages, together

    share_of, own = score.Denominator(denominator), own_stages(answers)
    found = together(answers, share_of, load_stage_weights())
    ours = together(answers, share_of, own).stage_weighted if own else score.Estimate(None, None)
    return {
        "method": method,
        "denominator": denominator,
        **_estimate("score", found.score),
        "any_strategy": _estimate("value", found.any_strategy),
        "stage_weighted": _estimate("value", found.stage_weighted),
        "stage_weighted_by_these_people": _estimate("value", ours),
        "stages": dict(own.weights) if own else None,
        "counted": found.counted,
        "left_out": {reason.value: count for reason, count in found.left_out.items()},
        "pairs": [pair for answer in answers for pair in answer["pairs"]],
    }


def _estimate(name: str, found: "Estimate") -> Json:
    bounds = found.interval
    return {
        name: found.value,
        "interval": {"low": bounds.low, "high": bounds.high, "level": bounds.level} if bounds else None,
    }


@spread
def metrics(
    logs: options.Logs,
    *,
    out: Answer = None,
    results: Annotated[
        Path | None, typer.Option(help="Results of crs-eval score on these logs, for what is judged.")
    ] = None,
    names: Annotated[str | None, typer.Option("--metrics")] = None,
    group_by: Annotated[
        str | None, typer.Option(help="system, persona, age_group, attributes, domain.")
    ] = None,
    spread_over: Annotated[
        str | None,
        typer.Option(help="The same labels: mean and standard deviation over the groups of each."),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option("--k", help="Lengths at which lists are cut, as in 1,10; 1,10,25,50 by default."),
    ] = None,
    turns: Annotated[
        str | None, typer.Option(help="Turns at which sessions are cut for success; 3,5,10 by default.")
    ] = None,
    reply_pairs: Annotated[
        list[str] | None,
        typer.Option(help="Pairs of replies to two wordings, for reliability: {first, second, attributes?}."),
    ] = None,
    catalog: options.Catalog = None,
    matching: Annotated[
        TitleMatching | None, typer.Option(help="Rule that finds titles in texts; strict by default.")
    ] = None,
    service: ServiceOptions,
    skip_unreadable: options.SkipUnreadable = False,
) -> None:
    """Compute metrics over conversations: recall, success, coverage, sincerity, ... with intervals."""
    from ..metrics import METRICS
    from ..metrics.figures import Label
    from .names import check_names
    from .tables import print_rows

    wanted, labels, over = split(names), split(group_by), split(spread_over)
    check_names("metric", wanted or (), METRICS)
    check_names("label to group by", [*(labels or ()), *(over or ())], [label.value for label in Label])
    sources, _ = read_logs(logs, skip_unreadable=skip_unreadable)
    body = {
        "logs": [source.log for source in sources],
        "verdicts": _verdicts(results, sources) if results else None,
        "metrics": wanted,
        "group_by": labels,
        "spread_over": over,
        "k": _numbers("--k", k),
        "turns": _numbers("--turns", turns),
        "reply_pairs": objects(reply_pairs) if reply_pairs else None,
        "matching": matching.value if matching else None,
    }
    answer = ask_once("/computational-metrics", body, service, catalog=catalog or catalog_of(sources))
    _write(out, answer, answer["rows"])
    defined = [row for row in answer["rows"] if row["value"] is not None]
    print_rows(console(), counted(len(sources), "conversation"), METRIC_COLUMNS, defined)


def _numbers(option: str, told: str | None) -> list[int] | None:
    """Whole numbers from 1, separated by commas. Raises CommandError for anything else."""
    parts = split(told)
    if parts is not None and not all(part.isdecimal() and int(part) for part in parts):
        raise CommandError(f"{option} {told}: whole numbers from 1, separated by commas, as in 1,10.")
    return None if parts is None else [int(part) for part in parts]


@spread
def agreement(
    ratings: Annotated[
        list[str],
        typer.Argument(
            help="Ratings: {conversation, factor, rater, kind, score, ...}; labels of crs-eval import."
        ),
    ],
    *,
    out: Answer = None,
    results: Annotated[
        list[Path] | None, typer.Option(help="Results of crs-eval score: their scores are a judge's ratings.")
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option(help="factor=label: what people rated under another name. May be repeated."),
    ] = None,
    statistics: Annotated[
        str | None, typer.Option(help="Statistics to compute, separated by commas.")
    ] = None,
    bootstrap: Annotated[int | None, typer.Option(min=0, max=10_000)] = None,
    service: ServiceOptions,
) -> None:
    """Measure how well judges agree with people, with intervals and a short summary."""
    from ..statistics.agreement import STATISTICS
    from .agreement import judge_ratings, plain_ratings, summary
    from .names import check_names
    from .tables import print_rows

    wanted = split(statistics)
    check_names("statistic", wanted or (), STATISTICS)
    given = plain_ratings(objects(ratings))
    ours, ranges = judge_ratings(results or ())
    renamed = dict(pair.partition("=")[::2] for pair in same or ())
    check_names("factor in the results", renamed, _factors(ours))
    check_names("factor in the ratings", renamed.values(), _factors(given))
    given += [{**rating, "factor": renamed.get(rating["factor"], rating["factor"])} for rating in ours]
    body = {"ratings": given, "statistics": wanted, "bootstrap": bootstrap}
    answer = ask_once("/agreement", body, service)
    _write(out, answer, answer["rows"])
    defined = [row for row in answer["rows"] if row["value"] is not None]
    print_rows(console(), counted(len(given), "rating"), AGREEMENT_COLUMNS, defined)
    scales = {renamed.get(factor, factor): scale for factor, scale in ranges.items()}
    for line in summary(answer["rows"], given, scales):
        say(line, style="yellow" if line.startswith("Warning") else None)


def catalog_of(sources: Sequence[Source]) -> str | None:
    """The catalogue that the logs name. Raises CommandError where they name several: one request has one."""
    named = list(dict.fromkeys(source.catalog for source in sources if source.catalog is not None))
    if len(named) > 1:
        raise CommandError(
            f"The logs name several catalogues ({', '.join(named)}); --catalog says which one."
        )
    return named[0] if named else None


def ask_once(
    path: str, body: Mapping[str, Any], service: ServiceOptions, *, catalog: str | None = None
) -> Json:
    """The answer to one request. Raises CommandError for a refusal."""
    return ask_each(path, [body], service, catalog=catalog)[0]


def ask_each(
    path: str,
    bodies: Sequence[Mapping[str, Any]],
    service: ServiceOptions,
    *,
    catalog: str | None = None,
) -> list[Json]:
    """The answers to requests of one kind. Raises CommandError for a refusal."""
    from .connection import Connection, connected
    from .conversations import UNPROCESSABLE
    from .names import check_request
    from .remote import ServiceRefusal

    async def ask(connection: Connection) -> list[Json | ServiceRefusal]:
        async with connection.remote() as remote:
            name = connection.catalog
            await check_request(remote, bodies[0], {name: None} if name else {})
            room = asyncio.Semaphore(options.AT_ONCE)

            async def post(body: Mapping[str, Any]) -> Json | ServiceRefusal:
                whole = {**body, "catalog": name}
                async with room:
                    return await remote.post(path, {k: v for k, v in whole.items() if v is not None})

            return await asyncio.gather(*map(post, bodies))

    with connected(service.url, service.api_key, catalog=catalog) as connection:
        answers = asyncio.run(ask(connection))
    found = []
    for answer in answers:
        if isinstance(answer, ServiceRefusal):
            code = Exit.USAGE if answer.status in UNPROCESSABLE else Exit.FAILED
            raise CommandError(answer.detail, code)
        found.append(answer)
    return found


def _verdicts(results: Path, sources: Sequence[Source]) -> list[Sequence[Json]]:
    """Each log's verdicts: by its id; by its content where it has none, in results that tell it."""
    from .scores import load_run

    records = load_run(str(results)).records
    by_name = {record.conversation: record for record in records}
    by_content = {record.digest: record for record in records if record.digest is not None}
    found = []
    for source in sources:
        by_line = by_name.get(source.conversation)
        record = by_line
        if source.position is not None and (by_line is None or by_line.digest is not None):
            record = by_content.get(source.digest)
        if record is None:
            told = f"{results} has no result for {source.conversation!r}; score all of these logs first."
            raise CommandError(told)
        found.append(record.verdicts)
    return found


def _factors(ratings: Sequence[Json]) -> list[str]:
    return list(dict.fromkeys(str(rating.get("factor")) for rating in ratings))


def _write(out: Path | None, answer: Json, rows: Sequence[Json]) -> None:
    """The answer to a file, or to standard output where that is no terminal."""
    if out is None:
        if not sys.stdout.isatty():
            sys.stdout.write(json_text(answer))
        return
    from .records import write_atomically

    writers = {".json": lambda: json_text(answer), ".csv": lambda: _csv(rows)}
    write_atomically(out, by_suffix(out, writers)())
    console().print(f"The answer is in {out}.", highlight=False)


def _csv(rows: Sequence[Json]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(names, [{name: _csv_cell(value) for name, value in row.items()} for row in rows])


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
