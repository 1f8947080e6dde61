"""Heads of acts that have many wordings: learned from what the judge as it stands hears, and from our own phrases.

Patterns hear the usual wordings surely. A head over the encoder, taught by them and by phrases in unusual words over many domains,
hears what lies close to either. No label of people takes part."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from research.train_judge.acts import ROLES, fit_acts
from research.train_judge.states import Known, plain
from research.train_judge.talk import Phrase, messages_of, phrases, talks
from service.judges.embedded.observations.acts.acts import (
    SIDES,
    VARIED,
    likely,
    reply_acts,
    user_acts,
    varied_acts,
)

#: Messages that a phrase counts as, and how far a rare act's messages weigh more: its square root makes up for half of it.
OF_A_PHRASE, EVEN = 40, 0.5
FOLDS = 5


@dataclass(frozen=True)
class Lessons:
    """Standardised profiles and acts of one side: of messages, by what the judge hears, and of phrases."""

    side: str
    inputs: Any
    truth: Any
    told: Sequence[Phrase]
    profiles: Any
    acts: Any

    @classmethod
    def of(cls, side: str, data: Path, known: Known) -> "Lessons":
        """All that is learned from."""
        said = {
            plain(text) for talk in talks(data) for role, text in messages_of(talk) if role == ROLES[side]
        }
        texts = sorted(said - {""})
        inputs = known.of(texts)
        patterns = user_acts if side == "user" else reply_acts
        rows = inputs * known.spread + known.mean
        heard = [
            {*patterns(text), *varied_acts(side, row, text)} for text, row in zip(texts, rows, strict=True)
        ]
        told = [phrase for phrase in phrases() if phrase.side == side]
        acts = tuple(VARIED[side])
        return cls(
            side,
            inputs,
            np.array([[act in some for act in acts] for some in heard]),
            told,
            known.of([phrase.text for phrase in told]),
            np.array([[act in phrase.acts for act in acts] for phrase in told]),
        )

    def fit(self, taught: Any) -> Any:
        """Weights of every act over standardised profiles, the last row the bias, from the messages and some of the phrases."""
        inputs = np.vstack([self.inputs, *[self.profiles[taught]] * OF_A_PHRASE])
        truth = np.vstack([self.truth, *[self.acts[taught]] * OF_A_PHRASE])
        return fit_acts(inputs, truth, even=EVEN)

    def held_out(self) -> Any:
        """Return which phrase is heard as which act by what was learned without it: a fifth is left out at a time."""
        fold = np.arange(len(self.told)) % FOLDS
        found = np.zeros(self.acts.shape, bool)
        for number in range(FOLDS):
            weights = self.fit(fold != number)
            found[fold == number] = likely(
                self.side, self.profiles[fold == number] @ weights[:-1] + weights[-1]
            )
        return found


def fit_varied(data: Path, known: Known) -> dict[str, Any]:
    """The heads of both sides as they are stored; prints what is heard of phrases that were held out."""
    stored: dict[str, Any] = {}
    for side in SIDES:
        lessons = Lessons.of(side, data, known)
        for line in report(side, lessons, lessons.held_out()):
            print(line)
        weights = lessons.fit(np.ones(len(lessons.told), bool))
        own = (weights[:-1] / known.spread[:, None]).astype(np.float16)
        stored[f"{side}_varied_own"] = own
        stored[f"{side}_varied_bias"] = weights[-1] - known.mean @ own.astype(np.float64)
    return stored


def report(side: str, lessons: Lessons, heard: Any) -> list[str]:
    """For each act the share of phrases that do it and are heard: by patterns, and by these with the head; then the share of
    all others in which the head hears it."""
    patterns = user_acts if side == "user" else reply_acts
    listed = [patterns(phrase.text) for phrase in lessons.told]
    # A head counts only where patterns show nothing of its kind.
    silent = np.array([not any(act in some for act in VARIED[side]) for some in listed])
    lines = []
    for column, act in enumerate(VARIED[side]):
        does = lessons.acts[:, column]
        by_list = np.array([act in some for some in listed])
        both = by_list | (heard[:, column] & silent)
        lines.append(
            f"{act} of the {side}: {does.sum()} phrases, {by_list[does].mean():.2f} heard by patterns, "
            f"{both[does].mean():.2f} with a head that saw other phrases; {(heard[:, column] & silent)[~does].mean():.3f} of the rest"
        )
    return lines
