"""Likeness of simulated users to people, by a discriminator that learns from some sessions to tell the others apart."""

from collections.abc import Sequence

import numpy as np

from ..domain.conversation import ConversationLog, Role
from ..statistics.bootstrap import Matrix
from ..text.acts import UserAct
from ..text.words import words
from .conduct import OTHER, acts

FOLDS, FEWEST = 5, 10
SHRINKAGE = 1.0
"""Added to the variance of each standardised feature: a few sessions do not show all of it."""
VOCABULARY = 100


def human_likeness(simulated: Sequence[ConversationLog], people: Sequence[ConversationLog]) -> float | None:
    """Return how often a discriminator finds a simulated session more human than a person's: .5 where it cannot tell them
    apart, 0 where it always can; None below ten sessions of either.

    It is linear (Fisher's), and sees how users write and act: lengths, punctuation, variety of words, acts. A fifth of the
    sessions at a time is judged by what the others taught it."""
    if min(len(simulated), len(people)) < FEWEST:
        return None
    sides = [np.array([_style(log) for log in logs]) for logs in (simulated, people)]
    won = pairs = 0.0
    for fold in range(FOLDS):
        direction = _direction(*(np.delete(side, np.s_[fold::FOLDS], axis=0) for side in sides))
        ours, theirs = (np.sort((side[fold::FOLDS] @ direction).round(9)) for side in sides)
        won += sum(np.searchsorted(theirs, ours, side).sum() for side in ("left", "right")) / 2
        pairs += len(ours) * len(theirs)
    return float(won / pairs)


def _direction(simulated: Matrix, people: Matrix) -> Matrix:
    """Return the weights of the features that set people's sessions highest above the simulated ones."""
    spread = np.vstack([simulated, people]).std(axis=0)
    spread[spread == 0] = 1.0
    ours, theirs = simulated / spread, people / spread
    within = (np.cov(ours.T) + np.cov(theirs.T)) / 2 + SHRINKAGE * np.eye(len(spread))
    weights: Matrix = np.linalg.solve(within, theirs.mean(axis=0) - ours.mean(axis=0)) / spread
    return weights


def _style(log: ConversationLog) -> list[float]:
    """Return how the user of a session writes and acts, as numbers."""
    texts = [message.content.strip() for message in log.messages if message.role is Role.USER]
    lengths = [len(words(text)) for text in texts] or [0]
    first = [word for text in texts for word in words(text)][:VOCABULARY]
    found = acts([log])
    habits = (
        sum(text[:1].isupper() for text in texts),
        sum(text.endswith((".", "!", "?")) for text in texts),
        sum("?" in text for text in texts),
        sum("!" in text for text in texts),
    )
    return [
        float(len(texts)),
        float(np.mean(lengths)),
        float(np.std(lengths)),
        len(set(first)) / max(len(first), 1),
        *(count / max(len(texts), 1) for count in habits),
        *(found.get(act, 0.0) for act in (*UserAct, OTHER)),
    ]
