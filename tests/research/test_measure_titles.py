"""Where titles are found in texts, measured by what people made of mentions."""

from research.measure_titles import READINGS, read_verdicts


def test_the_readings_are_at_hand() -> None:
    assert len(read_verdicts(READINGS)) > 500
