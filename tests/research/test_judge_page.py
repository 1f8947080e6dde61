"""The README and the embedded judge's page show what was measured, by the weights that ship."""

import pytest

from research.judge_page import read, runs, stale
from service.encoder.detector import detector
from service.judges.embedded.reliability import domain_reliabilities


def test_the_pages_show_the_reports() -> None:
    assert not stale()


def test_the_last_exam_was_taken_by_these_weights() -> None:
    assert runs()[-1]["detector"] == detector().revision


@pytest.mark.parametrize(
    ("kind", "measured"),
    [
        ("films", "crsarena_eval.dev"),
        ("interviews", "uss_ccpe.dev"),
        ("tasks", "uss_sgd.dev"),
        ("products", "cosrec.dev"),
    ],
)
def test_confidence_rests_on_what_was_measured(kind: str, measured: str) -> None:
    ground = next(ground for ground in domain_reliabilities() if ground.name == kind)
    found = read("overall.json")[measured]
    assert (ground.n, ground.agreement) == (found["n"], round(found["r"], 2))
