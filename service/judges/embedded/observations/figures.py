"""Figures by name, for thousands of messages: the names are shared, and a figure takes eight bytes."""

from array import array
from collections.abc import Iterator, Mapping


class Figures(Mapping[str, float]):
    """Some figures of those that `places` numbers: the first ones, as many as there are values."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: "array[float]") -> None:
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> float:
        place = self._places[name]
        if place >= len(self._values):
            raise KeyError(name)
        return self._values[place]

    def __iter__(self) -> Iterator[str]:
        return (name for name, place in self._places.items() if place < len(self._values))

    def __len__(self) -> int:
        return len(self._values)
