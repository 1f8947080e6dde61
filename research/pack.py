"""Pack the encoder's files: what is trained in float32 becomes 8-bit numbers with a scale by row or column.

    python -m research.pack

Writes the published table of words into `service/encoder/weights/`. `research.alignment.train` and `research.detector.export` pack
the two stacks. Needs requirements/training.txt."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.alignment.recipe import HEADS, HIDDEN
from service.encoder.encoder import FOLDER

Arrays = dict[str, NDArray[Any]]
#: Steps on each side of 0: seven bits for words, so that the wheel packs them to less, and eight for layers.
WORD_STEPS, LAYER_STEPS = 63, 127
PLAIN = ("attended.weight", "attended.bias", "settled.weight", "settled.bias")
MATRICES = ("projections", "joined", "wide", "narrow")


def packed(matrix: NDArray[Any], steps: int, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole steps of a matrix, and the size of a step along the axis that stays."""
    scale = np.abs(matrix).max(axis=axis, keepdims=True) / steps
    scale[scale == 0] = 1
    return np.rint(matrix / scale).astype(np.int8), scale.squeeze(axis).astype(np.float32)


def save(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, uncompressed: the wheel packs them."""
    np.savez(file, allow_pickle=False, **arrays)


def unpacked_words(table: NDArray[Any]) -> NDArray[np.float32]:
    """The table as the service will read it: training starts from this."""
    steps, scale = packed(table, WORD_STEPS, 1)
    return np.multiply(steps, scale[:, None], dtype=np.float32)


def stack_of_torch(weights: Mapping[str, NDArray[Any]]) -> Arrays:
    """A stack from the names of `research.alignment.encoder`; the three projections are joined."""
    found: Arrays = {"places": weights["places.weight"].astype(np.float32)}
    found |= {name: weights[name].astype(np.float32) for name in ("norm.weight", "norm.bias")}
    count = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for prefix in (f"layers.{number}." for number in range(count)):
        size = (HIDDEN // HEADS) ** -0.5
        matrices: Arrays = {name: weights[f"{prefix}{name}.weight"].T for name in MATRICES[1:]}
        biases: Arrays = {name: weights[f"{prefix}{name}.bias"] for name in MATRICES[1:]}
        parts = (("query", size), ("key", 1.0), ("value", 1.0))
        matrices["projections"] = np.hstack([weights[f"{prefix}{n}.weight"].T * s for n, s in parts])
        biases["projections"] = np.hstack([weights[f"{prefix}{n}.bias"] * s for n, s in parts])
        for name in MATRICES:
            steps, scale = packed(matrices[name], LAYER_STEPS, 0)
            found |= {
                f"{prefix}{name}.steps": steps,
                f"{prefix}{name}.scale": scale,
                f"{prefix}{name}.bias": biases[name].astype(np.float32),
            }
        found |= {prefix + name: weights[prefix + name].astype(np.float32) for name in PLAIN}
    return found


def main() -> None:
    """Pack the table of words."""
    from research.alignment.encoder import published

    table = published()[0]["embeddings.word_embeddings.weight"].numpy()
    steps, scale = packed(table, WORD_STEPS, 1)
    np.save(FOLDER / "words.npy", steps)
    save(FOLDER / "scales.npz", {"words": scale})


if __name__ == "__main__":
    main()
