"""Findings of a factor's rule in a reading, before they become a verdict: how they are told, and how sure they are.

Within a kind of conversation nothing that this judge sees tells how far a score is off (docs/embedded-judge.md,
"Confidence"); between kinds agreement with people differs much.

The factors of CONCEPT and PEPPER ask how steadily the replies do something: always, mostly, at times, rarely, never.
For these each reply gets a worth from 0 to 1, in halves and quarters, so that the share is exact; the rubric's ladder
makes a level of the share, and inside the level the score depends on where the share stands. How long a
reply is never counts for it."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import TYPE_CHECKING

from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag, TurnScore
from ....text.words import excerpt, quotation
from .. import wording
from ..observations.reading import Read

if TYPE_CHECKING:
    from .replies import Judged

#: Pieces of evidence that a verdict lists; the rationale gives the full number.
LISTED = 20
#: Instances that a rationale tells one by one.
TOLD = 3

#: Largest distance of a score from the level that the rubric's ladder gives; finer evidence never moves it to another level.
REACH = 0.49
#: Weight of the last reply or note, where the first weighs 1: people judge a session by its end.
LAST = 2.0
LONGEST_WORD = 30
"""Characters by which a quote is widened at either end, so that it begins and ends with a word."""


@cache
def texts() -> Mapping[str, Mapping[str, str | list[str]]]:
    """Return every table of every file, by its name."""
    found: dict[str, Mapping[str, str | list[str]]] = {}
    for file in sorted(files(wording).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def table(name: str) -> Mapping[str, str]:
    """Return the plain texts of one table, by key."""
    return {key: text for key, text in texts()[name].items() if isinstance(text, str)}


def say(key: str, **values: object) -> str:
    """Return the text `table.key` with its values in their places. Raises KeyError for a key or a value that is missing."""
    text = _look_up(key)
    assert isinstance(text, str), key
    return text.format(**values)


def pair(key: str) -> tuple[str, str]:
    """Return the two forms of a word or phrase: for one, for many."""
    one, many = list(_look_up(key))
    return one, many


def _look_up(key: str) -> str | list[str]:
    name, _, rest = key.partition(".")
    return texts()[name][rest]


NO_ITEM = Flag("no_item_in_text", say("findings.no-item"))


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One instance: in which message, which stretch of it, and what is the matter. `weight` is how
    much of the lost (or won) points it answers for, against the others."""

    read: Read
    quote: str
    matter: str
    weight: float = 1.0

    @property
    def told(self) -> str:
        """The quote, unless it holds words that a reply's cards were read as: the message does not hold those."""
        return self.quote if not self.read.message.parts or self.quote in self.read.message.content else ""

    @property
    def quoted(self) -> str:
        """The quote in a sentence: in quotation marks, with an ellipsis where the message goes on."""
        return f"“{quotation(self.told, self.read.message.content)}”" if self.told else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A score on the factor's scale with its reasons: a level of the rubric's ladder, or a place near it."""

    score: float
    rationale: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    turns: tuple[TurnScore, ...] | None = None
    flags: tuple[Flag, ...] = ()
    counts: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a factor cannot be assessed."""

    code: str
    detail: str
    missing: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = field(default=())


def exhibit(read: Read, start: int, end: int, matter: str, weight: float = 1.0) -> Exhibit:
    """An instance with its quote: an exact piece of the message, whole words of one line, cut to a
    readable length."""
    content = read.message.content
    for _ in range(LONGEST_WORD):
        before, after = _inside_a_word(content, start), _inside_a_word(content, end)
        if not (before or after):
            break
        start, end = start - before, end + after
    return Exhibit(read, excerpt(content[start:end]), matter, weight)


def _inside_a_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def evidence(exhibits: Sequence[Exhibit], points: float) -> tuple[Evidence, ...]:
    """The exhibits as evidence that together moved the score by `points`, each by its weight; those
    with the largest effect first where there are more than a verdict lists."""
    total = sum(each.weight for each in exhibits) or 1.0
    ranked = sorted(exhibits, key=lambda each: -each.weight)[:LISTED]
    return tuple(
        Evidence(
            message=each.read.index,
            quote=each.told or None,
            effect=round(points * each.weight / total, 3) + 0.0,
            message_id=each.read.message.id,
        )
        for each in sorted(ranked, key=lambda each: each.read.index)
    )


