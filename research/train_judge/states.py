"""Profiles of every message by the wheel's encoder: the heads of acts and satisfaction are learned over them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from research.train_judge.talk import messages_of, phrases, talks, untitled
from service.encoder.encoder import meaning
from service.judges.embedded.observations.acts.acts import READ

States = NDArray[np.float32]
BATCH = 64


class Known:
    """A row for each plain text, (row - `mean`) / `spread`: each measure at mean 0 and spread 1 over all texts, and rows of a
    length of about 1. No text is a row of zeros, as the judge reads it."""

    def __init__(self, texts: Sequence[str], rows: Any) -> None:
        self._place = {text: place for place, text in enumerate(texts)}
        self.mean = rows.mean(0)
        self.spread = (rows.std(0) + 1e-3) * np.sqrt(rows.shape[1])
        self._rows = ((rows - self.mean) / self.spread).astype(np.float32)

    def of(self, texts: Sequence[str]) -> States:
        """A row a text. Raises KeyError for a text that was not read."""
        found: States = np.zeros((len(texts), self._rows.shape[1]), np.float32)
        for row, text in zip(found, map(plain, texts), strict=True):
            if text:
                row[:] = self._rows[self._place[text]]
        return found


def read_states(data: Path) -> Known:
    """All messages of the folder's conversations, with and without the years of titles, read by the encoder (minutes)."""
    said = [text for talk in talks(data) for _, text in messages_of(talk)] + [each.text for each in phrases()]
    texts = sorted({plain(text) for each in said for text in (each, untitled(each))} - {""}, key=len)
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    rows = [meaning().encode(batch, every=True) for batch in track(batches, "reading by the encoder")]
    return Known(texts, np.concatenate(rows))


def plain(text: str) -> str:
    """A text as the judge gives it to the encoder."""
    return text[:READ].strip()
