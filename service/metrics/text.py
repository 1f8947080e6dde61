"""What the replies look like: variety of words, turns, and when the first recommendation comes."""

from collections.abc import Iterator, Sequence

from .figures import Figure, Undefined, Unit, View, parts
from .reading import Cuts, Reading


def distinct_1(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Different words over all words of a session's replies, averaged over sessions (pooling them
    would make the figure fall with the number of sessions)."""
    yield _distinct(readings, 1)


def distinct_2(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """The same for pairs of neighbouring words of one message."""
    yield _distinct(readings, 2)


def turns_before_recommendation(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Mean number of turns before the first that recommends, over the sessions that recommend: a
    list that is not empty, or a title in the text that the user had not brought up."""
    lists = any(reading.has_lists for reading in readings)
    yield _before(
        View.LISTS,
        [reading.lists for reading in readings],
        Undefined.NO_RECOMMENDATION if lists else Undefined.NO_LISTS,
    )
    yield _before(View.TEXT, [reading.recommended for reading in readings], Undefined.NO_RECOMMENDATION)


def conversation_turns(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Mean number of turns of a session."""
    values = (float(reading.turns) for reading in readings)
    yield Figure("conversation_turns", Unit.TURNS, *parts(values), Undefined.NO_TURNS)


def _distinct(readings: Sequence[Reading], n: int) -> Figure:
    values = (reading.distinct(n) for reading in readings)
    return Figure(f"distinct_{n}", Unit.SHARE, *parts(values), Undefined.NO_WORDS, View.TEXT)


def _before(view: View, shown: Sequence[Sequence[object]], reason: Undefined) -> Figure:
    firsts = (next((turn for turn, items in enumerate(turns) if items), None) for turns in shown)
    values = (None if first is None else float(first) for first in firsts)
    return Figure("turns_before_recommendation", Unit.TURNS, *parts(values), reason, view)
