from service.telemetry.recorder import LONGEST, OTHER, BoundedLabels


def test_the_first_values_have_labels_of_their_own_and_later_ones_share_one() -> None:
    labels = BoundedLabels(2)
    assert [labels.of(value) for value in ("a", "b", "c", "d", "a")] == ["a", "b", OTHER, OTHER, "a"]


def test_labels_are_short_and_printable() -> None:
    labels = BoundedLabels(5)
    assert labels.of("x" * 1000) == "x" * LONGEST
    assert labels.of("a\nb\x00") == "a b"
    assert labels.of("\x00") == OTHER
