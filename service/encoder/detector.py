"""The fault detector: a conversation in, the probability of each fault of each reply out, in numpy and float32.

One small transformer (all-MiniLM-L6-v2, trained on with planted faults: `research.detector`) reads a conversation
in one pass. A piece attends to all pieces of its own message and of the messages before it, never to later ones.
A row of a matrix product is the same to the bit whatever rows follow it, and so is what a reply gets.

A long conversation is read in windows of `PIECES` pieces. A full window starts again with the opening message and the
last messages, as many as fit in `KEPT` pieces. Where windows begin depends on earlier messages alone, and the time
grows in proportion to the text."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoder import (
    END,
    FOLDER,
    HEADS,
    ROWS,
    START,
    WIDTH,
    Floats,
    Stack,
    Words,
    arrays,
    normalise,
    tokenizer,
    unpacked,
    words,
)
from .threads import ONE_THREAD

#: Pieces in one window: the places that the transformer knows.
PIECES = 512
#: Pieces of one message, its two marks included. Of a longer one the first `BEGINNING` pieces and the last are read.
LONGEST, BEGINNING = 256, 192
#: Pieces of earlier messages that a new window starts with, and the longest opening message that is among them.
KEPT, OPENING = 256, 96
#: Characters read at each end of a message.
READ = 4096
#: Items named after a reply's text.
ITEMS = 5
#: Bytes that reading a conversation takes at most: the states of a window, and what one layer makes of them.
MEMORY = 12 << 20
#: Acts that the heads of each side find, a column each.
ACTS = {"user": ("objects",), "reply": ("recommends", "explains")}
_SWIFT, _STEEPEST = np.float32(-1.702), np.float32(80)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as the detector reports it, with figures from held-out domains.

    `family` is the factor that it lowers most. `threshold` is the probability from which a reply is reported. With all thresholds, at most 10 % of good conversations
    show any fault. `shipped` is false for a fault that is found too seldom or too unsurely to be reported.
    `recall` is the share of planted faults found, `precision` is computed at a prior of 2 % from recall and false
    alarms; `planted` counts the cases."""

    slug: str
    family: str
    slope: float
    intercept: float
    threshold: float
    shipped: bool
    recall: float
    false_alarms: float
    planted: int


@dataclass(frozen=True, slots=True)
class ReplyFaults:
    """The faults of one reply: the index of its message, and calibrated probabilities (0 to 1) by slug.

    Probabilities assume that 2 % of replies have a given fault. `any_fault` is the probability of some fault, and assumes
    that half of the replies have one. `reported` holds the slugs over their threshold, the most likely first. `acts` are
    the probabilities of `recommends` and `explains`."""

    message: int
    probabilities: Mapping[str, float]
    any_fault: float
    reported: tuple[str, ...]
    acts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class UserActs:
    """Acts of a message of the user, by the index of its message: the probability that it `objects`. A user objects who
    points out a mistake of the recommender's."""

    message: int
    acts: Mapping[str, float]


Found = ReplyFaults | UserActs


def rendered(content: str, items: Sequence[str] = ()) -> str:
    """Return a message's text as the detector reads it: the first items shown with it follow in brackets."""
    names = "; ".join(items[:ITEMS])
    return f"{content.strip()} [{names}]" if names else content.strip()


def cut(text: str) -> list[int]:
    """Return the pieces of a message between their two marks, `LONGEST` at most."""
    if len(text) > 2 * READ:
        text = f"{text[:READ]} {text[-READ:]}"
    pieces, inside = tokenizer().pieces(text), LONGEST - 2
    if len(pieces) > inside:
        pieces = [*pieces[:BEGINNING], *pieces[BEGINNING - inside :]]
    return [START, *pieces, END]


