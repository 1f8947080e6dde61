"""`crs-eval`: the commands, and how they end."""

import sys
from typing import Annotated

import typer

from . import judging, whole
from .gate.command import app as gate
from .gate.command import compare
from .importing.command import import_logs
from .stopping import CommandError, Exit

app = typer.Typer(
    name="crs-eval",
    help="Says how good a conversational recommender was, why, and how sure it is.",
    epilog="Exit codes: 0 pass, 1 fail, 2 usage, 3 inconclusive or not comparable, 4 the judge or the service failed.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,  # a defect shows its traceback, without the texts in local variables
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"crs-eval {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_say_version, help="Say which version this is."),
    ] = False,
) -> None:
    """Says how good a conversational recommender was, why, and how sure it is."""


JUDGE = "Judge conversations"
COMPUTE = "Measure"
DECIDE = "Decide"
for panel, commands in {
    JUDGE: (judging.score, judging.evaluate, judging.debate, judging.simulate),
    COMPUTE: (whole.metrics, whole.align, whole.agreement),
    DECIDE: (compare,),
}.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(gate, name="gate", rich_help_panel=DECIDE)
app.command("import", rich_help_panel="Other")(import_logs)
app.command(rich_help_panel="Other")(judging.serve)


def main() -> int:
    """Run the command line. Returns the exit code of a command that cannot do what was asked; others
    end by SystemExit."""
    try:
        app()
    except CommandError as error:
        print(f"crs-eval: {error}", file=sys.stderr)  # noqa: T201 - for a person
        return error.code
    return Exit.PASS


if __name__ == "__main__":
    sys.exit(main())
