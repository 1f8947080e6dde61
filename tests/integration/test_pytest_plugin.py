"""`assert_quality` in the tests of a recommender, in a pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tools.service_process import ROOT

TESTS = """
GOOD = {"messages": [
    {"role": "user", "content": "A quiet film, please. What do you have?"},
    {"role": "assistant", "content": "I recommend Paper Lanterns (2009), because it is quiet. Does that suit you?"},
    {"role": "user", "content": "Yes, thank you!"},
]}
BAD = {"messages": [
    {"role": "user", "content": "A quiet film, please."},
    {"role": "assistant", "content": "The The The The cheap."},
    {"role": "user", "content": "That makes no sense. What do you recommend?"},
    {"role": "assistant", "content": "The The The The cheap."},
]}


def test_good(assert_quality):
    assert_quality(GOOD, coherence=3, grammatical_correctness=3)


def test_bad(assert_quality):
    assert_quality(BAD, coherence=3)


def test_unknown(assert_quality):
    assert_quality(GOOD, novelty=1)


def test_misspelt(assert_quality):
    assert_quality(GOOD, coherense=3)


def test_several(assert_quality):
    assert_quality(GOOD, core=1)


def test_no_score_reaches_it(assert_quality):
    assert_quality(GOOD, coherence=25)


def test_no_word_is_a_bar(assert_quality):
    assert_quality(GOOD, coherence="high")


def test_a_fix_is_said_once(assert_quality):
    assert_quality({}, coherence=3)
"""


def test_a_recommenders_tests(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    # Settings of a folder above are not this project's.
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CRS_EVAL_", "PYTEST_"))}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    options = "-p service.cli.pytest_plugin -p no:cacheprovider -rA"
    command = [sys.executable, "-m", "pytest", *options.split()]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "PASSED test_it.py::test_good" in done.stdout, done.stdout
    assert "FAILED test_it.py::test_bad" in done.stdout
    assert "where 3 is asked" in done.stdout
    assert "novelty cannot be assessed" in done.stdout
    assert "did you mean 'coherence'" in done.stdout
    assert "ValueError: core names several factors" in done.stdout
    assert "ValueError: coherence=25 is no number on its scale, 0 to 4" in done.stdout
    assert "ValueError: coherence='high' is no number on its scale" in done.stdout
    assert "add this field; add this field" not in done.stdout
    assert done.returncode == 1
