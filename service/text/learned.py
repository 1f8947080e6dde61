"""Learned dialogue acts: how likely a message does what, by linear models over its words.

Trained by `tools/train_judge` on conversations of people; what ships is numbers alone. The acts are those of
the IARD scheme (`LABELS`), beside `satisfaction`, how content a user's message sounds with the reply before
it (1 to 5, of the USS scheme). Loaded at first use."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Any

from .hashing import context_pieces, own_pieces

#: How much the message before counts beside the message itself.
CONTEXT = 0.5
SIDES = ("user", "reply")
#: Not a probability but a rating.
SATISFACTION = "satisfaction"


@dataclass(frozen=True, slots=True)
class Side:
    """The model of one side: weights are `steps * scale`, one column a label; pieces of the message and of what
    came before are weighted by how rare they are, each to unit length."""

    labels: tuple[str, ...]
    rarity: Any
    weights: Any
    scale: Any
    bias: Any

    def read(self, text: str, before: str, place: int) -> dict[str, float]:
        """The probability of each act, and the satisfaction where this side has one."""
        import numpy as np

        total = np.array(self.bias)
        for pieces, share in ((own_pieces(text), 1.0), (context_pieces(before, place), CONTEXT)):
            ids = np.fromiter(pieces, np.int64, len(pieces))
            rare = self.rarity[ids]
            length = float(np.sqrt(rare @ rare)) or 1.0
            total += (rare @ self.weights[ids]) * self.scale * (share / length)
        values = 1 / (1 + np.exp(-total))
        found = dict(zip(self.labels, values.tolist(), strict=True))
        if SATISFACTION in found:
            found[SATISFACTION] = float(min(5.0, max(1.0, total[self.labels.index(SATISFACTION)])))
        return found


def read_act(side: str, text: str, before: str, place: int) -> dict[str, float]:
    """What a message of `side` ("user" or "reply") does, by label. `before` is the other side's last message,
    `place` how many messages this side had sent."""
    return model()[side].read(text, before, place)


@cache
def model() -> Mapping[str, Side]:
    """Both sides, read once."""
    import numpy as np

    with np.load(BytesIO(source()), allow_pickle=False) as stored:
        return {
            side: Side(
                tuple(stored[f"{side}_labels"].tolist()),
                stored[f"{side}_rarity"].astype(np.float32),
                stored[f"{side}_weights"].astype(np.float32),
                stored[f"{side}_scale"].astype(np.float32),
                stored[f"{side}_bias"].astype(np.float64),
            )
            for side in SIDES
        }


@cache
def source() -> bytes:
    """The stored numbers: what an evaluator's revision covers."""
    return (resources.files(__package__) / "weights" / "acts.npz").read_bytes()
