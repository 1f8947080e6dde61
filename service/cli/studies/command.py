"""`crs-eval study`: a subcommand for each study."""

import typer

from .kinds import studies

app = typer.Typer(
    help="Whole studies: from recommenders to the tables of a paper, with the published figures beside.",
    no_args_is_help=True,
)
for _study in studies().values():
    app.command(_study.name, help=_study.says)(_study.command)
