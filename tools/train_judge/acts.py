"""Learned acts: from labelled messages to the numbers that `service/text/learned.py` reads."""

import json
import statistics
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from service.text.hashing import SIZE, context_pieces, own_pieces
from service.text.learned import CONTEXT, SATISFACTION

ROLES = {"user": "user", "reply": "assistant"}
STRENGTH = 5.0
SMOOTHING = 20.0
FOLDS = 3


@dataclass(frozen=True)
class Message:
    """One message with what came before, its labels and the conversation it is of."""

    own: frozenset[int]
    context: frozenset[int]
    labels: frozenset[str]
    rating: float | None
    conversation: str


def labelled_acts(path: Path, side: str) -> list[Message]:
    """The messages of one side in `iard.jsonl`."""
    return [
        Message(own, context, frozenset(message["sub_acts"]), None, name)
        for name, message, _, own, context in _messages(path, side)
    ]


def rated_reactions(path: Path) -> list[Message]:
    """The user's messages in `uss_*.jsonl`, each with its mean satisfaction; the first ones react to
    nothing and are left out."""
    return [
        Message(own, context, frozenset(), statistics.fmean(rating), name)
        for name, _, rating, own, context in _messages(path, "user")
        if rating
    ]


def _messages(
    path: Path, side: str
) -> Iterator[tuple[str, dict[str, Any], Any, frozenset[int], frozenset[int]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        before, place = "", 0
        ratings = record.get("human", {}).get("turns") or [None] * len(record["messages"])
        for message, rating in zip(record["messages"], ratings, strict=True):
            if message["role"] == ROLES[side]:
                own, context = own_pieces(message["content"]), context_pieces(before, place)
                yield record["id"], message, rating if before else None, own, context
                place += 1
            else:
                before = message["content"]


def matrix(sets: Sequence[frozenset[int]], rarity: Any) -> Any:
    """Rows of unit length, one a message."""
    rows = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    columns = np.fromiter((piece for each in sets for piece in each), np.int64)
    found = sp.csr_matrix((rarity[columns], (rows, columns)), shape=(len(sets), SIZE))
    length = np.sqrt(np.asarray(found.multiply(found).sum(1)).ravel())
    length[length == 0] = 1
    return sp.csr_matrix(found.multiply(1 / length[:, None]))


def rarity_of(messages: Iterable[Message]) -> Any:
    """Inverse document frequency of every piece."""
    seen = np.zeros(SIZE)
    total = 0
    for message in messages:
        total += 1
        for piece in message.own | message.context:
            seen[piece] += 1
    return np.log((1 + total) / (1 + seen)) + 1


def design(messages: Sequence[Message], rarity: Any) -> Any:
    """The matrix that the models see."""
    own = matrix([message.own for message in messages], rarity)
    context = matrix([message.context for message in messages], rarity)
    return (own + CONTEXT * context).tocsr()


def fit_side(messages: Sequence[Message], reactions: Sequence[Message] = ()) -> dict[str, Any]:
    """The model of one side, as it is stored."""
    rarity = rarity_of([*messages, *reactions])
    labels = sorted({label for message in messages for label in message.labels})
    inputs = design(messages, rarity)
    columns, biases = [], []
    for label in labels:
        fitted = _classifier(inputs, [label in message.labels for message in messages])
        columns.append(fitted.coef_[0])
        biases.append(float(fitted.intercept_[0]))
    if reactions:
        fitted = Ridge(SMOOTHING).fit(design(reactions, rarity), [message.rating for message in reactions])
        labels.append(SATISFACTION)
        columns.append(fitted.coef_)
        biases.append(float(fitted.intercept_))
    weights = np.array(columns).T
    scale = np.abs(weights).max(0) / 127
    return {
        "labels": np.array(labels),
        "rarity": rarity.astype(np.float16),
        "weights": np.round(weights / scale).astype(np.int8),
        "scale": scale.astype(np.float32),
        "bias": np.array(biases),
    }


def _classifier(inputs: Any, truth: Sequence[bool]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(C=STRENGTH, class_weight="balanced", solver="liblinear").fit(inputs, truth)


def held_out_f1(messages: Sequence[Message]) -> tuple[float, dict[str, float]]:
    """Macro-F1 and F1 by label with whole conversations held out; the threshold of each label comes from the
    other folds' held-out probabilities."""
    labels = sorted({label for message in messages for label in message.labels})
    truth = np.array([[label in message.labels for label in labels] for message in messages])
    inputs = design(messages, rarity_of(messages))
    groups = [message.conversation for message in messages]
    chance = np.zeros(truth.shape)
    fold = np.zeros(len(messages), int)
    for number, (seen, held) in enumerate(GroupKFold(FOLDS).split(inputs, groups=groups)):
        fold[held] = number
        for column in range(len(labels)):
            chance[held, column] = _classifier(inputs[seen], truth[seen, column]).predict_proba(inputs[held])[
                :, 1
            ]
    scores = {
        label: _tuned_f1(truth[:, column], chance[:, column], fold) for column, label in enumerate(labels)
    }
    return statistics.fmean(scores.values()), scores


def _tuned_f1(truth: Any, chance: Any, fold: Any) -> float:
    """F1 where each fold's threshold is the best of the others."""
    said = np.zeros(len(truth), bool)
    for number in range(FOLDS):
        others = fold != number
        grid = np.linspace(0.1, 0.9, 33)
        reached = [f1_score(truth[others], chance[others] > at, zero_division=0) for at in grid]
        said[~others] = chance[~others] > grid[int(np.argmax(reached))]
    return float(f1_score(truth, said, zero_division=0))
