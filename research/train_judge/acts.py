"""Learned acts: from labelled messages to the numbers that `service/judges/embedded/observations/acts/learned.py` reads.

Labels are few, so that the acts of users are learned twice. A first model of words, as it would ship, and a model of what
an encoder makes of the message (`states`) read messages without labels; what ships learns from the labels and from what
the two say together. The encoder itself does not ship. Acts of recommenders gain next to nothing that way (macro-F1 .672
from .667, and reasons are told apart less well), so that they are learned from labels alone."""

import re
import statistics
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

from research.train_judge.states import Known, plain
from research.train_judge.talk import LABELLED, OTHERS, messages_of, talks
from service.judges.embedded.observations.acts.hashing import CUES, SIZE
from service.judges.embedded.observations.acts.learned import CONTEXT, CUED, Said, said

_YEAR = re.compile(r"\s*\((?:18|19|20)\d\d\)")
ROLES = {"user": "user", "reply": "assistant"}
STRENGTH = 3.0
FOLDS = 5
#: Weights: of the encoder's teacher beside that of words, of the message before beside the message itself, and of a message
#: without labels beside one with them.
DEEP, BEFORE, TAUGHT = 0.7, 0.5, 2.0
#: Weights and bias of one label.
Linear = tuple[Any, float]
#: Two messages of more characters than this that are the same stand in the same conversation, kept twice.
SAME = 25


@dataclass(frozen=True)
class Message:
    """One message as the models read it, its labels and the conversation it is of. `bare`: a second reading, the
    years left out that mark titles, since titles elsewhere carry none. `text` and `before` are the message and the other
    side's last one as they were written."""

    said: Said
    labels: frozenset[str]
    rating: float | None
    conversation: str
    text: str
    before: str
    bare: bool = False


def labelled_acts(data: Path, side: str) -> list[Message]:
    """The messages of one side whose acts are labelled."""
    return [
        message
        for bare in (False, True)
        for talk in talks(data, (LABELLED,))
        for message in read_messages(talk, side, bare=bare)
    ]


def unlabelled(data: Path, side: str) -> list[Message]:
    """The messages of one side in all other conversations."""
    return [message for talk in talks(data, OTHERS) for message in read_messages(talk, side, bare=False)]


def read_messages(talk: Mapping[str, Any], side: str, *, bare: bool) -> Iterator[Message]:
    """The messages of one side."""
    before = earlier = written = ""
    place = 0
    given = talk.get("messages") or ()
    ratings = talk.get("human", {}).get("turns") or ()
    for index, (role, text) in enumerate(messages_of(talk)):
        read = _YEAR.sub("", text) if bare else text
        if role == ROLES[side]:
            acts = given[index].get("sub_acts") or () if given else ()
            rating = ratings[index] if ratings and side == "user" and before else None
            yield Message(
                said(side, read, before, place, earlier),
                frozenset(acts),
                statistics.fmean(rating) if isinstance(rating, list) and rating else None,
                str(talk["id"]),
                text,
                written,
                bare,
            )
            earlier = read
            place += 1
        else:
            before, written = read, text


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


def design(messages: Sequence[Message], rarity: Any, context: float = CONTEXT) -> Any:
    """The matrix that the models see; the other side's message before counts `context` in it."""
    own = matrix([message.said.own for message in messages], rarity)
    before = matrix([message.said.context for message in messages], rarity)
    cues = _rows([message.said.cues for message in messages], np.ones(SIZE + len(CUES)))
    return (own + context * before + CUED * cues).tocsr()


@dataclass(frozen=True)
class Lessons:
    """Messages without labels, as words and as what an encoder makes of them, beside what it makes of those with labels."""

    labelled: Any
    more: Any
    deep_more: Any

    @classmethod
    def of(
        cls, messages: Sequence[Message], others: Sequence[Message], known: Known, rarity: Any
    ) -> "Lessons":
        """Return what teachers need beside the words of the messages with labels."""
        return cls(states_of(messages, known), design(others, rarity), states_of(others, known))

    def part(self, rows: Any, more: Any) -> "Lessons":
        """Some of the messages with labels, and some of those without."""
        return Lessons(self.labelled[rows], self.more[more], self.deep_more[more])

    def student(self, inputs: Any, truth: Any) -> Any:
        """Return what learns from labels and teachers. Both sides of a label weigh the same."""
        words = _classifier(inputs, truth)
        deep = listener().fit(self.labelled, truth)
        odds = (1 - DEEP) * words.decision_function(self.more) + DEEP * deep.decision_function(self.deep_more)
        rate = float(np.mean(truth))
        chance = 1 / (1 + np.exp(-odds - np.log(rate / (1 - rate))))
        yes, no = 1 / (2 * rate), 1 / (2 * (1 - rate))
        weights = [np.where(truth, yes, no), TAUGHT * yes * chance, TAUGHT * no * (1 - chance)]
        answers = [truth, np.ones(len(chance), bool), np.zeros(len(chance), bool)]
        return _logistic().fit(
            sp.vstack([inputs, self.more, self.more]).tocsr(),
            np.concatenate(answers),
            sample_weight=np.concatenate(weights),
        )


