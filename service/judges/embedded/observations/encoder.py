"""A sentence encoder beside the learned numbers, where the operator wants one: it knows words that no label was seen
with, and reads what a message does and how content it sounds in its own way.

The encoder is all-MiniLM-L6-v2 up to its third layer, which tells acts apart better than its last one, in 8 bits
(`research/train_judge/encoder.py`); what its states mean is learned (`research/train_judge/heads.py`)."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp, log
from pathlib import Path
from typing import Any

from ....errors import ConfigurationError
from .acts.learned import SATISFACTION, SIDES

#: Characters of a message that the encoder is given, and word pieces that it reads of them.
READ, TOKENS = 600, 64
#: What the encoder's reading counts beside that of the learned numbers.
SHARE = 0.5
#: Messages read between two moments in which a call may be given up.
BATCH = 16
#: Probabilities are held so far from 0 and 1 before they are mixed.
_SURE = 1e-6

#: A message of a conversation: whether the user says it, and its text.
Spoken = tuple[bool, str]
#: What the encoder makes of a message, by label: log odds of acts, and the satisfaction itself.
Heard = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Head:
    """What states, less their mean, tell on one side, a column a label: weights of the message's own and of the one of the
    other side's message before, (states, labels) each, and the bias."""

    labels: tuple[str, ...]
    mean: Any
    own: Any
    before: Any
    bias: Any


class SentenceEncoder:
    """Hears what messages do. Loads its 17 MB when made; may be asked from several threads. Raises ConfigurationError
    where the package that holds them is not installed."""

    def __init__(self) -> None:
        self._files = _files()
        # Only who asks for this encoder pays for what runs it: 50 ms and 30 MB.
        import onnxruntime

        from ....encoder.encoder import tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(self._files[0]), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = tokenizer()

    @cached_property
    def name(self) -> str:
        """What answers call it, and by which numbers."""
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in self._files)).hexdigest()[:12]
        return f"all-MiniLM-L6-v2, third layer ({digest})"

    def state(self, text: str) -> Any:
        """What the encoder makes of a text: 384 numbers."""
        import numpy as np

        pieces = self._tokenizer.marked(plain(text), TOKENS)
        return self._session.run(None, {"ids": np.array(pieces, np.int64)})[0]

    async def hear(self, spoken: Sequence[Spoken]) -> list[Heard]:
        """What every message of a conversation does; the event loop goes on meanwhile."""
        states: list[Any] = []
        for start in range(0, len(spoken), BATCH):
            texts = [text for _, text in spoken[start : start + BATCH]]
            states += await asyncio.to_thread(lambda some: [self.state(text) for text in some], texts)
        before: dict[bool, Any] = {}
        found: list[Heard] = []
        for (is_user, _), state in zip(spoken, states, strict=True):
            head = heads()[SIDES[0] if is_user else SIDES[1]]
            own = state - head.mean
            told = own @ head.own + before.get(not is_user, 0 * own) @ head.before + head.bias
            found.append(dict(zip(head.labels, told.tolist(), strict=True)))
            before[is_user] = own
        return found


def plain(text: str) -> str:
    """A text as the encoder is given it; never an empty one."""
    return text[:READ].strip().lower() or "."


def mixed(read: Mapping[str, float], heard: Heard) -> dict[str, float]:
    """What the learned numbers read, and what the encoder heard, together: probabilities by label, and satisfaction."""
    return {label: _both(label, value, heard[label]) for label, value in read.items()}


def _both(label: str, read: float, heard: float) -> float:
    if label == SATISFACTION:
        return (1 - SHARE) * read + SHARE * min(5.0, max(1.0, heard))
    kept = min(1 - _SURE, max(_SURE, read))
    return 1 / (1 + exp(-(1 - SHARE) * log(kept / (1 - kept)) - SHARE * heard))


def _files() -> tuple[Path, Path]:
    """The encoder, and what its states mean."""
    try:
        from crs_eval_encoder import HEADS, MODEL
    except ModuleNotFoundError:
        raise ConfigurationError(
            "CRS_EVAL_SENTENCE_ENCODER: the encoder is not installed; run pip install 'crs-eval[encoder]'"
        ) from None
    return MODEL, HEADS


@cache
def heads() -> Mapping[str, Head]:
    """Both sides, read once."""
    return read_heads(_files()[1])


def read_heads(file: Path) -> Mapping[str, Head]:
    """Both sides from a file that `research/train_judge/heads.py` made."""
    import numpy as np

    with np.load(file, allow_pickle=False) as stored:
        return {
            side: Head(
                tuple(stored[f"{side}_labels"].tolist()),
                stored["mean"].astype(np.float64),
                *(stored[f"{side}_{part}"].astype(np.float64) for part in ("own", "before", "bias")),
            )
            for side in SIDES
        }
