"""Transformer layers in numpy: word pieces in, means of a text's states out, all in float32.

The texts of a batch lie behind each other in one matrix, without padding. The products of states and weights run over
the whole matrix, attention text by text. A text's vector therefore depends on its neighbours by rounding alone (under
1e-5), and two kinds of processor differ no more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

#: Attention heads of a layer.
HEADS = 12
#: Pieces in one pass: the widest state of a pass takes 1.5 MB.
PASS = 256
#: Rows of the widest state that an activation is computed over at once.
ROWS = 32
_TINY = np.float32(1e-12)


@dataclass(frozen=True, slots=True)
class Packed:
    """A matrix as it is stored: 8-bit numbers, and the size of a step by row or column."""

    steps: NDArray[np.int8]
    scale: Floats

    @property
    def whole(self) -> Floats:
        """The matrix in float32."""
        return np.multiply(self.steps, self.scale, dtype=np.float32)


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
        projected = states @ self.projections
        projected += self.projections_bias
        attended: Floats = _attention(projected, bounds) @ self.joined
        attended += self.joined_bias
        attended += states
        _normalise(attended, *self.attended)
        inner: Floats = attended @ self.wide
        inner += self.wide_bias
        _gelu(inner)
        settled: Floats = inner @ self.narrow
        settled += self.narrow_bias
        settled += attended
        _normalise(settled, *self.settled)
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


def _normalise(states: Floats, weight: Floats, bias: Floats) -> None:
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

    def __init__(self, words: Words, stored: Mapping[str, NDArray[Any]]) -> None:
        self._words = words
        self._stored = stored
        self.places = int(stored["places"].shape[0])

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers, in float32."""
        count = 1 + max(int(name.split(".")[1]) for name in self._stored if name.startswith("layers."))
        return [self._layer(f"layers.{number}.") for number in range(count)]

    def _layer(self, prefix: str) -> Layer:
        def packed(name: str) -> Floats:
            return Packed(self._stored[f"{prefix}{name}.steps"], self._stored[f"{prefix}{name}.scale"]).whole

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

    def means(self, texts: Sequence[Sequence[int]], *, every: bool = False) -> Floats:
        """The mean of the last states of each text, or with `every` those before the first layer and after each, side by
        side: a row a text. A text has one piece or more, and no more than there are places."""
        stages = 1 + len(self.layers) if every else 1
        found = np.empty((len(texts), stages * self._words.steps.shape[1]), np.float32)
        for rows in _passes(texts):
            found[rows] = self._pass([texts[row] for row in rows])[:, -found.shape[1] :]
        return found

    def _pass(self, texts: Sequence[Sequence[int]]) -> Floats:
        ends = list(accumulate(map(len, texts)))
        bounds = list(zip([0, *ends[:-1]], ends, strict=True))
        pieces = np.concatenate([np.asarray(text, np.intp) for text in texts])
        places = np.concatenate([np.arange(len(text)) for text in texts])
        states = self._words.of(pieces) + self._stored["places"][places]
        _normalise(states, self._stored["norm.weight"], self._stored["norm.bias"])
        stages = [_means(states, bounds)]
        for layer in self.layers:
            states = layer.states(states, bounds)
            stages.append(_means(states, bounds))
        return np.hstack(stages)


def _means(states: Floats, bounds: Sequence[tuple[int, int]]) -> Floats:
    found: Floats = np.array([states[start:end].mean(axis=0) for start, end in bounds])
    return found


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
