"""Learned acts: from labelled messages to the numbers that `service/text/learned.py` reads."""

import json
import re
import statistics
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from service.text.hashing import CUES, SIZE
from service.text.learned import CONTEXT, CUED, SATISFACTION, Said, said

_YEAR = re.compile(r"\s*\((?:18|19|20)\d\d\)")
ROLES = {"user": "user", "reply": "assistant"}
STRENGTH = 3.0
SMOOTHING = 20.0
FOLDS = 5


@dataclass(frozen=True)
class Message:
    """One message as the models read it, its labels and the conversation it is of. `bare`: a second reading, the
    years left out that mark titles, since titles elsewhere carry none."""

    said: Said
    labels: frozenset[str]
    rating: float | None
    conversation: str
    bare: bool = False


def labelled_acts(path: Path, side: str) -> list[Message]:
    """The messages of one side in `iard.jsonl`."""
    return [
        Message(each, frozenset(message["sub_acts"]), None, name, bare)
        for bare in (False, True)
        for name, message, _, each in _messages(path, side, bare=bare)
    ]


def rated_reactions(path: Path) -> list[Message]:
    """The user's messages in `uss_*.jsonl`, each with its mean satisfaction; the first ones react to
    nothing and are left out."""
    return [
        Message(each, frozenset(), statistics.fmean(rating), name, bare)
        for bare in (False, True)
        for name, _, rating, each in _messages(path, "user", bare=bare)
        if rating
    ]


def _messages(path: Path, side: str, *, bare: bool) -> Iterator[tuple[str, dict[str, Any], Any, Said]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        before = earlier = ""
        place = 0
        ratings = record.get("human", {}).get("turns") or [None] * len(record["messages"])
        for message, rating in zip(record["messages"], ratings, strict=True):
            text = _YEAR.sub("", message["content"]) if bare else message["content"]
            if message["role"] == ROLES[side]:
                yield (
                    record["id"],
                    message,
                    rating if before else None,
                    said(side, text, before, place, earlier),
                )
                earlier = text
                place += 1
            else:
                before = text


def matrix(sets: Sequence[Collection[int]], rarity: Any) -> Any:
    """Rows of unit length, one a message."""
    found = _rows(sets, rarity)
    length = np.sqrt(np.asarray(found.multiply(found).sum(1)).ravel())
    length[length == 0] = 1
    return sp.csr_matrix(found.multiply(1 / length[:, None]))


def _rows(sets: Sequence[Collection[int]], values: Any) -> Any:
    rows = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    columns = np.fromiter((piece for each in sets for piece in each), np.int64)
    return sp.csr_matrix((values[columns], (rows, columns)), shape=(len(sets), SIZE + len(CUES)))


def rarity_of(messages: Iterable[Message]) -> Any:
    """Inverse document frequency of every piece of words."""
    seen = np.zeros(SIZE)
    total = 0
    for message in messages:
        total += 1
        for piece in {*message.said.own, *message.said.context}:
            seen[piece] += 1
    return np.log((1 + total) / (1 + seen)) + 1


def design(messages: Sequence[Message], rarity: Any) -> Any:
    """The matrix that the models see."""
    own = matrix([message.said.own for message in messages], rarity)
    context = matrix([message.said.context for message in messages], rarity)
    cues = _rows([message.said.cues for message in messages], np.ones(SIZE + len(CUES)))
    return (own + CONTEXT * context + CUED * cues).tocsr()


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
        column, bias = fit_ratings(reactions, rarity)
        labels.append(SATISFACTION)
        columns.append(column)
        biases.append(bias)
    weights = np.array(columns).T
    scale = np.abs(weights).max(0) / 127
    return {
        "labels": np.array(labels),
        "rarity": rarity.astype(np.float16),
        "weights": np.round(weights / scale).astype(np.int8),
        "scale": scale.astype(np.float32),
        "bias": np.array(biases),
    }


def fit_ratings(reactions: Sequence[Message], rarity: Any) -> tuple[Any, float]:
    """Weights and bias of satisfaction."""
    fitted = Ridge(SMOOTHING).fit(design(reactions, rarity), [message.rating for message in reactions])
    return fitted.coef_, float(fitted.intercept_)


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
    marked = np.array([not message.bare for message in messages])
    scores = {
        label: _tuned_f1(truth[marked, column], chance[marked, column], fold[marked])
        for column, label in enumerate(labels)
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
