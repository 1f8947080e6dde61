"""Exit codes of the command line: 1 means *fail* of a gate, and nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from service.cli.doctor import ADDITIONS
from service.cli.exits import CommandError, Exit
from service.cli.inputs import json_digest
from service.cli.program import app, main
from service.cli.records import write_records
from service.usecases.wire.log import Log
from tests.factories import in_turns
from tests.unit.cli.making import record
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
    ("command", "code", "message"),
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
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands = typer.Typer(pretty_exceptions_enable=False)
    commands.command()(command)
    monkeypatch.setattr(sys, "argv", ["crs-eval"])
    assert main(commands) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert SECRET not in error


@pytest.mark.parametrize("option", ["--map", "--roles"])
def test_a_command_that_reads_only_known_formats_names_import(option: str) -> None:
    done = CliRunner().invoke(app, ["gate", "x.csv", f"{option}=a=user"])
    assert isinstance(done.exception, CommandError)
    assert str(done.exception).startswith(
        f"gate has no option {option}. Import the file first: crs-eval import"
    )


@pytest.mark.parametrize("command", ["--version", "gate --help", "faults"])
def test_a_reader_that_goes_away_is_no_failed_gate(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "service.cli.program", *command.split()],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 4
    assert done.stderr.decode().count("\n") == 1


def test_a_closed_output_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "argv", ["crs-eval", "faults", "loops"])
    with pytest.raises(SystemExit) as ended:
        main()
    sys.stdout.close()
    assert ended.value.code == 0


Doctor = Callable[..., Any]
BARE = {"messages": in_turns("A quiet film, please.", "Sure, I know one.")}


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    def asked(*logs: Any, options: tuple[str, ...] = ()) -> str:
        path = tmp_path / "logs.jsonl"
        path.write_text("".join(json.dumps(log) + "\n" for log in logs))
        done = CliRunner().invoke(app, ["doctor", str(path), *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    return asked


def _examples(text: str) -> dict[str, str]:
    """Return the example of each field that would help, as it is printed."""
    lines = [*text.splitlines(), ""]
    named = [at for at, line in enumerate(lines) if ": needed to " in line or ": raises " in line]
    return {lines[at].partition(":")[0]: lines[at + 1].partition("log: ")[2] for at in named}


def _by_model(text: str) -> dict[str, int]:
    """Return in how many logs a model can judge each factor."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) >= 3 and row[1].isdigit() and row[2].isdigit()}


def test_every_field_that_a_factor_lacks_has_an_addition_that_is_a_log(doctor: Doctor) -> None:
    nothing = {"messages": [{"role": "user", "content": "A quiet film, please."}]}
    examples = {**_examples(doctor(BARE)), **_examples(doctor(nothing))}
    assert set(examples) <= set(ADDITIONS)
    for example in examples.values():
        Log.model_validate({"messages": BARE["messages"], **json.loads(example)})


@pytest.mark.parametrize(
    "field", [name for name in ADDITIONS if name not in ("replies", "items", "items.popularity")]
)
def test_an_addition_makes_more_assessable_or_surer(doctor: Doctor, field: str) -> None:
    before = doctor(BARE)
    assert field in _examples(before)
    added = {**BARE, **ADDITIONS[field]}
    if "messages" in ADDITIONS[field]:
        added["messages"] = [*BARE["messages"], *ADDITIONS[field]["messages"]]
    after = doctor(added)
    assert field not in _examples(after)
    gained = _by_model(after)
    assert all(gained[slug] >= count for slug, count in _by_model(before).items())


def test_counts_are_of_logs_and_factors_can_be_chosen(doctor: Doctor) -> None:
    wanted = {**BARE, "ground_truth": ["Tide"], "domain": "movie"}
    found = doctor(BARE, wanted, BARE, options=("--factors", "ievalm"))
    assert found.startswith("3 logs, 1 factor.")
    assert _by_model(found) == {"ievalm-persuasiveness": 1}
    assert "ground_truth: needed to judge ievalm-persuasiveness" in found


@pytest.mark.parametrize("more", ['{"a": 1}', f'{json.dumps(BARE)}\n{{"messages": ['])
def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path, more: str) -> None:
    (tmp_path / "x.jsonl").write_text(more)
    done = CliRunner().invoke(app, ["doctor", str(tmp_path / "x.jsonl")])
    assert done.exit_code != 0
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("extra", "package", "command"),
    [
        ("mcp", "mcp", "mcp"),
        ("studies", "matplotlib", "study core --crs x=http://127.0.0.1:9/reply --users users.jsonl -o run"),
        ("studies", "pandas", "table results.jsonl -o t.tex"),
    ],
)
def test_a_command_without_its_extra_says_what_to_install(
    extra: str, package: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("service.cli.exits.find_spec", lambda name: None if name == package else "found")
    Path("users.jsonl").write_text(json.dumps({"id": "u", "ground_truth": ["Heat"], "messages": []}))
    write_records(Path("results.jsonl"), [record("c", {"coherence": 1})])
    with pytest.raises(CommandError) as error:
        CliRunner().invoke(app, command.split(), catch_exceptions=False)
    assert (
        str(error.value) == f"The package {package} is missing. Install it: pip install 'crs-eval[{extra}]'."
    )
    assert not Path("run").exists()
