"""A logistic regression on all layers of the pretrained encoder, which stays as it is: a teacher that
errs elsewhere than the fine-tuned ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from .corpus import LABELS
from .encoder import batches, pretrained
from .recipe import FROZEN_PENALTY

Matrix = NDArray[np.float64]
Rows = NDArray[np.floating[Any]]


def features(ids: Sequence[Sequence[int]]) -> Rows:
    """Mean, maximum and first state of layers 1 to 6 for each text."""
    model = pretrained().eval()
    rows: dict[int, Rows] = {}
    with torch.inference_mode():
        for part, given, mask in batches(ids):
            rows |= zip(part, _pooled(model.states(given, mask)[1:], mask).numpy(), strict=True)
    return np.array([rows[i] for i in range(len(ids))], dtype=np.float32)


def fit(known: Rows, labels: Sequence[int], wanted: Rows) -> Matrix:
    """Log probabilities of every strategy for the rows of `wanted`, learnt from those of `known`."""
    scaler = StandardScaler().fit(known)
    model = LogisticRegression(C=FROZEN_PENALTY, max_iter=300).fit(scaler.transform(known), labels)
    found = np.full((len(wanted), len(LABELS)), -20.0)
    found[:, model.classes_] = np.maximum(model.predict_log_proba(scaler.transform(wanted)), -20.0)
    return found


def _pooled(layers: Sequence["torch.Tensor"], mask: "torch.Tensor") -> "torch.Tensor":
    weights = mask[:, :, None].float()
    parts = []
    for states in layers:
        parts.append((states * weights).sum(1) / weights.sum(1))
        parts.append((states + (weights - 1) * 1e4).max(1).values)
        parts.append(states[:, 0])
    return torch.cat(parts, -1)
