"""`crs-eval live`: conversations judged as they end."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from .exits import need_extra
from .options import judge_option

input_option = partial(typer.Option, rich_help_panel="Input")
output_option = partial(typer.Option, rich_help_panel="Results")


def live(
    *,
    follow: Annotated[
        str | None,
        input_option(
            help="File with one message per line, read as it grows; - for standard input. Default: receive messages over HTTP.",
            metavar="FILE",
        ),
    ] = None,
    once: Annotated[
        bool,
        input_option("--once", help="Stop at the end of the file, and treat all conversations as finished."),
    ] = False,
    host: Annotated[str, input_option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, input_option(help="Port to listen on; 0 chooses a free one.", min=0, max=65535)
    ] = 8001,
    idle: Annotated[
        str | None,
        judge_option(
            help="Time without a message after which a conversation counts as finished: 30m, or per system 30m,shop=10m."
        ),
    ] = None,
    factors: Annotated[
        str | None,
        judge_option(help="Factors or protocols, separated by commas. Default: core.", metavar="A,B"),
    ] = None,
    keep_text: Annotated[
        bool,
        judge_option("--keep-text", help="Include the conversation, rationales and quotations in results."),
    ] = False,
    state: Annotated[
        str | None,
        judge_option(help="File for open conversations. Default: crs-eval-live.db.", metavar="FILE"),
    ] = None,
    redis: Annotated[
        str | None,
        judge_option(
            help="Persistent Redis instead of the file, which several workers can share.", metavar="URL"
        ),
    ] = None,
    out: Annotated[
        str | None,
        output_option(
            "--out", "-o", help="File for results (JSON Lines); - for standard output.", metavar="FILE"
        ),
    ] = None,
    database: Annotated[
        str | None,
        output_option(
            help="Database for results: postgresql://user@host/name or sqlite:///file.db.", metavar="URL"
        ),
    ] = None,
) -> None:
    """Judge conversations as they end. The options override settings that begin with CRS_EVAL_LIVE_."""
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
            raise typer.BadParameter("requires --follow FILE", param_hint="--once")
        raise typer.Exit(serve_live(host, port, environment))
    raise typer.Exit(follow_file(None if follow == "-" else Path(follow), environment, once=once))
