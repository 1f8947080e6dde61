"""Contentment of a user's message: a head learned from ratings of talk between people, task dialogues and interviews.

The reply before plays no part: it brought nothing on conversations held out."""

import statistics
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from research.train_judge.acts import Columns, Message, raw, read_messages
from research.train_judge.states import Known, plain
from research.train_judge.talk import RATED, RATED_FAMILIES, family, talks
from service.judges.embedded.observations.acts.acts import PLACES, SEEN, seen_in, sentiment, user_acts
from service.text.words import words

#: The restraint of the weights, and the number of messages that those of one file count as.
SMOOTHING, OF_A_FILE = 10.0, 3000
#: Weight of something that rules see beside a measure of the encoder.
CUED = 0.3
#: Weight of people's rating of the whole conversation beside that of the message.
WHOLE = 0.2
#: Two messages of more characters than this that are the same stand in the same conversation, kept twice.
SAME = 25
#: The mean of what is told.
USUAL = 3.12


def rated_reactions(data: Path) -> dict[str, list[tuple[Message, float]]]:
    """The user's messages whose satisfaction people rated, by family, each with what is learned of it: the mean rating and,
    for a smaller part, that of its conversation; both against their means over the file. The first ones react to nothing and
    are left out."""
    found: dict[str, list[tuple[Message, float]]] = {name: [] for name in RATED_FAMILIES}
    for name, file in RATED.items():
        every = list(talks(data, (file,)))
        wholes = [
            given and statistics.fmean(given) for given in (talk["human"].get("overall") for talk in every)
        ]
        usual = statistics.fmean([whole for whole in wholes if whole] or [0.0])
        said = [[each for each in read_messages(talk, "user") if each.rating] for talk in every]
        level = statistics.fmean([each.rating or 0.0 for some in said for each in some] or [0.0])
        for index, (some, whole) in enumerate(zip(said, wholes, strict=True)):
            found[family(name, index)] += [
                (each, _mixed((each.rating or 0.0) - level, whole and whole - usual)) for each in some
            ]
    return found


def _mixed(own: float, whole: float | None) -> float:
    return own if whole is None else (1 - WHOLE) * own + WHOLE * whole


def fit_ratings(rated: dict[str, list[tuple[Message, float]]], known: Known, left_out: str = "") -> Columns:
    """The head of satisfaction, learned without one family, whatever other one holds its messages."""
    hidden = {plain(each.text) for each, _ in rated.get(left_out, ())}
    inputs, told, counts = [], [], []
    for name in RATED:
        some = [
            (each.text, mark)
            for part, marked in rated.items()
            if part.partition(" ")[0] == name and part != left_out
            for each, mark in marked
            if len(each.text) <= SAME or plain(each.text) not in hidden
        ]
        if some:
            inputs.append(_inputs([text for text, _ in some], known))
            told += [mark for _, mark in some]
            counts += [OF_A_FILE / len(some)] * len(some)
    weights, bias = _ridge(np.vstack(inputs), np.array(told), np.array(counts))
    own, seen = np.split(weights[:, None], [-len(SEEN)])
    return raw(known, own, np.zeros_like(own), CUED * seen, np.full((PLACES, 1), USUAL + bias))


def _inputs(texts: Sequence[str], known: Known) -> Any:
    """Return what the encoder makes of messages, and what rules see in them."""
    return np.hstack([known.of(texts), CUED * np.array([_seen(text) for text in texts], np.float32)])


@cache
def _seen(text: str) -> list[bool]:
    seen = seen_in(user_acts(text), sentiment(words(text)))
    return [name in seen for name in SEEN]


def _ridge(inputs: Any, told: Any, counts: Any) -> tuple[Any, float]:
    mean, level = counts @ inputs / counts.sum(), counts @ told / counts.sum()
    centred = (inputs - mean).astype(np.float32)
    weighed = centred * counts[:, None].astype(np.float32)
    products = (weighed.T @ centred).astype(np.float64) + SMOOTHING * np.eye(inputs.shape[1])
    weights = np.linalg.solve(products, weighed.T.astype(np.float64) @ (told - level))
    return weights, float(level - mean @ weights)


def by_family(rated: dict[str, list[tuple[Message, float]]], known: Known) -> dict[str, Columns]:
    """The head of satisfaction as it is learned without each family."""
    return {name: fit_ratings(rated, known, name) for name in RATED_FAMILIES if rated[name]}


def agreement(
    rated: dict[str, list[tuple[Message, float]]],
    known: Known,
    heads: dict[str, Columns],
    names: Collection[str],
) -> float:
    """Pearson's r with the ratings of single messages of some families, each read by what was learned without it."""
    pairs: list[tuple[float, float]] = []
    for name in names:
        own, _, seen, bias = heads[name]
        messages = [each for each, _ in rated[name]]
        states, marks = np.split(_inputs([each.text for each in messages], known), [-len(SEEN)], axis=1)
        told = (states * known.spread + known.mean) @ own[:, 0] + marks @ seen[:, 0] / CUED + bias[0, 0]
        pairs += [(float(value), each.rating or 0.0) for value, each in zip(told, messages, strict=True)]
    return float(np.corrcoef(np.array(pairs).T)[0, 1])
