"""The conduct of simulated users in their logs: leaks, repeats, words of the catalogue, length, vocabulary, acts, outcomes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2

from rapidfuzz import fuzz, process

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog, Message, Role
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
