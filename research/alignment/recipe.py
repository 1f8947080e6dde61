"""Everything that decides the trained weights, in one place."""

from dataclasses import dataclass

SEEDS = (0, 1)
"""Of the fine-tuned teachers."""

STUDENT_SEEDS = (0, 1, 2)
"""Of the students by which the recipe is judged; the first is that of the one that ships."""

FOLDS = 3
LAYERS = 6
HIDDEN = 384
HEADS = 12


@dataclass(frozen=True)
class Recipe:
    """Settings of an encoder's fine-tuning. `aside_weight` weighs the loss of the output that says whether
    an utterance carries any strategy at all; `word_embeddings` stay as they were."""

    epochs: int = 4
    batch: int = 32
    encoder_rate: float = 2e-4
    head_rate: float = 2e-3
    weight_decay: float = 0.01
    warm_up: float = 0.1
    clip: float = 1.0
    head_dropout: float = 0.2
    encoder_dropout: float = 0.1
    aside_weight: float = 0.3


TEACHER = Recipe()
STUDENT = Recipe(epochs=3)

LABEL_SHARE = 0.5
"""The weight of an utterance's own label in what a student is told of it; its teachers have the rest.
They have not seen the dialogue, so that what they say tells which labels are doubtful."""

FROZEN_SHARE = 0.5
"""The weight of the frozen teacher in the teachers' geometric mean; the fine-tuned share the rest."""

TEMPERATURE = 1.5
"""By which the teachers' joint log probabilities are divided: a product of two overconfident
distributions orders pairs worse."""

FROZEN_PENALTY = 5e-4
"""Inverse strength (C) of the logistic regression on frozen layers."""
