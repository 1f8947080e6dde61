"""Learned dialogue acts: how likely a message does what, by linear models over its words.

Trained by `research/train_judge` on conversations of people; what ships is numbers alone. The acts are those of
the IARD scheme (`LABELS`), beside `satisfaction`, how content a user's message sounds with the reply before
it (1 to 5, of the USS scheme). Loaded at first use."""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from itertools import accumulate, chain
from typing import Any

from .....text.words import words
from .acts import reply_acts, sentiment, user_acts
from .hashing import FEELINGS, context_pieces, cue_pieces, own_pieces

#: Weights of the message before, and of each cue, beside the message itself.
CONTEXT, CUED = 0.5, 0.3
SIDES = ("user", "reply")
#: Not a probability but a rating.
SATISFACTION = "satisfaction"
#: Messages read in one go: the weights of all their pieces are in memory together, 10 KB a message.
BLOCK = 128


class Figures(Mapping[str, float]):
    """Some figures of those that `places` numbers: the first ones, as many as there are values. For thousands of messages: the
    names are shared, and a figure takes eight bytes."""

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


@dataclass(frozen=True, slots=True)
class Said:
    """A message as the models read it: pieces of its words, of the other side's message before, and its cues."""

    own: Collection[int]
    context: Collection[int]
    cues: Collection[int]


@dataclass(frozen=True, slots=True)
class Side:
    """The model of one side, one column a label. Pieces are weighted by how rare they are, those of the message
    and those of what came before to unit length each; cues count `CUED` each. `rarity` (1 for cues) and `weights` (times
    rarity) are by piece and cue, and end with a row of no weight."""

    labels: tuple[str, ...]
    rarity: Any
    weights: Any
    bias: Any

    def read(self, messages: Sequence[Said]) -> list[Figures]:
        """For every message the probability of each act, and the satisfaction where this side has one."""
        return [
            told
            for start in range(0, len(messages), BLOCK)
            for told in self._read(messages[start : start + BLOCK])
        ]

    def _read(self, messages: Sequence[Said]) -> list[Figures]:
        import numpy as np

        count = len(messages)
        # All in one go. The bounds of a text, and the place of a message, are pieces themselves; cues there may be none.
        none = len(self.weights) - 1
        parts = [
            *(said.own for said in messages),
            *(said.context for said in messages),
            *([none, *said.cues] for said in messages),
        ]
        ids = np.fromiter(chain.from_iterable(parts), np.int64)
        starts = np.fromiter(accumulate(map(len, parts[:-1]), initial=0), np.int64)
        sums = np.add.reduceat(self.weights.take(ids, 0), starts, axis=0)
        rare = self.rarity[ids[: starts[2 * count]]]
        length = np.sqrt(np.add.reduceat(rare * rare, starts[: 2 * count]))
        totals = (
            self.bias
            + sums[:count] * (1.0 / length[:count])[:, None]
            + sums[count : 2 * count] * (CONTEXT / length[count:])[:, None]
            + CUED * sums[2 * count :]
        )
        values = (1 / (1 + np.exp(-totals))).tolist()
        if SATISFACTION in self.labels:
            place = self.labels.index(SATISFACTION)
            for row, total in zip(values, totals[:, place].tolist(), strict=True):
                row[place] = min(5.0, max(1.0, total))
        places = _places(self.labels)
        return [Figures(places, array("d", row)) for row in values]


@cache
def _places(labels: tuple[str, ...]) -> Mapping[str, int]:
    return {label: place for place, label in enumerate(labels)}


def said(
    side: str,
    text: str,
    before: str,
    place: int,
    earlier: str = "",
    *,
    acts: Collection[str] | None = None,
    answered: Collection[str] | None = None,
    since: Collection[str] | None = None,
) -> Said:
    """A message of `side` ("user" or "reply") as the models read it. `before` is the other side's last message,
    `earlier` this side's own, `place` how many messages this side had sent. What rules see the three do may be
    given where it is known; it is read off their texts otherwise."""
    other = "reply" if side == "user" else "user"
    seen = [
        *(seen_acts(side, text) if acts is None else acts),
        *(f"after {act}" for act in (seen_acts(other, before) if answered is None else answered)),
        *(f"since {act}" for act in (seen_acts(side, earlier) if since is None else since)),
    ]
    return Said(
        own_pieces(text), context_pieces(before, place), cue_pieces((text, before, earlier), seen, place)
    )


def seen_acts(side: str, text: str) -> list[str]:
    """Return what rules see a message of a side do, as cues call it."""
    return name_acts(side, user_acts(text) if side == "user" else reply_acts(text), sentiment(words(text)))


def name_acts(side: str, acts: Collection[str], feeling: float) -> list[str]:
    """Acts that rules saw, and the feeling in the words, as cues call them."""
    sounds = FEELINGS[:1] if feeling > 0 else FEELINGS[1:] if feeling < 0 else ()
    return [f"{side} {act}" for act in (*acts, *sounds)]


def read_act(side: str, text: str, before: str, place: int, earlier: str = "") -> Mapping[str, float]:
    """Return what one message does, by label; the arguments are those of `said`."""
    return model()[side].read([said(side, text, before, place, earlier)])[0]


@cache
def model() -> Mapping[str, Side]:
    """Both sides, read once."""
    import numpy as np

    with np.load(BytesIO(source()), allow_pickle=False) as stored:
        return {side: side_of({name: stored[f"{side}_{name}"] for name in STORED}) for side in SIDES}


#: Names of a side's stored arrays: labels, rarity of pieces, weights in steps with the size of a step, bias.
STORED = ("labels", "rarity", "weights", "scale", "bias")


def side_of(stored: Mapping[str, Any]) -> Side:
    """The model of one side from what is stored of it."""
    import numpy as np

    rarity = np.ones(len(stored["weights"]) + 1, np.float32)
    rarity[: len(stored["rarity"])] = stored["rarity"]
    return Side(
        tuple(stored["labels"].tolist()),
        rarity,
        weighted(unpacked(stored), rarity),
        stored["bias"].astype(np.float64),
    )


def weighted(weights: Any, rarity: Any) -> Any:
    """Weights as a side has them: times rarity, and a row of none at the end. Rows lie in one piece each, since they
    are read one by one; the stored ones need not."""
    import numpy as np

    return np.ascontiguousarray(np.vstack([weights, np.zeros_like(weights[:1])]) * rarity[:, None])


def unpacked(stored: Mapping[str, Any]) -> Any:
    """Stored weights as numbers, a column a label."""
    import numpy as np

    return stored["weights"].astype(np.float32) * stored["scale"].astype(np.float32)


@cache
def source() -> bytes:
    """The stored numbers."""
    return (resources.files(__package__) / "acts.npz").read_bytes()
