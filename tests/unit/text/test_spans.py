from hypothesis import given
from hypothesis import strategies as st

from service.text.words import Span, blank, outside

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda pair: Span(pair[0], pair[0] + pair[1], "x")),
    max_size=8,
)


@given(SPANS, SPANS)
def test_outside_agrees_with_comparing_every_pair(spans: list[Span], walls: list[Span]) -> None:
    apart = [span for span in spans if not any(span.overlaps(wall) for wall in walls)]
    assert outside(spans, walls) == sorted(apart)


@given(st.text(max_size=50), SPANS)
def test_blanking_keeps_the_length(text: str, spans: list[Span]) -> None:
    inside = [Span(span.start, min(span.end, len(text)), "x") for span in spans if span.start < len(text)]
    assert len(blank(text, inside)) == len(text)


def test_blanking_keeps_positions_even_where_spans_overlap() -> None:
    assert blank("abcdefgh", [Span(1, 4, "x"), Span(2, 6, "y"), Span(3, 4, "z")]) == "a     gh"


def test_neighbours_do_not_touch() -> None:
    assert outside([Span(2, 4, "a")], [Span(0, 2, "x"), Span(4, 5, "x")]) == [Span(2, 4, "a")]
