"""Vectors of every message by the wheel's encoder: the teachers of the learned acts read it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from research.train_judge.talk import messages_of, talks
from service.encoder.encoder import meaning

States = NDArray[np.float32]
#: Characters that are read of a message.
READ = 600
BATCH = 64


class Known:
    """A row of states for each plain text. Each measure is brought to mean 0 and spread 1 over all texts, and rows to a
    length of about 1: (row - `mean`) / `spread`."""

    def __init__(self, texts: Sequence[str], rows: Any) -> None:
        self._place = {text: place for place, text in enumerate(texts)}
        self.mean = rows.mean(0)
        self.spread = (rows.std(0) + 1e-3) * np.sqrt(rows.shape[1])
        self._rows = ((rows - self.mean) / self.spread).astype(np.float32)

    def of(self, texts: Sequence[str]) -> States:
        """A row a text. Raises KeyError for a text that was not read."""
        rows: States = self._rows[[self._place[plain(text)] for text in texts]]
        return rows


def read_states(data: Path) -> Known:
    """All messages of the folder's conversations, read by the encoder (a minute)."""
    texts = sorted({plain(text) for talk in talks(data) for _, text in messages_of(talk)} | {plain("")})
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    rows = [meaning().encode(batch) for batch in track(batches, "reading by the encoder")]
    return Known(texts, np.concatenate(rows))


def plain(text: str) -> str:
    """A text as the encoder is given it; never an empty one."""
    return text[:READ].strip().lower() or "."
