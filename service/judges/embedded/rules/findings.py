"""Findings of a factor's rule in a reading, before they become a verdict, and how sure they are.

Within a kind of conversation nothing that this judge sees tells how far a score is off (docs/embedded-judge.md,
"Confidence"); between kinds agreement with people differs much. So confidence counts for as much as the kind bears out, and
little tested ground is told."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from statistics import fmean

from ....domain.rubric import Factor
from ....domain.verdict import Evidence, Flag, TurnScore
from ....text.words import excerpt, quotation
from ..observations.reading import Read, Reading
from ..wording import say

#: Pieces of evidence that a verdict lists; the rationale gives the full number.
LISTED = 20
#: Instances that a rationale tells one by one.
TOLD = 3
NO_ITEM = Flag("no_item_in_text", say("findings.no-item"))

#: Largest distance of a score from the level that the rubric's ladder gives; finer evidence never moves it to another level.
REACH = 0.49
#: Weight of the last reply or note, where the first weighs 1: people judge a session by its end.
LAST = 2.0
LONGEST_WORD = 30
"""Characters by which a quote is widened at either end, so that it begins and ends with a word."""


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
    """The first instances in words: 'message 3 ("...") repeats itself; ...'."""
    told = [
        say("findings.tell-one", index=each.read.index)
        + (f" ({each.quoted})" if each.told else "")
        + f" {each.matter}"
        for each in exhibits[:TOLD]
    ]
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
    """'Of 3 replies, 2 ask', 'None of 3 replies asks', 'All 3 replies ask', 'Both replies ask', 'The one
    reply asks', 'No reply asks': nouns and verbs as (one, many)."""
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
    level is the ladder's, while scores tell apart what one level holds. The ends of the scale stay."""
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


LITTLE_TESTED = "little_tested"
#: Replies from which on a conversation is like those that were labelled.
FEWEST = 2


@dataclass(frozen=True, slots=True)
class Ground:
    """A kind of conversation: what it is called, its domains, how many were labelled, and the agreement on them."""

    name: str
    told: str
    domains: frozenset[str]
    n: int
    agreement: float


@cache
def grounds() -> tuple[Ground, ...]:
    """The kinds that were measured, the one that this judge was made for first."""
    stored = tomllib.loads((files(__package__) / "grounds.toml").read_text(encoding="utf-8"))
    return tuple(
        Ground(name, row["told"], frozenset(row["domains"].split()), row["n"], row["agreement"])
        for name, row in stored.items()
    )


def on_ground(reading: Reading, found: Finding) -> Finding:
    """Return a finding about replies with the confidence that its ground bears out, and a flag where that is little tested."""
    home, *others = grounds()
    ground = nearest(reading)
    agreement = ground.agreement if ground else fmean(each.agreement for each in others)
    strange = list(_strange(reading, ground))
    if not strange:
        return found
    near = [ground] if ground and ground is not home else ([home] if ground else others)
    flag = Flag(LITTLE_TESTED, say("ground.flag", strange="; ".join(strange), measured=_measured(near)))
    share = agreement / home.agreement * (0.5 if len(reading.replies) < FEWEST else 1.0)
    return replace(found, confidence=round(found.confidence * share, 2), flags=(*found.flags, flag))


def nearest(reading: Reading) -> Ground | None:
    """The kind that a log is of, by its domain and by whether anything was recommended; None where none is."""
    by_name = {ground.name: ground for ground in grounds()}
    found = next((ground for ground in grounds() if reading.log.domain.casefold() in ground.domains), None)
    if found is by_name["films"] and not reading.session_list:
        return by_name["interviews"]
    return found


def _strange(reading: Reading, ground: Ground | None) -> Iterator[str]:
    """Tell what sets a log apart from the conversations that this judge was made for."""
    if ground is None:
        yield say("ground.domain", domain=reading.log.domain)
    elif ground is not grounds()[0]:
        yield say("ground.films")
    if len(reading.replies) < FEWEST:
        yield say("ground.single-reply")


def _measured(near: Sequence[Ground]) -> str:
    told = (say("ground.measured", told=each.told, agreement=each.agreement, n=each.n) for each in near)
    return "; ".join(told)
