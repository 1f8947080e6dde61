"""Every reply marked for what it is worth to a factor, and the share of worth as a score.

The factors of CONCEPT and PEPPER ask how steadily the replies do something: always, mostly, at times, rarely, never.
Here each reply gets a worth from 0 to 1, in halves and quarters, so that the share is exact; the rubric's ladder
makes a level of the share, and inside the level the score goes by where the share stands. How long a
reply is never counts for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ....domain.rubric import Factor
from ....domain.verdict import Flag, TurnScore
from ....text.words import excerpt
from ..observations.reading import Read
from ..rules.findings import Exhibit, Finding, by_share, cite, evidence, of, sure, tell
from ..rules.replies import Judged
from ..wording import pair

#: Replies that bring half of what a rule over replies can be sure of.
HALF_SURE = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """The worth of one turn's reply to a factor, 0-1, and its fault where that is less than 1. `place` is
    what a quote shows."""

    reads: tuple[Read, ...]
    worth: float
    place: Exhibit

    @property
    def lapse(self) -> Exhibit:
        """The reply as an instance of what cost points, by how much."""
        return Exhibit(self.place.read, self.place.quote, self.place.matter, 1 - self.worth)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a rationale about replies with full marks: verbs as (one, many), and what else to say."""

    verbs: tuple[str, str]
    nouns: tuple[str, str] = pair("nouns.replies")
    more: str = ""


def mark(each: Judged, worth: float, matter: str = "", *, place: Exhibit | None = None) -> Mark:
    """A reply's mark; without a place of its own the quote is the reply's beginning."""
    read = each.exchange.reply[0]
    return Mark(each.exchange.reply, worth, place or Exhibit(read, excerpt(read.text), matter))


def worst(*marks: Mark) -> Mark:
    """Of several marks of one reply the lowest, the first of equals."""
    return min(marks, key=lambda each: each.worth)


def by_marks(
    factor: Factor,
    marks: Sequence[Mark],
    wording: Wording,
    at_most: float,
    flags: tuple[Flag, ...] = (),
) -> Finding:
    """The share of worth on the factor's ladder. Each lapse costs points by how much of the reply's worth it
    took; `turns` give every message its reply's worth on the scale. `marks` holds one at least."""
    share = fmean(each.worth for each in marks)
    score = by_share(factor, share)
    whole = [each.reads[0] for each in marks if each.worth == 1]
    lapses = [each.lapse for each in marks if each.worth < 1]
    rationale = of(len(whole), len(marks), wording.nouns, wording.verbs) + wording.more
    rationale += f" ({cite(whole)})" if whole else ""
    span = factor.scale.max - factor.scale.min
    return Finding(
        score=score,
        rationale=rationale + (f": {tell(lapses)}." if lapses else "."),
        confidence=sure(len(marks), HALF_SURE, at_most),
        evidence=evidence(lapses, score - factor.scale.max),
        turns=tuple(
            TurnScore(read.index, round(factor.scale.min + span * each.worth, 3))
            for each in marks
            for read in each.reads
        ),
        flags=flags,
    )
