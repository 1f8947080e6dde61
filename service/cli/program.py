"""`crs-eval`: the commands, and how they end."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from . import corpus_commands, judge_commands, listings
from .agents.command import mcp
from .calibration.command import calibrate
from .doctor import doctor
from .exam.command import app as exam
from .exits import CommandError, Exit, command_error
from .gate.command import compare, gate
from .importing.command import import_logs
from .labelling.command import app as label
from .live import live
from .pushing.command import push
from .studies.command import app as study
from .tabulating.command import table

JUDGE = "Judge conversations"
COMPUTE = "Measure"
PEOPLE = "Use people's labels"
DECIDE = "Decide"


def _factors() -> str:
    from .names import factors_here

    known = factors_here()
    protocols = ", ".join(
        f"{one} ({', '.join(factor.slug for factor in known.of(one))})" for one in known.protocols
    )
    return f"Factors or protocols, separated by commas. Default: core. Available: {protocols}."


def _users() -> str:
    from ..simulators.kinds import kinds

    talkers = (f"{kind.name}: {kind.says}" for kind in kinds().values() if kind.build is not None)
    return f"Type of simulated user. {'; '.join(talkers)}."


def _metrics() -> str:
    from ..computed_metrics import METRICS

    return f"Metrics, separated by commas. Default: all of {', '.join(METRICS)}."


_HELP: Mapping[str, Callable[[], str]] = {"--factors": _factors, "--user": _users, "--metrics": _metrics}


class LateHelp(TyperCommand):
    """A command that adds help to some options late, and refuses options of `crs-eval import` with a hint."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in parameter.opts}
        for name in {arg.partition("=")[0] for arg in args} & {"--map", "--roles"} - known:
            raise CommandError(
                f"{ctx.info_name} has no option {name}. Import the file first: crs-eval import FILE {name} ... -o logs.jsonl"
            )
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and not parameter.help and parameter.opts[0] in _HELP:
                parameter.help = _HELP[parameter.opts[0]]()
        super().format_help(ctx, formatter)


class Commands(TyperGroup):
    """The commands. Where the reader of a pipe went away, Typer would end with 1, which means *fail*."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        with _while_somebody_reads():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        with _while_somebody_reads():
            return super().invoke(ctx)


@contextlib.contextmanager
def _while_somebody_reads() -> Iterator[None]:
    try:
        yield
    except (BrokenPipeError, SystemExit) as error:
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise  # where Rich prints, it ends with 1 itself
        # Buffered output is written at the end of the process, and must not fail there once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CommandError("the program that reads the output closed the pipe.", Exit.FAILED) from None


app = typer.Typer(
    cls=Commands,
    name="crs-eval",
    help="Judge conversations of conversational recommenders: scores, faults, reasons and confidence.",
    epilog="Exit codes: 0 success, 1 the gate or --fail-under failed, 2 wrong usage, 3 inconclusive or not comparable, 4 the judge or the service failed.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"crs-eval {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """Judge conversations of conversational recommenders: scores, faults, reasons and confidence."""


for panel, commands in {
    JUDGE: (judge_commands.score, judge_commands.evaluate, judge_commands.debate, judge_commands.simulate),
    COMPUTE: (corpus_commands.metrics, corpus_commands.align, corpus_commands.agreement),
    DECIDE: (gate, compare, table),
    PEOPLE: (calibrate,),
    "Other": (listings.faults, listings.factors, import_logs, push, doctor, judge_commands.serve, live, mcp),
}.items():
    for command in commands:
        name = "import" if command is import_logs else None
        app.command(name, rich_help_panel=panel, cls=LateHelp)(command)
app.add_typer(label, name="label", rich_help_panel=PEOPLE)
app.add_typer(study, name="study", rich_help_panel=COMPUTE)
app.add_typer(exam, name="exam", rich_help_panel=DECIDE)


def main(commands: typer.Typer = app) -> int:
    """Run the command line. Returns the exit code of a command that cannot do what was asked; others end by
    SystemExit. A defect ends with 4 and a line that says where it is: 1 would mean *fail*."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by the caller, as cron jobs and daemons do
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - open until the end
    try:
        commands()
    except Exception as error:  # noqa: BLE001 - the outermost frame
        ended = command_error(error)
        print(f"crs-eval: {ended}", file=sys.stderr)  # noqa: T201 - for a person
        return ended.code
    return Exit.PASS


if __name__ == "__main__":
    sys.exit(main())
