"""Every text of the embedded judge is there, is used, and gets the values that it names."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from service.grounding.facts import Origin
from service.judges.embedded.observations.content import reasons
from service.judges.embedded.rules.findings import texts
from service.judges.embedded.rules.replies import LOSSES, NAMES, NOT_TAKEN_UP

JUDGE = Path(__file__).parents[4] / "service" / "judges" / "embedded"
STAGES = [
    path
    for stage in ("rules", "verdicts")
    for path in sorted((JUDGE / stage).glob("*.py"))
    if path.stem != "rule"
]
#: Tables that a rule's or a fault's name looks up, so that no key of theirs stands in a module.
BY_NAME = {"losses", "signals", "courtesy", "faults", "grammar", "reasons", "origins"}
_PROSE = re.compile(r"[A-Za-z']{2,}[,;:.]? [A-Za-z']{2,}")


def calls() -> dict[str, set[frozenset[str]]]:
    """Return the keys that modules ask for, each with the names of the values that they give."""
    found: dict[str, set[frozenset[str]]] = {}
    for path in (JUDGE / "judge.py", *STAGES):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("say", "pair"):
                values = frozenset(given.arg or "" for given in node.keywords)
                for key in _keys(node.args[0]):
                    found.setdefault(key, set()).add(values)
    return found


def _keys(asked: ast.expr) -> list[str]:
    """Return the key that a call asks for, or the two between which it chooses."""
    choices = [asked.body, asked.orelse] if isinstance(asked, ast.IfExp) else [asked]
    return [ast.literal_eval(choice) for choice in choices]


def test_every_key_has_a_text_with_the_values_that_it_gets() -> None:
    stored = {f"{name}.{key}": text for name, table in texts().items() for key, text in table.items()}
    asked = calls()
    assert asked.keys() <= stored.keys()
    for key, given in asked.items():
        wanted = stored[key] if isinstance(stored[key], str) else ""
        named = {name for _, name, _, _ in Formatter().parse(str(wanted)) if name is not None}
        assert given == {frozenset(named)}, key


def test_no_text_stands_there_for_nothing() -> None:
    stored = {f"{name}.{key}" for name, table in texts().items() if name not in BY_NAME for key in table}
    assert stored == calls().keys()


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("losses", {*LOSSES}),
        ("origins", {origin.name.lower() for origin in Origin}),
        ("signals", {*NAMES} - NOT_TAKEN_UP.keys() | {"not-taken-up", "serves"}),
        ("reasons", {*reasons.KINDS, "statement", "attribute"}),
    ],
)
def test_every_rule_and_signal_has_its_words(table: str, names: set[str]) -> None:
    assert texts()[table].keys() == names


@pytest.mark.parametrize("path", STAGES, ids=lambda path: path.stem)
def test_no_module_words_anything_itself(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    remarks = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    prose = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in remarks
        if not re.search(r"[\\|(]", node.value) and _PROSE.search(node.value)
    ]
    assert prose == []


def test_a_table_stands_in_one_file() -> None:
    tables = [
        line
        for file in (JUDGE / "wording").glob("*.toml")
        for line in file.read_text().splitlines()
        if line[:1] == "["
    ]
    assert len(tables) == len(set(tables))
