"""Offers in a recommender's replies: the items of its lists and the titles in its text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..catalogue.title_guesses import Guess, guess_titles
from ..domain.conversation import ConversationLog, Item, Message
from ..text.words import split_year, title_key

MOST_NAMED = 20
"""Titles of one reply that a user takes in: a reply that names hundreds offers nothing more."""

_DATED = re.compile(r"\s{0,9}[(\[](?:18|19|20)\d\d[)\]]")


@dataclass(frozen=True, slots=True)
class Offer:
    """An item that the recommender put forward. `label` is how its list or text wrote it, `title`
    how a person says it; `named` where the text of a reply names it."""

    label: str
    title: str
    named: bool

    @property
    def key(self) -> str:
        """Return what two offers of the same item share."""
        return title_key(self.title)


@dataclass(frozen=True, slots=True)
class ItemLookup:
    """The items that can be looked up during a session, if there are any."""

    catalogue: Catalogue | None = None

    @classmethod
    def of(cls, log: ConversationLog, base: Catalogue | None = None) -> "ItemLookup":
        return cls(Catalogue.of_log(log, base))

    def get(self, label: str) -> Item | None:
        """The item with an id or title; a missing year matches any."""
        return self.catalogue.match(label) if self.catalogue else None

    def title(self, label: str) -> str:
        """Return how a person says what a list calls `label`: the title without its year."""
        item = self.get(label)
        return split_year(item.title if item else label)[0]


def offers(replies: Iterable[Message], lookup: ItemLookup, top: int) -> tuple[Offer, ...]:
    """Return what some replies offer: those that the text names, in its order, then the rest of the first
    `top` of each list, in its order."""
    named: dict[str, Offer] = {}
    listed: dict[str, Offer] = {}
    for reply in replies:
        labels = (reply.recommendations or ())[:top]
        for label in _in_text(reply.content, labels, lookup)[:MOST_NAMED]:
            offer = Offer(label, lookup.title(label), named=True)
            named.setdefault(offer.key, offer)
        for label in labels:
            offer = Offer(label, lookup.title(label), named=False)
            listed.setdefault(offer.key, offer)
    return tuple({**listed, **named}[key] for key in dict.fromkeys((*named, *listed)))


def _in_text(text: str, labels: Sequence[str], lookup: ItemLookup) -> list[str]:
    """The titles that a text names, in its order: known ones, and those that it quotes or dates as one writes a title. So an item
    which exists nowhere is recognised as well. Weaker signs count only where nothing is known: no list, no title."""
    if not text.strip():
        return []
    unknown = [Item(title=label) for label in dict.fromkeys(labels) if lookup.get(label) is None]
    known = Catalogue.over(unknown, lookup.catalogue)
    found = (
        {mention.start: (mention.end, mention.item.title) for mention in known.find(text)} if known else {}
    )
    weak = not found and not labels
    taken = bytearray(len(text))
    for start, (end, _) in found.items():
        taken[start:end] = b"\1" * (end - start)
    for guess in guess_titles(text):
        overlaps = taken.find(1, guess.start, guess.end) >= 0
        if not overlaps and (weak or _written_as_title(text, guess)):
            found[guess.start] = (guess.end, guess.surface)
            taken[guess.start : guess.end] = b"\1" * (guess.end - guess.start)
    return list(dict.fromkeys(title for _, (_, title) in sorted(found.items())))


def _written_as_title(text: str, guess: Guess) -> bool:
    quoted = text[guess.start - 1 : guess.start] in ('"', "\u201c") and guess.surface[:1].isupper()
    return quoted or bool(_DATED.match(text, guess.end))
