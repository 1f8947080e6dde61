"""The word-level figures that the paper sets beside Behavior Alignment: BLEU and distinct-n.

Written out here: they are thirty lines over our own words, and the packages that bring them bring
tokenisers and corpora of which none is needed."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..text.words import distinct, grams, words

LONGEST_GRAM = 4


@dataclass(frozen=True, slots=True)
class Wording:
    """Figures of a side's replies taken together; None where there is nothing to count."""

    words: int
    distinct_1: float | None
    distinct_2: float | None


def wording(texts: Iterable[str]) -> Wording:
    """Words, and different n-grams over all n-grams (n-grams do not span replies)."""
    said = list(texts)
    return Wording(sum(len(words(text)) for text in said), distinct(said, 1), distinct(said, 2))


def bleu(pairs: Iterable[tuple[str, str]]) -> tuple[float | None, ...]:
    """Corpus BLEU of (candidate, reference) pairs for n-grams up to 1, 2, 3 and 4, each 0-1. It has the brevity penalty and no
    smoothing (Papineni and others, 2002); None where no candidate is long enough to hold such an n-gram."""
    said = wanted = 0
    matched, possible = [0] * LONGEST_GRAM, [0] * LONGEST_GRAM
    for candidate, reference in pairs:
        ours, theirs = words(candidate), words(reference)
        said, wanted = said + len(ours), wanted + len(theirs)
        for n in range(LONGEST_GRAM):
            own = Counter(grams(ours, n + 1))
            matched[n] += (own & Counter(grams(theirs, n + 1))).total()
            possible[n] += own.total()
    penalty = min(1.0, math.exp(1 - wanted / said)) if said else 0.0
    found: list[float | None] = []
    logs = 0.0
    for n, (right, all_) in enumerate(zip(matched, possible, strict=True), start=1):
        if not all_:
            return (*found, *[None] * (LONGEST_GRAM - len(found)))
        logs += math.log(right / all_) if right else -math.inf
        found.append(penalty * math.exp(logs / n))
    return tuple(found)
