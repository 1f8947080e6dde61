"""The embedded judge's page shows what was measured, by the weights that ship."""

from research.judge_page import PAGE, runs, written
from service.encoder.detector import detector


def test_the_page_shows_the_reports() -> None:
    page = PAGE.read_text("utf-8")
    assert page == written(page)


def test_the_last_exam_was_taken_by_these_weights() -> None:
    assert runs()[-1]["detector"] == detector().revision
