"""What the sentence encoder's states mean (`service/judges/embedded/observations/encoder.py`): acts by the labels of IARD, satisfaction
by the ratings of USS, linear models of a message's state and, for acts, that of the other side's message before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from research.train_judge.acts import BEFORE, Linear, Message, labelled_acts, listener, states_of
from research.train_judge.ratings import DEEP_SMOOTHING, hidden_in, rated_reactions, ratings_of
from research.train_judge.states import Known
from research.train_judge.talk import PARTS
from service.judges.embedded.observations.acts.learned import SATISFACTION, SIDES


def fit_heads(data: Path, known: Known) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both sides as they are stored, and satisfaction as it is learned without each part of people's conversations."""
    stored: dict[str, Any] = {"mean": known.mean.astype(np.float32)}
    *by_part, whole = (fit_satisfaction(data, known, number) for number in range(PARTS + 1))
    for side in SIDES:
        messages = labelled_acts(data, side)
        labels = sorted({label for message in messages for label in message.labels})
        heads = [fit_act(messages, label, known) for label in labels]
        if side == "user":
            labels.append(SATISFACTION)
            heads.append(whole)
        stored[f"{side}_labels"] = np.array(labels)
        stored |= {f"{side}_{name}": value for name, value in _packed(heads, known).items()}
    parts = _packed(by_part, known)
    return stored, {"heard_own": parts["own"], "heard_bias": parts["bias"]}


def fit_act(messages: Sequence[Message], label: str, known: Known) -> Linear:
    """Weights of both states and bias of one act."""
    truth = [label in message.labels for message in messages]
    fitted = listener().fit(states_of(messages, known), truth)
    return fitted.coef_[0], float(fitted.intercept_[0])


def fit_satisfaction(data: Path, known: Known, number: int) -> Linear:
    """Weights and bias of satisfaction, learned without the conversations of the part of that number; the message before
    counts nothing."""
    hidden = hidden_in(data, number)
    seen = [message for message in rated_reactions(data) if message.conversation not in hidden]
    states = known.of([message.text for message in seen])
    fitted = Ridge(DEEP_SMOOTHING).fit(states, ratings_of(data, seen))
    return np.concatenate([fitted.coef_, np.zeros_like(fitted.coef_)]), float(fitted.intercept_)


def _packed(heads: Sequence[Linear], known: Known) -> dict[str, Any]:
    """Weights for the states less their mean; how these are brought to one scale is part of the weights."""
    own, before = np.split(np.array([weights for weights, _ in heads]), 2, axis=1)
    return {
        "own": (own / known.spread).T.astype(np.float32),
        "before": (BEFORE * before / known.spread).T.astype(np.float32),
        "bias": np.array([bias for _, bias in heads]),
    }
