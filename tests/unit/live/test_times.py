import pytest

from service.live.conversation import written


@pytest.mark.parametrize(
    "said",
    ["0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+14:00", "yesterday", "9999-12-31T23:59:59-12:00"],
)
def test_a_moment_that_no_calendar_has_is_not_said(said: str) -> None:
    assert written([{"created_at": said}, {"created_at": "2026-01-01T10:00:00Z"}]) is None
