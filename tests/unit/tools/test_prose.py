"""The check of prose finds what house style forbids, and nothing else."""

import json
import re
from typing import Any

import pytest

from tools.prose import MOST_LINES, MOST_WORDS, comments, described, docstrings, findings
from tools.service_process import ROOT

LONG = " ".join(["word"] * (MOST_WORDS + 1)) + "."


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (f"A line.\n\n{LONG}", "3: a sentence of 25 words"),
        (f"- short\n- {LONG}", "2: a sentence of 25 words"),
        ("\n".join(["line"] * (MOST_LINES + 1)), "1: a paragraph of 7 lines"),
        ("words of a list: " * 5 + "it goes on; and " + "on " * 9, "1: a sentence of 33 words"),
        ("(These are seven words in brackets here.) " + LONG, "1: a sentence of 25 words"),
        ("Requests are told apart.", "1: “told apart”: write distinguished"),
    ],
)
def test_a_fault_is_found_with_its_line(page: str, said: str) -> None:
    (found,) = findings(page)
    assert f"{found.line}: {found.fault}".startswith(said)


@pytest.mark.parametrize(
    "page",
    [
        f"```\n{LONG}\n```",
        f"    {LONG}",
        f"| a |\n| --- |\n| {LONG} |",
        f"# {LONG}",
        f"> {LONG}",
        f"Fields are {', '.join(['`a`'] * 40)} and `b`.",
        "Fifteen words and then a stop end here. " * 2,
        "A path like `told apart` is code.",
    ],
)
def test_code_tables_headings_and_short_sentences_pass(page: str) -> None:
    assert not list(findings(page))


def described_as(text: str) -> str:
    """A contract with this description, on its fifth line."""
    return json.dumps({"properties": {"n": {"type": "integer", "description": text}}}, indent=2)


@pytest.mark.parametrize(
    ("check", "text", "lines"),
    [
        (docstrings, '"""A module."""\n\n\ndef f() -> None:\n    """What it does."""\n', [5]),
        (docstrings, f'"""A module.\n\n{LONG}\n"""\n', [3]),
        (docstrings, 'MOST = 3\n"""How many there may be."""\nLEAST = 1\n"""The least number."""\n', [2]),
        (docstrings, f'"""A tree.\n\n├── {LONG}\n"""\n', []),
        (comments, "A = 1\n#: Where it is.\n# What goes on in the next line.\nB = 2\n", [2]),
        (comments, "A = 1\n\n    #: Whether it counts. Begins anew.\n", [3, 3]),
        (comments, "A = 1\n# Where none is given, the default counts.\n", []),
        (comments, 'A = 1\n"# What a string says"\n', []),
        (described, described_as("How many there are."), [5]),
        (described, described_as(LONG), [5]),
        (described, described_as("Number of values.").replace("type", "example"), []),
    ],
)
def test_so_is_one_of_code_and_of_a_contract(check: Any, text: str, lines: list[int]) -> None:
    assert [found.line for found in check(text)] == lines


SCRIPT = ROOT / "tools" / "bare_machine.sh"


def test_it_has_the_packages_that_the_readme_names() -> None:
    readme = " ".join((ROOT / "README.md").read_text().split())
    named = re.search(r"need Linux with python3 \(3\.11 or later\), ([^.]+)\.", readme)
    needed = re.search(r"^NEEDED=(.+)$", SCRIPT.read_text(), re.MULTILINE)
    assert named
    assert needed
    assert needed[1].split(",") == ["python3", *re.split(r", | and ", named[1])]
