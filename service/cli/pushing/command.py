"""`crs-eval push`: upload the scores of a results file."""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from ...domain.plurals import counted
from ..exits import CommandError, Exit
from ..options import one_of
from .sinks import Sink, sinks


def push(
    results: Annotated[str, typer.Argument(help="Results of crs-eval score -o or crs-eval live --out.", show_default=False)],
    *,
    to: Annotated[
        str,
        typer.Option(help="Platform that stores the traces.", show_default=False, **one_of(list(sinks())))
    ],
    url: Annotated[
        str | None, typer.Option(help="Address of the platform. Default: the platform's own variable.")
    ] = None,
    trace_field: Annotated[
        str | None,
        typer.Option(help="Metadata field of the logs with the trace id. Default: the id of the log.", metavar="NAME")
    ] = None,
    logs: Annotated[
        list[str] | None,
        typer.Option(help="The scored logs, for --trace-field. May be repeated.", metavar="FILE")
    ] = None,
    session: Annotated[
        bool, typer.Option("--session", help="Score sessions (Opik: threads) instead of traces.")
    ] = False,
    comments: Annotated[
        bool, typer.Option("--comments/--no-comments", help="Send rationales and faults as comments, which quote the log.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print requests as JSON Lines, and send nothing.")
    ] = False,
) -> None:  # fmt: skip
    """Upload scores and faults to the platform that stores the traces."""
    from ..scores import load_run
    from .sender import Sender, live_records, trace_ids, trace_scores

    sink = sinks()[to]
    if session and not sink.sessions:
        raise CommandError(f"{to} accepts only scores of traces. Leave out --session.")
    live = live_records(results)
    records = load_run(results).records if live is None else live
    ids = trace_ids(records, logs or [], trace_field)
    named = [
        score
        for place, target in ids.items()
        for score in trace_scores(records[place], target, comments=comments)
    ]
    file = Path(results)
    settings = dict(os.environ)
    sender = Sender(to, sink, _address(sink, url), settings, session, file.with_name(f"{file.name}.pushed"))
    unique = {score.id: score for score in named}
    scores = [score for score in unique.values() if sender.digest(score) not in sender.known]
    nameless = [record.conversation for place, record in enumerate(records) if place not in ids]
    if dry_run:
        for start in range(0, len(scores), sink.most):
            request = sink.make(scores[start : start + sink.most], settings, session)
            line = {"method": request.method, "url": sender.address + request.path, "body": request.body}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    elif missing := [name for name in sink.required if not settings.get(name)]:
        raise CommandError(f"{to} needs {' and '.join(missing)} in the environment.")
    else:
        sender.send(scores)
    for refusal in [*sender.refused, *(f"{name}: no trace id" for name in nameless)]:
        typer.echo(refusal, err=True)
    if dry_run:
        return
    kinds = Counter(score.fault for score in sender.arrived)
    totals = f"Sent to {to}: {counted(kinds[False], 'score')}, {counted(kinds[True], 'fault')}. Refused: {len(sender.refused)}."
    typer.echo(f"{totals} Sent earlier: {len(unique) - len(scores)}.", err=True)
    if sender.refused or nameless:
        raise typer.Exit(Exit.FAILED)


def _address(sink: Sink, url: str | None) -> str:
    found = url or next((os.environ[name] for name in sink.addresses if os.environ.get(name)), sink.default)
    if urlsplit(found).scheme not in ("http", "https"):
        raise CommandError(
            f"{found} is not a URL. The address of a platform begins with http:// or https://."
        )
    return found.rstrip("/")
