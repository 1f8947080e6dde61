"""What is worked out once."""

from service.text.once import once


class Sum:
    """Counts how often it is worked out."""

    def __init__(self) -> None:
        self.times = 0

    @once
    def total(self) -> int:
        """Three."""
        self.times += 1
        return 3


def test_it_is_worked_out_when_first_asked_and_kept_with_its_object() -> None:
    one, other = Sum(), Sum()
    assert one.times == 0
    assert [one.total, one.total, other.total] == [3, 3, 3]
    assert (one.times, other.times) == (1, 1)


def test_its_description_shows_on_the_class() -> None:
    assert Sum.total.__doc__ == "Three."
