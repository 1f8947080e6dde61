"""`crs-eval live`: conversations judged as they end."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from .exits import need_extra

input_option = partial(typer.Option, rich_help_panel="What comes in")
judge_option = partial(typer.Option, rich_help_panel="How it is judged")
output_option = partial(typer.Option, rich_help_panel="Where results go")


def live(
    *,
    follow: Annotated[
        str | None,
        input_option(
            help="A file of messages, one a line, read as it grows; - for standard input. Without it, messages come over HTTP.",
            metavar="FILE",
        ),
    ] = None,
    once: Annotated[
        bool, input_option("--once", help="Treat all conversations as over at the end of the file.")
    ] = False,
    host: Annotated[str, input_option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, input_option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)
    ] = 8001,
    idle: Annotated[
        str | None, judge_option(help="Idle time after which a conversation is over: 30m, or 30m,shop=10m.")
    ] = None,
    factors: Annotated[
        str | None, judge_option(help="Factors or protocols; core by default.", metavar="A,B")
    ] = None,
    keep_text: Annotated[
        bool,
        judge_option("--keep-text", help="Put the conversation, rationales and quotations into results."),
    ] = False,
    state: Annotated[
        str | None,
        judge_option(help="The file of open conversations; crs-eval-live.db by default.", metavar="FILE"),
    ] = None,
    redis: Annotated[
        str | None,
        judge_option(
            help="A persistent Redis in place of the file: several workers share it.", metavar="URL"
        ),
    ] = None,
    out: Annotated[
        str | None,
        output_option("--out", "-o", help="A file for results (JSON Lines); - for stdout.", metavar="FILE"),
    ] = None,
    database: Annotated[
        str | None,
        output_option(help="A database: postgresql://user@host/name or sqlite:///file.db.", metavar="URL"),
    ] = None,
) -> None:
    """Judges conversations as they end. Options stand for settings that begin with CRS_EVAL_LIVE_."""
    need_extra("live", "fastapi", "uvicorn")
    from ..live_main import follow as follow_file
    from ..live_main import serve_live
    from ..settings import CLIENT_VARIABLES

    given = {
        "IDLE": idle,
        "FACTORS": factors,
        "STATE": state,
        "REDIS_URL": redis,
        "LINES": out,
        "DATABASE": database,
        "KEEP_TEXT": "true" if keep_text else None,
    }
    environment = {name: value for name, value in os.environ.items() if name not in CLIENT_VARIABLES}
    environment |= {f"CRS_EVAL_LIVE_{name}": value for name, value in given.items() if value is not None}
    if follow is None:
        if once:
            raise typer.BadParameter("goes with --follow FILE", param_hint="--once")
        raise typer.Exit(serve_live(host, port, environment))
    raise typer.Exit(follow_file(None if follow == "-" else Path(follow), environment, once=once))