def states_of(messages: Sequence[Message], known: Known) -> Any:
    """Return what the encoder makes of each message, beside what it makes of the other side's message
    before."""
    own = known.of([message.text for message in messages])
    before = known.of([message.before for message in messages])
    there = np.array([bool(message.before) for message in messages])
    return np.hstack([own, BEFORE * before * there[:, None]])


@dataclass(frozen=True)
class Side:
    """The data of one side: its messages with labels and, where teachers read them, those without."""

    messages: Sequence[Message]
    others: Sequence[Message] = ()
    known: Known | None = None

    def lessons(self, rarity: Any) -> Lessons | None:
        """Return what teachers read, where there are any."""
        return Lessons.of(self.messages, self.others, self.known, rarity) if self.known else None

    @property
    def labels(self) -> list[str]:
        """All acts of this side."""
        return sorted({label for message in self.messages for label in message.labels})

    @property
    def truth(self) -> Any:
        """Return which message does what: a row a message, a column a label."""
        labels = self.labels
        return np.array([[label in message.labels for label in labels] for message in self.messages])


def _learn(inputs: Any, truth: Any, lessons: Lessons | None) -> Any:
    return lessons.student(inputs, truth) if lessons else _classifier(inputs, truth)


def fit_side(side: Side, rated: Mapping[str, Linear] | None = None, rarity: Any = None) -> dict[str, Any]:
    """The model of one side, as it is stored; `rated` are columns that were learned elsewhere, by the same `rarity`."""
    rarity = rarity_of(side.messages) if rarity is None else rarity
    truth = side.truth
    inputs, lessons = design(side.messages, rarity), side.lessons(rarity)
    columns = {}
    for column, label in enumerate(side.labels):
        fitted = _learn(inputs, truth[:, column], lessons)
        columns[label] = (fitted.coef_[0], float(fitted.intercept_[0]))
    columns |= rated or {}
    return {
        "labels": np.array(list(columns)),
        "rarity": rarity.astype(np.float16),
        **packed(list(columns.values())),
    }


def packed(columns: Sequence[Linear]) -> dict[str, Any]:
    """Weights and biases as they are stored: a column a model, in steps of one byte."""
    weights = np.array([weight for weight, _ in columns]).T
    scale = np.maximum(np.abs(weights).max(0), 1e-9) / 127
    return {
        "weights": np.round(weights / scale).astype(np.int8),
        "scale": scale.astype(np.float32),
        "bias": np.array([bias for _, bias in columns]),
    }


def _classifier(inputs: Any, truth: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _logistic(class_weight="balanced").fit(inputs, truth)


def listener() -> Any:
    """A model of one act by what an encoder makes of messages."""
    return LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=300)


def _logistic(class_weight: str | None = None) -> Any:
    return LogisticRegression(C=STRENGTH, class_weight=class_weight, solver="liblinear")


@dataclass(frozen=True)
class Reached:
    """Macro-F1, and F1 by label, with whole conversations held out."""

    macro: float
    by_label: Mapping[str, float]


def held_out_f1(side: Side) -> Reached:
    """Return what is reached on conversations that were held out, from the messages without labels too;
    the threshold of each label comes from the other folds' held-out probabilities."""
    messages, labels, truth = side.messages, side.labels, side.truth
    rarity = rarity_of(messages)
    inputs, lessons = design(messages, rarity), side.lessons(rarity)
    groups = [message.conversation for message in messages]
    chance = np.zeros(truth.shape)
    fold = np.zeros(len(messages), int)
    for number, (seen, held) in enumerate(GroupKFold(FOLDS).split(truth, groups=groups)):
        fold[held] = number
        hidden = {plain(messages[row].text) for row in held if len(messages[row].text) > SAME}
        shown = np.array([plain(message.text) not in hidden for message in side.others])
        given = lessons.part(seen, shown) if lessons else None
        for column in range(len(labels)):
            fitted = _learn(inputs[seen], truth[seen, column], given)
            chance[held, column] = fitted.predict_proba(inputs[held])[:, 1]
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
