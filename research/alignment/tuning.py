"""Fine-tuning: an encoder learns the strategies from labels, or from what its teachers say."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from torch.nn import functional  # type: ignore[import-not-found]

from .corpus import ASIDE, LABELS, Utterance
from .encoder import Classifier, padded, pretrained
from .recipe import Recipe

_POOL = 16
"""Batches that are drawn together and sorted by length among themselves, so that little is padding."""


@dataclass(frozen=True)
class Lesson:
    """Material of training: texts as word pieces; for each the wanted distribution over strategies, the
    wanted share of strategy at all, and whether the distribution counts."""

    ids: Sequence[Sequence[int]]
    wanted: NDArray[np.floating[Any]]
    strategic: NDArray[np.floating[Any]]
    counts: NDArray[np.floating[Any]]

    @classmethod
    def of_labels(cls, ids: Sequence[Sequence[int]], utterances: Sequence[Utterance]) -> "Lesson":
        """Labels as certain distributions; utterances without a strategy teach only that."""
        label = np.array([u.label for u in utterances])
        wanted = np.full((len(label), len(LABELS)), 1 / len(LABELS))
        known = label != ASIDE
        wanted[known] = np.eye(len(LABELS))[label[known]]
        return cls(ids, wanted, known.astype(float), known.astype(float))


def tune(lesson: Lesson, recipe: Recipe, seed: int) -> Classifier:
    """The pretrained encoder after the lesson. The same seed gives the same weights on one thread."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    model = pretrained(recipe.encoder_dropout, recipe.head_dropout)
    optimiser, schedule = _optimiser(model, recipe, math.ceil(len(lesson.ids) / recipe.batch) * recipe.epochs)
    model.train()
    for _ in range(recipe.epochs):
        for part in _batches(lesson.ids, recipe.batch, chance):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = _loss(model, lesson, part, recipe.aside_weight)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
            optimiser.step()
            schedule.step()
    model.eval()
    return model


def _optimiser(
    model: Classifier, recipe: Recipe, steps: int
) -> tuple["torch.optim.AdamW", "torch.optim.lr_scheduler.LambdaLR"]:
    head = list(model.head.parameters())
    encoder = [p for name, p in model.named_parameters() if p.requires_grad and not name.startswith("head")]
    optimiser = torch.optim.AdamW(
        [{"params": encoder, "lr": recipe.encoder_rate}, {"params": head, "lr": recipe.head_rate}],
        weight_decay=recipe.weight_decay,
        fused=True,
    )
    warm = max(1, round(recipe.warm_up * steps))

    def rate(step: int) -> float:
        return (step + 1) / warm if step < warm else max(0.0, (steps - step) / max(1, steps - warm))

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, rate)


def _loss(model: Classifier, lesson: Lesson, part: Sequence[int], aside_weight: float) -> "torch.Tensor":
    given = model(*padded([lesson.ids[i] for i in part]))
    wanted = torch.from_numpy(lesson.wanted[part]).float()
    counts = torch.from_numpy(lesson.counts[part]).float()
    strategic = torch.from_numpy(lesson.strategic[part]).float()
    each = -(wanted * given[:, :-1].log_softmax(-1)).sum(-1)
    loss = (each * counts).sum() / counts.sum().clamp(min=1)
    return loss + aside_weight * functional.binary_cross_entropy_with_logits(given[:, -1], strategic)


def _batches(ids: Sequence[Sequence[int]], size: int, chance: random.Random) -> Iterator[list[int]]:
    order = list(range(len(ids)))
    chance.shuffle(order)
    pieces: list[list[int]] = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lambda i: len(ids[i]))
        pieces += [pool[at : at + size] for at in range(0, len(pool), size)]
    chance.shuffle(pieces)
    yield from pieces
