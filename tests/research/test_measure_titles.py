"""The measurement of titles found in texts."""

from research.measure_titles import READINGS, read_verdicts


def test_the_readings_are_at_hand() -> None:
    assert len(read_verdicts(READINGS)) > 500
