"""The judge's revision follows what changes a score, and nothing else."""

from pathlib import Path

import pytest

from service.judges.embedded.judge import revision as in_force
from tools.judge_revision import DATA, revision

JUDGE = '''"""A judge."""
from . import rules
from ...text import words


def rate(text):
    """Rate a text."""
    # Why it is so.
    from ...lazy import late
    return rules.cost(text)
'''
RULE = '''"""A rule."""
import re

COST = 2.5
FINDS = re.compile(r"never (?:ever|again)")


def cost(text):
    """What it costs."""
    return f"{text} is not what the user asked for" if FINDS.search(text) else COST
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a judge of one rule, a module that it imports late, and one that it does not."""
    monkeypatch.syspath_prepend(tmp_path)
    root = tmp_path / "judging"
    for folder in (*DATA, "judges", "judges/embedded/rules", "."):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "__init__.py").touch()
    files = {
        "judges/embedded/judge.py": JUDGE,
        "judges/embedded/rules/__init__.py": "from .haste import cost",
        "judges/embedded/rules/haste.py": RULE,
        "judges/embedded/wording.toml": 'haste = "never waits"',
        "judges/computed/courtesy.toml": 'insult = ["fool"]',
        "judges/unread.toml": 'image = "was not seen"',
        "text/words.py": "MOST = 3",
        "lazy.py": "late = 1",
        "other.py": "x = 1",
        "encoder/weights/detector.npz": "weights",
        "encoder/weights/strategies.npz": "weights of another use",
        "prompt_injection/steering.toml": "words = []",
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("judges/embedded/judge.py", "# Why it is so.", "# Why it must be so, at length.", False),
        ("judges/embedded/judge.py", '"""Rate a text."""', '"""Give a text its rate."""', False),
        ("judges/embedded/judge.py", "    return", "\n    return", False),
        ("judges/embedded/wording.toml", "never", "nothing", False),
        ("judges/unread.toml", "was not", "could not be", False),
        ("other.py", "1", "2", False),
        ("encoder/weights/strategies.npz", "another", "some other", False),
        ("judges/embedded/rules/haste.py", "2.5", "2.6", True),
        ("judges/embedded/rules/haste.py", "never (?:ever|", "never (?:|", True),
        ("judges/embedded/rules/haste.py", "else COST", "else -COST", True),
        ("text/words.py", "3", "4", True),
        ("lazy.py", "1", "2", True),
        ("encoder/weights/detector.npz", "weights", "other weights", True),
        ("prompt_injection/steering.toml", "[]", '["a"]', True),
        ("judges/computed/courtesy.toml", "fool", "clown", True),
    ],
)
def test_what_may_change_a_score_changes_it_and_nothing_else_does(
    package: Path, file: str, old: str, new: str, changes: bool
) -> None:
    before = revision(package)
    text = (package / file).read_text(encoding="utf-8")
    assert old in text
    (package / file).write_text(text.replace(old, new), encoding="utf-8")
    assert (revision(package) != before) is changes


def test_the_one_in_force_is_that_of_the_code() -> None:
    assert in_force() == revision()
