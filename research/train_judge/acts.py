"""Heads of acts: from labelled messages to the numbers that `service/judges/embedded/observations/acts/acts.py` reads.

Logistic regression, a label a column, over what the encoder makes of a message, of the other side's message before, and
the message's place. Labels alone teach: teachers that read messages without labels brought nothing over the encoder."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from research.train_judge.states import Known
from research.train_judge.talk import LABELLED, messages_of, talks, untitled
from service.judges.embedded.observations.acts.acts import PARTS, PLACES, SEEN

ROLES = {"user": "user", "reply": "assistant"}
#: Strength of the weights: the more, the less they are restrained; and the steps of the descent.
STRENGTH, STEPS = 3.0, 150
FOLDS = 5
#: Weights of the message before beside the message itself, and its place.
BEFORE, PLACED = 0.5, 0.3
#: Weights of a message's profile, of the one before and of what rules see, and a bias for each place; a column a label.
Columns = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class Message:
    """One message as the heads read it, its labels, its rating and the conversation it is of. `bare`: a second reading, the
    years left out that mark titles."""

    text: str
    before: str
    place: int
    labels: frozenset[str]
    rating: float | None
    conversation: str
    bare: bool = False


def labelled_acts(data: Path, side: str) -> list[Message]:
    """The messages of one side whose acts are labelled."""
    return [
        message
        for bare in (False, True)
        for talk in talks(data, (LABELLED,))
        for message in read_messages(talk, side, bare=bare)
    ]


def read_messages(talk: Mapping[str, Any], side: str, *, bare: bool = False) -> Iterator[Message]:
    """The messages of one side."""
    before, place = "", 0
    ratings = talk.get("human", {}).get("turns") or ()
    for index, (role, text) in enumerate(messages_of(talk)):
        read = untitled(text) if bare else text
        if role == ROLES[side]:
            acts = talk["messages"][index].get("sub_acts") or ()
            mark = rating(ratings[index]) if ratings and side == "user" and before else None
            yield Message(read, before, place, frozenset(acts), mark, str(talk["id"]), bare)
            place += 1
        else:
            before = read


def rating(given: Any) -> float | None:
    """The mean of the annotators, who stand in a list or under the label's name."""
    marks = given.get("satisfaction") if isinstance(given, dict) else given
    return statistics.fmean(marks) if marks else None


def design(messages: Sequence[Message], known: Known) -> Any:
    """The matrix that the heads of acts see."""
    places = np.zeros((len(messages), PLACES), np.float32)
    places[range(len(messages)), [min(message.place, PLACES - 1) for message in messages]] = PLACED
    own, before = (known.of([getattr(message, name) for message in messages]) for name in ("text", "before"))
    return np.hstack([own, BEFORE * before, places])


def fit_acts(inputs: Any, truth: Any, *, even: float = 1.0) -> Any:
    """Weights of every label at once, the last row the bias. Both sides of a label weigh the same where `even` is 1, and each
    message where it is 0."""
    truth = truth.astype(np.float32)
    rate = truth.mean(0)
    counts = (np.where(truth, 1 / (2 * rate), 1 / (2 * (1 - rate))) ** even).astype(np.float32)
    shape = (inputs.shape[1] + 1, truth.shape[1])

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(shape).astype(np.float32)
        odds = inputs @ weights[:-1] + weights[-1]
        wrong = counts * (1 / (1 + np.exp(-odds)) - truth)
        missed = counts * (np.maximum(odds, 0) - odds * truth + np.log1p(np.exp(-np.abs(odds))))
        slope = np.vstack([inputs.T @ wrong + weights[:-1] / STRENGTH, wrong.sum(0)])
        told = missed.sum() + (weights[:-1] ** 2).sum() / (2 * STRENGTH)
        return float(told), slope.ravel().astype(np.float64)

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return found.x.reshape(shape)


@dataclass(frozen=True)
class Side:
    """The messages of one side with labels, and what the encoder makes of them."""

    messages: Sequence[Message]
    known: Known

    @property
    def labels(self) -> list[str]:
        """All acts of this side."""
        return sorted({label for message in self.messages for label in message.labels})

    @property
    def truth(self) -> Any:
        """Return which message does what: a row a message, a column a label."""
        labels = self.labels
        return np.array([[label in message.labels for label in labels] for message in self.messages])


def fit_side(side: Side, rated: Mapping[str, Columns] | None = None) -> dict[str, Any]:
    """The heads of one side, as they are stored; `rated` are columns that were learned elsewhere."""
    weights = fit_acts(design(side.messages, side.known), side.truth)
    width = (len(weights) - 1 - PLACES) // 2
    own, before, places, bias = np.split(weights, [width, 2 * width, 2 * width + PLACES])
    seen = np.zeros((len(SEEN), own.shape[1]))
    found = [raw(side.known, own, BEFORE * before, seen, PLACED * places + bias), *(rated or {}).values()]
    parts = [np.concatenate([columns[at] for columns in found], axis=1) for at in range(len(PARTS))]
    return {
        "labels": np.array([*side.labels, *(rated or {})]),
        **{
            name: part.astype(np.float32 if name == "bias" else np.float16)
            for name, part in zip(PARTS, parts, strict=True)
        },
    }


def raw(known: Known, own: Any, before: Any, seen: Any, bias: Any) -> Columns:
    """Columns over standardised profiles as columns over profiles."""
    own, before = (np.float16(each / known.spread[:, None]).astype(np.float64) for each in (own, before))
    return own, before, seen, bias - known.mean @ (own + before)


@dataclass(frozen=True)
class Reached:
    """Macro-F1, and F1 by label, with whole conversations held out."""

    macro: float
    by_label: Mapping[str, float]


def held_out_f1(side: Side) -> Reached:
    """Return what is reached on conversations that were held out; the threshold of each label comes from the other folds'
    held-out probabilities."""
    messages, labels, truth = side.messages, side.labels, side.truth
    inputs = design(messages, side.known)
    chance, fold = np.zeros(truth.shape), np.zeros(len(messages), int)
    groups = [message.conversation for message in messages]
    for number, (seen, held) in enumerate(GroupKFold(FOLDS).split(truth, groups=groups)):
        fold[held] = number
        weights = fit_acts(inputs[seen], truth[seen])
        chance[held] = 1 / (1 + np.exp(-(inputs[held] @ weights[:-1] + weights[-1])))
    marked = np.array([not message.bare for message in messages])
    reached = [
        _tuned_f1(truth[marked, column], chance[marked, column], fold[marked])
        for column in range(len(labels))
    ]
    return Reached(statistics.fmean(reached), dict(zip(labels, reached, strict=True)))


def _tuned_f1(truth: Any, chance: Any, fold: Any) -> float:
    """F1 where each fold's threshold is the best of the others."""
    said = np.zeros(len(truth), bool)
    for number in range(FOLDS):
        others = fold != number
        grid = np.linspace(0.1, 0.9, 33)
        reached = [f1_score(truth[others], chance[others] > at, zero_division=0) for at in grid]
        said[~others] = chance[~others] > grid[int(np.argmax(reached))]
    return float(f1_score(truth, said, zero_division=0))
