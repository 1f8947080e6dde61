"""The conduct of simulated users in their logs: leaks, repeats, words of the catalogue, length, vocabulary, acts, outcomes.

A discriminator that learns from some sessions to tell the others apart measures their likeness to people."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2

import numpy as np
from rapidfuzz import fuzz, process

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog, Message, Role
from ..statistics.bootstrap import Matrix
from ..text.acts import UserAct, user_acts
from ..text.words import title_key, words
from .guard import names
from .offers import ItemLookup

REPEATED = 90.0
"""Similarity, of 100, from which a message says an earlier one again; that of the target-free user's own check."""
LOOKED_BACK, COMPARED = 100, 1000
"""Different earlier messages, the latest first, that a message is compared with, and characters of each."""
WANTED = 20
"""Wanted items of one user whose titles are looked for."""
VOCABULARY = 1000
"""Words that the vocabulary is counted over: longer texts repeat more words."""
OBJECTIONS = frozenset({UserAct.REJECT, UserAct.COMPLAIN})
OTHER = "other"
"""Messages with no act that rules know."""


@dataclass(frozen=True, slots=True)
class Trait:
    """A figure of the users of some logs: a share of `n` messages, wishes or sessions, or words. None where nothing counts."""

    name: str
    value: float | None
    n: int


def traits(logs: Sequence[ConversationLog], catalogue: Catalogue | None = None) -> list[Trait]:
    """All figures of these users."""
    said = [[message for message in log.messages if message.role is Role.USER] for log in logs]
    texts = [message.content for own in said for message in own]
    counts = [len(words(text)) for text in texts]
    first = list(islice((word for text in texts for word in words(text)), VOCABULARY))
    return [
        share("leaks_title", [leak for log in logs for leak in _leaks(log, catalogue)]),
        share("repeats_itself", [again for own in said for again in _repeats(own)]),
        share("says_catalogue_words", [literal for log in logs for literal in _literal(log)]),
        Trait("words_a_message", sum(counts) / len(counts) if counts else None, len(counts)),
        Trait("different_words", len(set(first)) / len(first) if first else None, len(first)),
        share("objects", [not user_acts(text).keys().isdisjoint(OBJECTIONS) for text in texts]),
        share("accepts", [log.outcome.accepted for log in logs if log.outcome is not None]),
    ]


def acts(logs: Iterable[ConversationLog]) -> dict[str, float]:
    """The share of each act among all acts of the users' messages, as rules see them; empty without a message."""
    counts: Counter[str] = Counter()
    for log in logs:
        for message in log.messages:
            if message.role is Role.USER:
                counts.update([act.value for act in user_acts(message.content)] or [OTHER])
    total = counts.total()
    return {name: counts[name] / total for name in (*UserAct, OTHER)} if total else {}


def divergence(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    """Jensen-Shannon divergence of two distributions in bits: 0 for the same, 1 for two that share nothing; None
    where one is empty."""
    if not first or not second:
        return None
    middle = {name: (first[name] + second[name]) / 2 for name in first}

    def distance(one: Mapping[str, float]) -> float:
        return sum(share * log2(share / middle[name]) for name, share in one.items() if share)

    return (distance(first) + distance(second)) / 2


def share(name: str, cases: Sequence[bool]) -> Trait:
    """Return the share of cases that are true."""
    return Trait(name, sum(cases) / len(cases) if cases else None, len(cases))


def _leaks(log: ConversationLog, catalogue: Catalogue | None) -> Iterator[bool]:
    """For each message before a wanted title was shown or said to the user: it names one."""
    lookup = ItemLookup.of(log, catalogue)
    titles = [lookup.title(label) for label in (log.ground_truth or ())[:WANTED]]
    keys = {title_key(title) for title in titles}
    for message in log.messages if titles else ():
        if message.role is Role.USER:
            yield any(names(title, message.content, certain=True) for title in titles)
            continue
        shown = any(title_key(lookup.title(label)) in keys for label in message.recommendations or ())
        if shown or any(names(title, message.content, certain=True) for title in titles):
            return


def _repeats(own: Sequence[Message]) -> Iterator[bool]:
    """For each message but a user's first: it says an earlier one again."""
    earlier: dict[str, None] = {}
    for place, message in enumerate(own):
        text = message.content.casefold()[:COMPARED]
        if place:
            found = process.extractOne(text, list(earlier), scorer=fuzz.ratio, score_cutoff=REPEATED)
            yield text in earlier or (found is not None and found[1] > REPEATED)
        earlier.pop(text, None)
        earlier[text] = None
        if len(earlier) > LOOKED_BACK:
            del earlier[next(iter(earlier))]


def _literal(log: ConversationLog) -> Iterator[bool]:
    """For each wish: the user said it in the catalogue's word before the recommender did."""
    wishes = log.user.attributes if log.user else ()
    said = [
        (message.role is Role.USER, f" {' '.join(words(message.content))} ")
        for message in (log.messages if wishes else ())
    ]
    for wish in wishes:
        wanted = f" {' '.join(words(wish))} "
        yield next((by_user for by_user, text in said if wanted in text), False)


FOLDS, FEWEST = 5, 10
SHRINKAGE = 1.0
"""Added to the variance of each standardised feature: a few sessions do not show all of it."""
LIKENESS_VOCABULARY = 100


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
    first = [word for text in texts for word in words(text)][:LIKENESS_VOCABULARY]
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