def tell(exhibits: Sequence[Exhibit]) -> str:
    """The first instances in words: 'message 3 ("...") repeats itself; likewise message 5 ("..."); ...'."""
    told = []
    matter = ""
    for each in exhibits[:TOLD]:
        same = each.matter == matter
        place = say("findings.tell-same" if same else "findings.tell-one", index=each.read.index)
        quote = f" ({each.quoted})" if each.told else ""
        told.append(f"{place}{quote}" if same else f"{place}{quote} {each.matter}")
        matter = each.matter
    rest = len(exhibits) - len(told)
    return "; ".join(told) + (say("findings.tell-more", rest="one" if rest == 1 else rest) if rest else "")


def cite(reads: Iterable[Read]) -> str:
    """'message 3', 'messages 1, 3 and 5', 'messages 1, 3, 5, 7 and 4 more'."""
    numbers = [str(read.index) for read in reads]
    if len(numbers) == 1:
        return say("findings.cite-one", number=numbers[0])
    if len(numbers) > 6:
        numbers = [*numbers[:5], say("findings.cite-more", rest=len(numbers) - 5)]
    return say("findings.cite-many", first=", ".join(numbers[:-1]), last=numbers[-1])


def count(number: int, one: str, many: str) -> str:
    """'no replies', 'one reply', '3 replies'."""
    if number == 0:
        return say("findings.count-none", many=many)
    return say("findings.count-one", one=one) if number == 1 else f"{number} {many}"


def of(part: int, whole: int, nouns: tuple[str, str], verbs: tuple[str, str]) -> str:
    """'Of 3 replies, 2 ask', 'All 3 replies ask', 'Both replies ask', 'The one reply asks'. Of none: 'None of 3 replies asks',
    'Neither reply asks', 'No reply asks'. Nouns and verbs as (one, many)."""
    if not part and whole == 2:
        return say("findings.of-neither", noun=nouns[0], verb=verbs[0])
    if not part:
        return (
            say("findings.of-none", whole=whole, noun=nouns[1], verb=verbs[0])
            if whole > 1
            else say("findings.of-no-other", noun=nouns[0], verb=verbs[0])
        )
    if part < whole:
        return say("findings.of-some", counted=count(whole, *nouns), part=part, verb=verbs[part > 1])
    if whole == 1:
        return say("findings.of-only-one", noun=nouns[0], verb=verbs[0])
    return f"{'Both' if whole == 2 else f'All {whole}'} {nouns[1]} {verbs[1]}"


def by_share(factor: Factor, share: float) -> float:
    """A share on a factor's ladder, and inside its level by where it stands between the level's bounds: the
    level is the ladder's, while scores distinguish what one level holds. The ends of the scale stay."""
    ladder = factor.ladders["share"]
    level = ladder.level(share)
    if level in (factor.scale.min, factor.scale.max):
        return float(level)
    bounds = [0.0, *(float(step.bound) for step in ladder.steps), 1.0]
    low = max(bound for bound in bounds if bound <= share)
    high = min((bound for bound in bounds if bound > share), default=1.0)
    return inside(level, (share - low) / ((high - low) or 1.0))


def inside(level: int, place: float) -> float:
    """A score whose nearest level is `level`, by a place from 0 to 1 in it."""
    return level - REACH + 2 * REACH * min(1.0, max(0.0, place))


def sure(instances: float, half: float, at_most: float) -> float:
    """Confidence by amount: `at_most` times n / (n + half), where `half` is how many instances bring
    half of what this rule can be sure of."""
    return round(at_most * instances / (instances + half), 2)


def later_weighs(count: int, last: float = LAST) -> list[float]:
    """Return what each of so many replies or notes counts, in even steps from 1 for the first to `last`
    for the last."""
    return [1 + (last - 1) * index / max(1, count - 1) for index in range(count)]


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


def mark(each: "Judged", worth: float, matter: str = "", *, place: Exhibit | None = None) -> Mark:
    """A reply's mark; without a place of its own the quote is the reply's beginning."""
    read = each.exchange.reply[0]
    return Mark(each.exchange.reply, worth, place or Exhibit(read, excerpt(read.text), matter))


def worst(*marks: Mark) -> Mark:
    """Of several marks of one reply the lowest, the first of equals."""
    return min(marks, key=lambda each: each.worth)


def by_marks(
    factor: Factor, marks: Sequence[Mark], wording: Wording, at_most: float, flags: tuple[Flag, ...] = ()
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
