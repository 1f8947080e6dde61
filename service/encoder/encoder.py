"""Texts to vectors: the encoder of the wheel, loaded when first asked. Transformer layers in numpy: word pieces in,
means of a text's states out, all in float32.

One vocabulary and one table of words serve every stack of layers: `strategies` (six), tuned to recommenders' strategies,
and the fault detector's. Only a stack that is asked is unpacked. The table is mapped from its file, so that the workers of a machine share it.

The texts of a batch lie behind each other in one matrix, without padding. The products of states and weights run over
the whole matrix, attention text by text. A text's vector therefore depends on its neighbours by rounding alone (under
1e-5), and two kinds of processor differ no more."""

import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .threads import ONE_THREAD

Floats = NDArray[np.float32]

#: Attention heads of a layer.
HEADS = 12
#: Pieces in one pass: the widest state of a pass takes 1.5 MB.
PASS = 256
#: Rows of the widest state that an activation is computed over at once.
ROWS = 32
_TINY = np.float32(1e-12)
#: The pieces that stand for an unknown word, the start and the end of a text, as the vocabulary numbers them.
UNKNOWN, START, END = 100, 101, 102
#: A longer word is unknown.
LONGEST_WORD = 100
_CONTINUED = "##"
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_ASCII_SYMBOLS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
#: Characters whose spelling is kept. Unicode has a million: a hostile text must not fill the memory.
_KEPT = 20_000


class _Spelling(dict[int, str]):
    """The replacement of each character: nothing, a space, its own piece between spaces, or its plain
    small letters."""

    def __missing__(self, code: int) -> str:
        found = _spelled(chr(code))
        if len(self) < _KEPT:
            self[code] = found
        return found