def windows(lengths: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Divide messages of these lengths, in pieces, into windows.

    Yields the numbers of the messages kept from before and of the new ones."""
    kept: list[int] = []
    new: list[int] = []
    used = 0
    for number, length in enumerate(lengths):
        if used + length > PIECES:
            yield kept, new
            kept, new = _kept(lengths, number), []
            used = sum(lengths[each] for each in kept)
        new.append(number)
        used += length
    if new:
        yield kept, new


def _kept(lengths: Sequence[int], stop: int) -> list[int]:
    opening = [0] if lengths[0] <= OPENING else []
    used = sum(lengths[number] for number in opening)
    first = stop
    while first > len(opening) and used + lengths[first - 1] <= KEPT:
        first -= 1
        used += lengths[first]
    return [*opening, *range(first, stop)]


@dataclass(frozen=True, slots=True)
class _Message:
    """A message that is read: its index in the conversation, and its pieces."""

    number: int
    is_user: bool
    pieces: list[int]


def _evidence(read: Sequence[_Message], states: Sequence[Floats]) -> Iterator[Floats]:
    """Yield what the heads read of each message's last states, (4 * 384): the first, their mean, and its product and
    distance with the mean of the other side's last message."""
    means = {True: np.zeros(WIDTH, np.float32), False: np.zeros(WIDTH, np.float32)}
    for message, last in zip(read, states, strict=True):
        mean, other = last.mean(axis=0), means[not message.is_user]
        means[message.is_user] = mean
        yield np.concatenate([last[0], mean, mean * other, np.abs(mean - other)])


@dataclass(frozen=True, slots=True)
class _Weights:
    """The stored arrays, and what is unpacked of them."""

    stored: Mapping[str, NDArray[Any]]
    table: Words
    stack: Stack
    evidence: Floats
    head: Floats


class Detector:
    """Finds faults in replies. Loads its weights when first asked; may be asked from several threads.

    Raises `FileNotFoundError` when built where its files are missing."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = folder / "detector.json", folder / "detector.npz"
        written = [file.read_bytes() for file in self._files]
        described = json.loads(written[0])
        #: Faults by slug.
        self.faults = {row["slug"]: Fault(**row) for row in described["faults"]}
        self._any = float(described["any"]["slope"]), float(described["any"]["intercept"])
        #: 12 hex digits that change with the weights, the calibration or the thresholds.
        self.revision = hashlib.sha256(b"\x1f".join(written)).hexdigest()[:12]
        self._slopes = np.array([fault.slope for fault in self.faults.values()])
        self._intercepts = np.array([fault.intercept for fault in self.faults.values()])
        homes = [fault.family for fault in self.faults.values()]
        #: The places of the faults of each factor.
        self.families = [[n for n, home in enumerate(homes) if home == one] for one in dict.fromkeys(homes)]
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: _Weights | None = None

    def predict(self, messages: Sequence[tuple[str, str]]) -> list[Found]:
        """Return the faults of every reply of a conversation, and what the user's messages do.

        Args:
            messages: Role (`user`, `assistant`) and text (`rendered`) of each message, in order. Messages of other roles
                are not read.

        Returns:
            One entry for each message of the two with text, in order. What follows a message never changes its entry.
        """
        read = [
            _Message(number, role == "user", cut(text))
            for number, (role, text) in enumerate(messages)
            if role in ("user", "assistant") and text.strip()
        ]
        found: list[Found] = []
        with ONE_THREAD:
            for kept, new in windows([len(message.pieces) for message in read]):
                window = [read[place] for place in (*kept, *new)]
                evidence = list(_evidence(window, self._last_states(window)))
                found += [
                    self._found(message, each)
                    for message, each in zip(window[len(kept) :], evidence[len(kept) :], strict=True)
                ]
        return found

    def _last_states(self, window: Sequence[_Message]) -> list[Floats]:
        """Return the last states of each message, (pieces, 384).

        All products of matrices but those of the heads are made here."""
        weights = self._weights()
        bounds = list(pairwise(accumulate((len(message.pieces) for message in window), initial=0)))
        count = bounds[-1][1]
        weights.stack.work += len(weights.stack.layers) * count
        states = weights.table.of(np.concatenate([message.pieces for message in window]))
        states += weights.stored["places"][:count]
        for message, (first, end) in zip(window, bounds, strict=True):
            states[first:end] += weights.stored["sides"][0 if message.is_user else 1]
        normalise(states, weights.stored["norm.weight"], weights.stored["norm.bias"])
        for layer in weights.stack.layers:
            split = layer.project(states).reshape(count, 3, HEADS, WIDTH // HEADS)
            queries, keys, values = np.ascontiguousarray(split.transpose(1, 2, 0, 3))
            mixed = [_attend(queries[:, i:j], keys[:, :j], values[:, :j]) for i, j in bounds]
            states = layer.finish(states, np.concatenate(mixed), swift)
        return [states[first:end] for first, end in bounds]

    def _found(self, message: _Message, evidence: Floats) -> Found:
        weights = self._weights()
        inner = evidence @ weights.evidence + weights.stored["evidence.bias"]
        swift(inner)
        side = "user" if message.is_user else "reply"
        likely = _logistic(
            (inner @ weights.stored[f"{side}.weight"] + weights.stored[f"{side}.bias"]).astype(np.float64)
        )
        acts = dict(zip(ACTS[side], likely.tolist(), strict=True))
        return UserActs(message.number, acts) if message.is_user else self._reply(message.number, inner, acts)

    def _reply(self, message: int, inner: Floats, acts: Mapping[str, float]) -> ReplyFaults:
        weights = self._weights()
        logits = (inner @ weights.head + weights.stored["head.bias"]).astype(np.float64)
        odds = logits[1:] - logits[0]
        chances = dict(
            zip(
                self.faults,
                _logistic(self._slopes * contested(odds, self.families) + self._intercepts).tolist(),
                strict=True,
            )
        )
        slope, intercept = self._any
        faulty = float(_logistic(slope * np.logaddexp.reduce(odds) + intercept))
        over = [
            slug for slug, fault in self.faults.items() if fault.shipped and chances[slug] >= fault.threshold
        ]
        reported = tuple(sorted(over, key=lambda slug: -chances[slug]))
        return ReplyFaults(message, chances, faulty, reported, acts)

    def _weights(self) -> "_Weights":
        """Return the weights, loaded by the first thread that asks: others wait for it."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    stored = arrays(self._files[1])
                    table = words(self._folder)
                    evidence, head = (unpacked(stored, name) for name in ("evidence", "head"))
                    self._loaded = _Weights(stored, table, Stack(table, stored), evidence, head)
        return self._loaded


def _attend(queries: Floats, keys: Floats, values: Floats) -> Floats:
    """Return what each piece of a message takes from all pieces up to the message's end, (pieces, 384)."""
    weights: Floats = np.matmul(queries, keys.transpose(0, 2, 1))
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    mixed: Floats = np.matmul(weights, values)
    mixed /= weights.sum(axis=-1, keepdims=True)
    return mixed.transpose(1, 0, 2).reshape(-1, WIDTH)


#: Weight of the odds against all other faults, beside those against a good reply.
CONTESTED = 0.5


def contested(odds: NDArray[Any], families: Sequence[Sequence[int]]) -> NDArray[Any]:
    """Return what calibration reads of log odds against a good reply, (..., faults).

    The likeliest fault of each family, those of one factor, stands for the whole family: the detector is often sure that a
    reply fails a factor, and less sure how. A fault must also be likelier than those of other families, to some degree."""
    found = odds.astype(np.float64, copy=True)
    for family in families:
        own = odds[..., family]
        first = np.asarray(family)[own.argmax(axis=-1)]
        np.put_along_axis(found, first[..., None], np.logaddexp.reduce(own, axis=-1, keepdims=True), axis=-1)
    every = np.logaddexp(0, np.logaddexp.reduce(odds, axis=-1, keepdims=True))
    chances = np.exp(found - every).clip(1e-9, 1 - 1e-9)
    against: NDArray[Any] = (1 - CONTESTED) * found + CONTESTED * (np.log(chances) - np.log1p(-chances))
    return against


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return found


def swift(values: Floats) -> None:
    """Replace every x by x times the logistic function of 1.702 x, a quick GELU.

    A few rows at a time stay in the processor's cache."""
    for start in range(0, len(values), ROWS):
        part = values[start : start + ROWS]
        steps = np.minimum(part * _SWIFT, _STEEPEST)
        np.exp(steps, out=steps)
        steps += np.float32(1)
        part /= steps


@cache
def detector() -> Detector:
    """Return the detector that ships."""
    return Detector()
