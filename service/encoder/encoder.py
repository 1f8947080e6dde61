"""Texts to vectors: the encoder of the wheel, loaded when first asked.

One vocabulary and one table of words serve every stack of layers. `meaning` (three layers) says what a text is about;
`strategies` (six) was tuned to recommenders' strategies. Only a stack that is asked is unpacked. The table is mapped from its file, so that the workers of a machine
share it."""

import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layers import Floats, Stack, Words
from .tokenizer import END, START, Tokenizer

FOLDER = Path(str(files(__package__))) / "weights"
#: Numbers of a state.
WIDTH = 384
#: Characters that are read of a text: some thousand pieces.
READ = 4096
#: Stretches of a text that are read.
STRETCHES = 8


class Encoder:
    """Reads texts with one stack of layers. May be asked from several threads."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self._stored = _arrays(folder / f"{name}.npz")
        self._tokenizer = tokenizer(folder)
        self._stack = Stack(_words(folder), self._stored)
        self._lock = threading.Lock()

    def pieces(self, text: str) -> list[int]:
        """The numbers of the text's word pieces, its two marks included."""
        return self._tokenizer.marked(text[:READ])

    def encode(self, texts: Sequence[str], stretches: int = STRETCHES, *, every: bool = False) -> Floats:
        """A row of float32 numbers for each text, (texts, 384): the mean of its last states. With `every` the means of its
        words and of each layer's states stand side by side before that. A long text is read in stretches of as many pieces as
        there are places, the mean over all its pieces is its vector; what comes after the last stretch is not read."""
        cut = [self._cut(text)[:stretches] for text in texts]
        with self._lock:
            self._stack.layers  # noqa: B018 - unpacked once, not by several threads at a time
        parts = self._stack.means([part for of_text in cut for part in of_text], every=every)
        if all(len(of_text) == 1 for of_text in cut):
            return parts
        found = np.empty((len(cut), parts.shape[1]), np.float32)
        reached = 0
        for row, of_text in enumerate(cut):
            sizes = np.array([len(part) for part in of_text], np.float32)
            found[row] = (sizes / sizes.sum()) @ parts[reached : reached + len(of_text)]
            reached += len(of_text)
        return found

    def head(self, name: str) -> tuple[Floats, Floats]:
        """Weights and bias of a linear head that was tuned together with this stack."""
        return self._stored[f"{name}.weight"], self._stored[f"{name}.bias"]

    def _cut(self, text: str) -> list[list[int]]:
        inside = self._stack.places - 2
        found = self._tokenizer.pieces(text[:READ])
        starts = range(0, max(len(found), 1), inside)
        return [[START, *found[start : start + inside], END] for start in starts]


#: Profiles of single texts that are kept, with the first `READ` characters of these: 6 MB of numbers.
KEPT = 1024


# Alone: a row depends on its neighbours by rounding, and answers must not depend on what was asked before.
@lru_cache(maxsize=KEPT)
def profile(text: str) -> Floats:
    """Return the means of a text's words and of every layer of `meaning`, side by side. They are kept: a conversation that
    goes on is sent again with each reply, and several heads read the same message."""
    found: Floats = meaning().encode([text[:READ]], every=True)[0]
    return found


@cache
def meaning() -> Encoder:
    """Return what texts are about."""
    return Encoder("meaning")


@cache
def strategies() -> Encoder:
    """Return how recommenders speak."""
    return Encoder("strategies")


@cache
def tokenizer(folder: Path = FOLDER) -> Tokenizer:
    """Return what cuts texts for every stack."""
    return Tokenizer.read(folder / "vocabulary.txt")


@cache
def _words(folder: Path) -> Words:
    steps: NDArray[np.int8] = np.load(folder / "words.npy", mmap_mode="r", allow_pickle=False)
    return Words(steps, _arrays(folder / "scales.npz")["words"])


def _arrays(file: Path) -> Mapping[str, NDArray[Any]]:
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
