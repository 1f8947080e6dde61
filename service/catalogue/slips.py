"""Words that are one slip of the pen away from another, found among hashes: as strings they would take a hundred times the
memory of the words."""

from array import array
from collections.abc import Iterable, Iterator

import numpy as np

MOST_NEAR = 100
"""Words that are kept for one word with a letter left out: no catalogue has more, and a search compares with each."""

_LOW = (1 << 32) - 1


class Slips:
    """Words by themselves and by each of them with one letter left out. A key is the hash of one of these, then the number of
    its word; hashes that collide find a word too many, which a comparison of the letters drops."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        keys = array("Q")
        for number, word in enumerate(self._words):
            keys.extend(start | number for start in _starts(word))
        self._keys = np.frombuffer(keys, np.uint64) if keys else np.empty(0, np.uint64)
        self._keys.sort()

    def near(self, word: str) -> Iterator[str]:
        """Words that a slip may have made into `word`, some of them more than once."""
        starts = np.array(list(_starts(word)), np.uint64)
        firsts = np.searchsorted(self._keys, starts)
        lasts = np.searchsorted(self._keys, starts | np.uint64(_LOW), side="right")
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            for key in self._keys[first : min(last, first + MOST_NEAR)].tolist():
                yield self._words[key & _LOW]


def _starts(word: str) -> set[int]:
    """The least key of each way to write a word."""
    return {(hash(way) & _LOW) << 32 for way in (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))}
