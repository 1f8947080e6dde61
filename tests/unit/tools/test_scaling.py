from benchmarks.scaling import DOCUMENT, page, read


def test_the_plan_rests_on_the_published_results() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert page(text, read()) == text
