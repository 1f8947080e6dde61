from service.text.words import Span, blank, outside


def test_spans_that_touch_a_protected_one_are_left_out() -> None:
    spans = [Span(0, 2, "a"), Span(3, 6, "b"), Span(7, 9, "c")]
    assert outside(spans, [Span(5, 8, "title")]) == [Span(0, 2, "a")]


def test_a_long_protected_span_reaches_past_a_short_one_that_starts_later() -> None:
    assert outside([Span(8, 9, "a")], [Span(0, 20, "title"), Span(1, 2, "title")]) == []


def test_neighbours_do_not_touch() -> None:
    assert outside([Span(2, 4, "a")], [Span(0, 2, "x"), Span(4, 5, "x")]) == [Span(2, 4, "a")]


def test_blanking_keeps_positions_even_where_spans_overlap() -> None:
    assert blank("abcdefgh", [Span(1, 4, "x"), Span(2, 6, "y"), Span(3, 4, "z")]) == "a     gh"
