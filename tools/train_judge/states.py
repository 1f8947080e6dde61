"""What a pretrained encoder makes of every message: the teachers of the learned acts read it, nothing that ships does.

    pip install --require-hashes -r requirements/training.txt
    python -m tools.train_judge.states --data FOLDER --out FILE

FILE holds a row for each text of FOLDER's conversations, found again by the text's digest: the mean over its word
pieces of what all-MiniLM-L6-v2 holds of them after its third layer, which tells acts apart better than its last one."""

import argparse
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.train_judge.talk import messages_of, talks

LAYER = 3
#: Characters of a message that the encoder is given.
READ = 600
BATCH = 64

States = NDArray[np.float32]


def main() -> int:
    """Read all texts and store what the encoder makes of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    texts = sorted(
        {plain(text) for talk in talks(options.data) for _, text in messages_of(talk)} | {plain("")}
    )
    np.savez(options.out, names=np.array([name(text) for text in texts]), rows=_encode(texts))
    print(f"{len(texts)} texts in {options.out}")
    return 0


def plain(text: str) -> str:
    """A text as the encoder is given it; never an empty one."""
    return text[:READ].strip().lower() or "."


def name(text: str) -> str:
    """What a plain text is found by."""
    return sha256(text.encode()).hexdigest()[:16]


class Known:
    """Stored states, each measure brought to mean 0 and spread 1 over all texts."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as stored:
            rows = stored["rows"].astype(np.float32)
            self._place = {each: place for place, each in enumerate(stored["names"].tolist())}
        self._rows = (rows - rows.mean(0)) / (rows.std(0) + 1e-3) / np.sqrt(rows.shape[1])

    def of(self, texts: Sequence[str]) -> States:
        """A row a text, of length about 1. Raises KeyError for a text that was not read."""
        rows: States = self._rows[[self._place[name(plain(text))] for text in texts]]
        return rows


def _encode(texts: Sequence[str]) -> NDArray[np.float16]:
    import torch  # type: ignore[import-not-found]

    from tools.alignment.encoder import load_tokenizer, padded, pretrained, tokens

    model = pretrained().eval()
    ids = tokens(load_tokenizer(), texts)
    order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
    found: Any = None
    with torch.inference_mode():
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            given, mask = padded([ids[index] for index in part])
            weights = mask[:, :, None].float()
            states = model.states(given, mask)[LAYER]
            means = ((states * weights).sum(1) / weights.sum(1)).numpy()
            if found is None:
                found = np.zeros((len(ids), means.shape[1]), np.float16)
            found[part] = means
            print(f"\r{min(start + BATCH, len(order))} of {len(order)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.asarray(found, np.float16)


if __name__ == "__main__":
    sys.exit(main())
