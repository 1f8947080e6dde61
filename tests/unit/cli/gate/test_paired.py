"""The statistics of a comparison, against figures worked out by hand and against simulation."""

import re

import numpy as np
import pytest

from service.cli.configuration import GateSettings
from service.cli.gate.judgement import judge
from service.cli.gate.notifications import annotations, comment, summary
from service.cli.gate.paired import PairedLosses, differences, significance
from service.cli.gate.results import GateJudgement
from tests.unit.cli.making import run


def test_the_drop_that_would_be_seen_follows_the_noise() -> None:
    chance = np.random.default_rng(3)
    names = [str(i) for i in range(100)]
    before = {"f": dict.fromkeys(names, 2.0)}
    after = {"f": {name: 2.0 + float(chance.normal()) for name in names}}
    (one,) = differences(before, after, ["f"], names, draws=1000, alpha=0.025)
    # A standard error of a tenth, times 1.96 to be called a loss, and times 0.84 for four of five runs.
    assert one.visible(0.1) == pytest.approx(0.28, abs=0.05)
    assert one.visible(0.5) == pytest.approx(0.5 + 0.084, abs=0.03)


def _pairs(losses: "np.typing.NDArray[np.float64]") -> PairedLosses:
    return PairedLosses([str(i) for i in range(losses.shape[1])], losses, np.ones_like(losses))


def test_p_values_by_hand() -> None:
    # Five losses of the same size: one toss of 32 shows as much. Twice the same factor is one question.
    p, adjusted, _ = significance(_pairs(np.ones((5, 2))), draws=20_000, alpha=0.025)
    assert p == pytest.approx([1 / 32] * 2, abs=0.004)
    assert adjusted == pytest.approx([1 / 32] * 2, abs=0.004)
    # Two factors of other conversations are two questions: 1 - (31/32)^2.
    apart = np.zeros((10, 2))
    apart[:5, 0] = apart[5:, 1] = 1
    _, adjusted, _ = significance(_pairs(apart), draws=20_000, alpha=0.025)
    assert adjusted == pytest.approx([1 - (31 / 32) ** 2] * 2, abs=0.005)


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
