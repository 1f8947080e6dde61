"""A message as hashed pieces of words, for the learned models: no vocabulary is kept, so none can leak."""

import re
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from .words import straight

SIZE = 1 << 15
#: Characters of a message that the learned models read.
READ = 600
#: Stands for a title that carries its year.
TITLE = "titlename"
#: Messages of one side after which its place in the conversation tells no more.
PLACES = 3
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[?!]+")
_TITLED = re.compile(r"(?:[^\W_][\w':&,.-]*\s+){0,6}?\(\s?(?:18|19|20)\d\d\s?\)")


def own_pieces(text: str) -> frozenset[int]:
    """The hashed words, pairs of words, and runs of 3 and 4 characters in words of a message."""
    words = _words(text)
    found: set[int] = set()
    for word in words:
        found.update(_parts(word))
    for first, second in pairwise(["^", *words, "$"]):
        found.add(_hash(f"b{first} {second}"))
    return frozenset(found)


def context_pieces(before: str, place: int) -> frozenset[int]:
    """The hashed words of the other side's message before, and how many messages this side had sent."""
    found = {_hash("p" + word) for word in set(_words(before))}
    found.add(_hash(f"n{min(place, PLACES)}"))
    return frozenset(found)


def _words(text: str) -> list[str]:
    plain = straight(text[:READ])
    if "(" in plain:
        plain = _TITLED.sub(f" {TITLE} ", plain)
    return _TOKEN.findall(plain.lower())


@lru_cache(maxsize=8192)
def _parts(word: str) -> tuple[int, ...]:
    padded = f" {word} "
    runs = {padded[start : start + size] for size in (3, 4) for start in range(len(padded) - size + 1)}
    return (_hash("w" + word), *(_hash("c" + run) for run in runs))


def _hash(piece: str) -> int:
    return crc32(piece.encode()) & (SIZE - 1)
