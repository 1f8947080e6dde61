"""`crs-eval live`: conversations judged as they end."""

from pathlib import Path
from typing import Annotated

import typer

IN = "What comes in"
HOW = "How it is judged"
OUT = "Where results go"
SETTINGS = {
    "idle": "IDLE",
    "factors": "FACTORS",
    "state": "STATE",
    "redis": "REDIS_URL",
    "out": "LINES",
    "database": "DATABASE",
}


def live(
    *,
    follow: Annotated[
        str | None,
        typer.Option(
            help="A file of messages, one a line, read as it grows; - for standard input. Without it, messages come over HTTP.",
            rich_help_panel=IN,
            metavar="FILE",
        ),
    ] = None,
    once: Annotated[
        bool,
        typer.Option(
            "--once",
            help="Stop at the end of the file and treat all its conversations as over. For older files.",
            rich_help_panel=IN,
        ),
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on.", rich_help_panel=IN)] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535, rich_help_panel=IN),
    ] = 8001,
    idle: Annotated[
        str | None,
        typer.Option(
            help="Idle time after which a conversation is over: 30m, or 30m,shop=10m.", rich_help_panel=HOW
        ),
    ] = None,
    factors: Annotated[
        str | None, typer.Option(help="Factors or protocols; core by default.", rich_help_panel=HOW, metavar="A,B")
    ] = None,
    keep_text: Annotated[
        bool,
        typer.Option(
            "--keep-text", help="Put the conversation, rationales and quotations into results.", rich_help_panel=HOW
        ),
    ] = False,
    state: Annotated[
        str | None,
        typer.Option(
            help="The file of open conversations; crs-eval-live.db by default.", rich_help_panel=HOW, metavar="FILE"
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(
            help="A Redis that persists, in place of the file: several workers share it.",
            rich_help_panel=HOW,
            metavar="URL",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", help="A file for results, a line of JSON each; - for standard output.", rich_help_panel=OUT,
            metavar="FILE",
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="PostgreSQL or SQLite: postgresql://user@host/name, sqlite:///file.db.", rich_help_panel=OUT, metavar="URL"
        ),
    ] = None,
) -> None:  # fmt: skip
    """Judges conversations as they end. Options stand for settings that begin with CRS_EVAL_LIVE_."""
    import os

    from ..live_main import follow as follow_file
    from ..live_main import serve_live
    from ..settings import CLIENT_VARIABLES

    given = {
        "idle": idle,
        "factors": factors,
        "state": state,
        "redis": redis,
        "out": out,
        "database": database,
    }
    environment = {name: value for name, value in os.environ.items() if name not in CLIENT_VARIABLES}
    environment |= {
        f"CRS_EVAL_LIVE_{SETTINGS[name]}": value for name, value in given.items() if value is not None
    }
    if keep_text:
        environment["CRS_EVAL_LIVE_KEEP_TEXT"] = "true"
    if follow is None:
        if once:
            raise typer.BadParameter("goes with --follow FILE", param_hint="--once")
        raise typer.Exit(serve_live(host, port, environment))
    raise typer.Exit(follow_file(None if follow == "-" else Path(follow), environment, once=once))