def _spelled(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r":
        return " "
    # As the reference has it, what no version of Unicode assigns ("Cn") stays, as an unknown letter.
    if category in ("Cc", "Cf", "Co", "Cs") or character == "\ufffd":
        return ""
    if character.isspace():
        return " "
    if any(first <= ord(character) <= last for first, last in _CHINESE):
        return f" {unicodedata.normalize('NFD', character)} "
    plain = "".join(
        part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn"
    ).lower()
    return "".join(f" {part} " if _is_punctuation(part) else part for part in plain)


def _is_punctuation(character: str) -> bool:
    return character in _ASCII_SYMBOLS or unicodedata.category(character)[0] == "P"


class Tokenizer:
    """Cuts texts to word pieces, as BERT's uncased vocabulary has them. May be asked from several threads.

    A port of the reference tokenizer in plain Python: 150 pieces take a third of a millisecond, and neither a library nor
    its 20 MB are loaded. One deviation: the names of special pieces ("[SEP]") in a text are plain text."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary))
        self._spelling = _Spelling()
        self._word = lru_cache(maxsize=16_384)(self._cut)

    def pieces(self, text: str) -> list[int]:
        """The numbers of the text's pieces, without the marks of its start and end."""
        found: list[int] = []
        for word in text.translate(self._spelling).split():
            found += self._word(word)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest piece that fits, again and again; unknown where one letter fits nothing."""
        if len(word) > LONGEST_WORD:
            return (UNKNOWN,)
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = _CONTINUED if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (UNKNOWN,)
        return tuple(found)


def unpacked(stored: Mapping[str, NDArray[Any]], name: str) -> Floats:
    """Return a matrix in float32. It is stored as 8-bit numbers, and the size of a step by row or column."""
    whole: Floats = np.multiply(stored[f"{name}.steps"], stored[f"{name}.scale"], dtype=np.float32)
    return whole


@dataclass(frozen=True, slots=True)
class Words:
    """The vectors of all word pieces, packed by row. Rows are unpacked as texts need them."""

    steps: NDArray[np.int8]
    scale: Floats

    def of(self, pieces: NDArray[np.intp]) -> Floats:
        """A row a piece."""
        return np.multiply(self.steps[pieces], self.scale[pieces, None], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer as BERT has it: normalised after each part. Weights are (inputs, outputs); the scale of attention is
    folded into the queries."""

    projections: Floats
    projections_bias: Floats
    joined: Floats
    joined_bias: Floats
    attended: tuple[Floats, Floats]
    wide: Floats
    wide_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    settled: tuple[Floats, Floats]

    def states(self, states: Floats, bounds: Sequence[tuple[int, int]]) -> Floats:
        """The next layer's states; `bounds` are the rows where each text begins and ends."""
        return self.finish(states, _attention(self.project(states), bounds), _gelu)

    def project(self, states: Floats) -> Floats:
        """Queries, keys and values side by side, from states of the layer before."""
        projected = states @ self.projections
        projected += self.projections_bias
        return projected

    def finish(self, states: Floats, mixed: Floats, activate: Callable[[Floats], None]) -> Floats:
        """The next layer's states, from those before it and what attention mixed."""
        attended: Floats = mixed @ self.joined
        attended += self.joined_bias
        attended += states
        normalise(attended, *self.attended)
        inner: Floats = attended @ self.wide
        inner += self.wide_bias
        activate(inner)
        settled: Floats = inner @ self.narrow
        settled += self.narrow_bias
        settled += attended
        normalise(settled, *self.settled)
        return settled


def _attention(projected: Floats, bounds: Sequence[tuple[int, int]]) -> Floats:
    width = projected.shape[1] // 3
    split = projected.reshape(len(projected), 3, HEADS, width // HEADS)
    found = np.empty((len(projected), HEADS, width // HEADS), np.float32)
    for start, end in bounds:
        queries, keys, values = split[start:end].transpose(1, 2, 0, 3)
        weights = queries @ keys.transpose(0, 2, 1)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        found[start:end] = (weights @ values).transpose(1, 0, 2)
    return found.reshape(len(projected), width)


def normalise(states: Floats, weight: Floats, bias: Floats) -> None:
    """Bring every row to mean 0 and variance 1 in place, then scale and shift it."""
    states -= states.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1])
    states /= np.sqrt(variance + _TINY)[:, None]
    states *= weight
    states += bias


def _gelu(values: Floats) -> None:
    """Replace every x by x times the share of a normal distribution under x.

    The error function follows Abramowitz and Stegun, 7.1.26 (error under 1.5e-7): numpy has none. A few rows at a time
    stay in the processor's cache, which halves the time."""
    for start in range(0, len(values), ROWS):
        part = values[start : start + ROWS]
        size = np.abs(part)
        halves = size * np.float32(0.5)
        size *= np.float32(0.7071067811865476)
        step = size * np.float32(0.3275911)
        step += np.float32(1)
        np.reciprocal(step, out=step)
        tail = step * np.float32(1.061405429)
        for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail += np.float32(term)
            tail *= step
        size *= -size
        # `tail` becomes 1 - erf of the size; half of it is the share under -|x|.
        tail *= np.exp(size, out=size)
        tail *= halves
        np.maximum(part, np.float32(0), out=part)
        part -= tail


class Stack:
    """Layers over the words' vectors. Unpacks its weights when first asked."""

    def __init__(self, table: Words, stored: Mapping[str, NDArray[Any]]) -> None:
        self._words = table
        self._stored = stored
        self.places = int(stored["places"].shape[0])
        self.work = 0
        """Layers times pieces that were computed so far: what texts cost, on any machine."""

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers, in float32."""
        count = 1 + max(int(name.split(".")[1]) for name in self._stored if name.startswith("layers."))
        return [self._layer(f"layers.{number}.") for number in range(count)]

    def _layer(self, prefix: str) -> Layer:
        def packed(name: str) -> Floats:
            return unpacked(self._stored, prefix + name)

        def plain(name: str) -> Floats:
            return self._stored[prefix + name]

        return Layer(
            packed("projections"), plain("projections.bias"),
            packed("joined"), plain("joined.bias"),
            (plain("attended.weight"), plain("attended.bias")),
            packed("wide"), plain("wide.bias"),
            packed("narrow"), plain("narrow.bias"),
            (plain("settled.weight"), plain("settled.bias")),
        )  # fmt: skip

    def means(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return the mean of the last states of each text: a row a text. A text has one piece or more, and no more than there
        are places."""
        found = np.empty((len(texts), self._words.steps.shape[1]), np.float32)
        with ONE_THREAD:
            for rows in _passes(texts):
                found[rows] = self._pass([texts[row] for row in rows])
        return found

    def _pass(self, texts: Sequence[Sequence[int]]) -> Floats:
        ends = list(accumulate(map(len, texts)))
        bounds = list(zip([0, *ends[:-1]], ends, strict=True))
        pieces = np.concatenate([np.asarray(text, np.intp) for text in texts])
        places = np.concatenate([np.arange(len(text)) for text in texts])
        states = self._words.of(pieces) + self._stored["places"][places]
        normalise(states, self._stored["norm.weight"], self._stored["norm.bias"])
        self.work += len(self.layers) * len(pieces)
        for layer in self.layers:
            states = layer.states(states, bounds)
        means: Floats = np.array([states[start:end].mean(axis=0) for start, end in bounds])
        return means


def _passes(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The places of the texts in order, as many at once as one pass takes."""
    rows: list[int] = []
    taken = 0
    for row, text in enumerate(texts):
        if rows and taken + len(text) > PASS:
            yield rows
            rows, taken = [], 0
        rows.append(row)
        taken += len(text)
    if rows:
        yield rows


FOLDER = Path(str(files(__package__))) / "weights"
#: Numbers of a state.
WIDTH = 384
#: Characters that are read of a text: some thousand pieces.
READ = 4096


class Encoder:
    """Reads texts with one stack of layers. May be asked from several threads."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self._stored = arrays(folder / f"{name}.npz")
        self._tokenizer = tokenizer(folder)
        self._stack = Stack(words(folder), self._stored)
        self._lock = threading.Lock()

    def pieces(self, text: str) -> list[int]:
        """The numbers of the text's word pieces, its two marks included."""
        return [START, *self._tokenizer.pieces(text[:READ]), END]

    def encode(self, texts: Sequence[str]) -> Floats:
        """A row of float32 numbers for each text, (texts, 384): the mean of its last states. Of a long text as many pieces are
        read as there are places."""
        with self._lock:
            self._stack.layers  # noqa: B018 - unpacked once, not by several threads at a time
        inside = self._stack.places - 1
        return self._stack.means([[*self.pieces(text)[:-1][:inside], END] for text in texts])

    def head(self, name: str) -> tuple[Floats, Floats]:
        """Weights and bias of a linear head that was tuned together with this stack."""
        return self._stored[f"{name}.weight"], self._stored[f"{name}.bias"]


@cache
def strategies() -> Encoder:
    """Return how recommenders speak."""
    return Encoder("strategies")


@cache
def tokenizer(folder: Path = FOLDER) -> Tokenizer:
    """Return what cuts texts for every stack."""
    return Tokenizer((folder / "vocabulary.txt").read_text(encoding="utf-8").splitlines())


@cache
def words(folder: Path) -> Words:
    """Return the table of words that every stack shares."""
    steps: NDArray[np.int8] = np.load(folder / "words.npy", mmap_mode="r", allow_pickle=False)
    return Words(steps, arrays(folder / "scales.npz")["words"])


def arrays(file: Path) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a file by name."""
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
