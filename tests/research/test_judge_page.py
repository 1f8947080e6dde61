"""The README and the embedded judge's page show what was measured, by the weights that ship."""

from research.judge_page import runs, stale
from service.encoder.detector import detector


def test_the_pages_show_the_reports() -> None:
    assert not stale()


def test_the_last_exam_was_taken_by_these_weights() -> None:
    assert runs()[-1]["detector"] == detector().revision
