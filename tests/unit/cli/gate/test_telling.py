"""Messages to CI systems: JUnit, annotations, a comment that fits, a page."""

import json
import re
from xml.etree import ElementTree

import pytest

from service.cli.configuration import GateSettings
from service.cli.gate.judgement import judge
from service.cli.gate.junit import junit
from service.cli.gate.page import gate_page
from service.cli.gate.results import GateJudgement
from service.cli.gate.telling import annotations, as_json, comment, summary
from tests.unit.cli.making import run

EVIL = "::error::x\n::set-env name=a::b <b> @all | % \x00"


@pytest.fixture
def judgement() -> GateJudgement:
    """A regression of coherence, a failing judge, a factor that cannot be assessed; hostile texts."""
    names = [f"c{i} {EVIL}" for i in range(60)]
    before = run("before", {n: {"coherence": 4, "novelty": None, "naturalness": "timeout"} for n in names})
    now = run(
        "now",
        {n: {"coherence": 1, "novelty": None, "naturalness": "timeout"} for n in names},
        rationale=EVIL * 20,
    )
    return judge(now, before, GateSettings())


def test_junit_keeps_failure_error_and_skipped_apart(judgement: GateJudgement) -> None:
    root = ElementTree.fromstring(junit(judgement).partition("\n")[2])
    suite = root[0]
    kinds = {
        case.get("name", "").partition(":")[0]: [child.tag for child in case]
        for case in suite.iter("testcase")
    }
    assert kinds["coherence"] == ["failure"]
    assert kinds["naturalness"] == ["error"]
    assert kinds["novelty"] == ["skipped"]
    counts = {name: int(suite.get(name, "")) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 4, "failures": 1, "errors": 2, "skipped": 1}


def test_at_most_ten_annotations_each_one_line(judgement: GateJudgement) -> None:
    lines = list(annotations(judgement))
    assert len(lines) == 10
    assert all(re.fullmatch(r"::(error|warning) title=[^:,\n]*::[^\n\r]*", line) for line in lines)
    assert sum("title=c" in line and "now." in line for line in lines) >= 6


def test_a_comment_fits_and_calls_nobody(judgement: GateJudgement) -> None:
    text = comment(judgement)
    assert len(text.encode()) < 64_000
    assert "@all" not in text
    assert text.count("<details>") == text.count("</details>")
    huge = GateJudgement([*judgement.results] * 60, judgement.candidate, judgement.baseline)
    cut = comment(huge)
    assert len(summary(huge).encode()) > 64_000
    assert len(cut.encode()) < 64_000
    assert cut.count("<details>") == cut.count("</details>")
    assert "job's summary" in cut


def test_json_and_page(judgement: GateJudgement) -> None:
    told = json.loads(as_json(judgement))
    assert told["verdict"] == "fail"
    assert {result["factor"]: result["verdict"] for result in told["results"]}["naturalness"] == "error"
    page = gate_page(judgement, 0.2)
    assert "<svg" in page
    assert "<b> @all" not in page
