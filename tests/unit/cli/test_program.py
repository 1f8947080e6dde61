"""Exit codes of the command line: 1 means *fail* of a gate, and nothing else."""

import os
import subprocess
import sys

import pytest
import typer

from service.cli.exits import CommandError, Exit
from service.cli.inputs import json_digest
from service.cli.program import main
from tools.service_process import ROOT

SECRET = "my conversation"


def _defect() -> None:
    # Recurses in our own module: a defect as bad input could lay one bare.
    value: list[object] = [SECRET]
    for _ in range(100_000):
        value = [value]
    json_digest(value)


def _no_file() -> None:
    (ROOT / "service").read_text()


def _full() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        full.write(SECRET)


def _usage() -> None:
    raise CommandError("give a file.", Exit.USAGE)


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (_defect, 4, "a defect of crs-eval: RecursionError in inputs.py, line "),
        (_no_file, 2, "Is a directory"),
        (_full, 4, "No space left"),
        (_usage, 2, "give a file."),
    ],
)
def test_every_end_is_one_line_and_a_code(
    command: "typer.models.CommandFunctionType",
    code: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands = typer.Typer(pretty_exceptions_enable=False)
    commands.command()(command)
    monkeypatch.setattr(sys, "argv", ["crs-eval"])
    assert main(commands) == code
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert SECRET not in error


def test_a_reader_that_goes_away_is_no_failed_gate() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "service.cli.program", "--version"],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 4
    assert done.stderr.decode().count("\n") == 1
