"""Contentment of a user's message: learned from ratings, by way of two teachers.

Ratings are few and rough. A model of words and a model of what an encoder makes of a message (`states`) learn from
them; what ships, words again, learns from what the two say together of those messages and of all others. The reply
before plays no part: it brought nothing on conversations held out."""

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from research.train_judge.acts import SAME, Linear, Message, design, read_messages
from research.train_judge.states import Known, plain
from research.train_judge.talk import PARTS, RATED, part, talks

#: Weight of the encoder's teacher beside that of words. Below: penalties on large weights, of the two teachers and of
#: the model that learns from them.
DEEP = 0.7
DEEP_SMOOTHING, SMOOTHING, LEARNS = 3.0, 10.0, 0.5
#: Weight of people's rating of the whole conversation beside that of the message.
WHOLE = 0.2


def rated_reactions(data: Path) -> list[Message]:
    """The user's messages whose satisfaction people rated, each with the mean; the first ones react to
    nothing and are left out."""
    return [
        message
        for bare in (False, True)
        for talk in talks(data, (RATED,))
        for message in read_messages(talk, "user", bare=bare)
        if message.rating
    ]


def hidden_in(data: Path, number: int) -> set[str]:
    """The rated conversations of one part; none where there is no such part."""
    return {str(talk["id"]) for index, talk in enumerate(talks(data, (RATED,))) if part(index) == number}


def fit_ratings(data: Path, others: Sequence[Message], known: Known, rarity: Any, number: int) -> Linear:
    """Weights and bias of satisfaction, learned without the conversations of the part of that number, whatever file holds
    their messages; `others` are messages of users without ratings."""
    rated, hidden = rated_reactions(data), hidden_in(data, number)
    seen = [message for message in rated if message.conversation not in hidden]
    kept = {plain(message.text) for message in rated if message.conversation in hidden}
    kept = {text for text in kept if len(text) > SAME}
    more = [each for each in others if each.before and not each.rating and plain(each.text) not in kept]
    ratings = ratings_of(data, seen)
    texts = [message.text for message in (*seen, *more)]
    words, states = design([*seen, *more], rarity, 0), known.of(texts)
    deep = Ridge(DEEP_SMOOTHING).fit(states[: len(seen)], ratings).predict(states)
    plainly = Ridge(SMOOTHING).fit(words[: len(seen)], ratings).predict(words)
    fitted = Ridge(LEARNS).fit(words, DEEP * deep + (1 - DEEP) * plainly)
    return fitted.coef_, float(fitted.intercept_)


def ratings_of(data: Path, messages: Sequence[Message]) -> list[float]:
    """Return what is learned of each rated message: its rating and, for a smaller part, that of its
    conversation, brought to the mean of the messages' own."""
    wholes = {
        str(talk["id"]): statistics.fmean(whole)
        for talk in talks(data, (RATED,))
        if (whole := talk["human"].get("overall"))
    }
    ratings = [message.rating or 0.0 for message in messages]
    known = [wholes.get(message.conversation) for message in messages]
    there = [whole for whole in known if whole is not None]
    shift = statistics.fmean(ratings) - statistics.fmean(there) if there else 0.0
    return [
        rating if whole is None else (1 - WHOLE) * rating + WHOLE * (whole + shift)
        for rating, whole in zip(ratings, known, strict=True)
    ]


def held_out_agreement(data: Path, by_part: Sequence[Linear], rarity: Any) -> float:
    """Pearson's r with the ratings of single messages, each read by what was learned without its part."""
    rated = [message for message in rated_reactions(data) if not message.bare]
    inputs = design(rated, rarity, 0)
    place = {conversation: number for number in range(PARTS) for conversation in hidden_in(data, number)}
    told = np.column_stack([inputs @ weights + bias for weights, bias in by_part])
    chosen = told[range(len(rated)), [place[message.conversation] for message in rated]]
    return float(np.corrcoef(chosen, [message.rating for message in rated])[0, 1])
