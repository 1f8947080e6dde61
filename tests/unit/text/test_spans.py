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


def test_blanking_keeps_positions_even_where_spans_overlap() -> None:
    assert blank("abcdefgh", [Span(1, 4, "x"), Span(2, 6, "y"), Span(3, 4, "z")]) == "a     gh"
