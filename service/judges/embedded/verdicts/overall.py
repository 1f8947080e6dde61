"""CONCEPT's two factors of the whole: user satisfaction from noted feelings, overall performance from ability scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType

from ....domain.rubric import Factor
from ....domain.verdict import UNSUPPORTED_LANGUAGE, Scored, Verdict
from ....steering.detection import find_steering, without_steering
from ....text.words import quotation, words
from ..observations.reading import Read, Reading
from ..observations.wording import manners
from ..observations.wording.language import is_other_language
from ..rules.findings import (
    Exhibit,
    Finding,
    Gap,
    by_share,
    cite,
    evidence,
    later_weighs,
    of,
    pair,
    say,
    sure,
    tell,
)

#: Feelings are read by words: irony and what is meant but not said pass unseen.
SATISFACTION_AT_MOST = 0.5
#: A stated rule over scores can be no surer than they are, and less where some are not given.
OVERALL_AT_MOST = 0.9
#: Characters of a note that are read.
LONGEST_NOTE = 4_000
#: A note without a feeling.
NEITHER = 0.5
#: Weights of CONCEPT's judged abilities in the whole, and below them the ability without which nobody is served.
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "concept-manner": 1.0,
        "concept-response-quality": 1.0,
        "concept-relevance": 2.0,
        "concept-social-awareness": 0.5,
        "concept-persuasiveness": 0.5,
    }
)
DECIDES = "concept-relevance"
#: Share of the distance by which a lower score of the deciding ability pulls the whole towards itself.
PULL = 0.5
#: Nothing was recommended: the upper two levels are out of reach.
HIGHEST_WITHOUT = 3.0


def rate_user_satisfaction(reading: Reading, factor: Factor) -> Finding | Gap:
    """Return how content the user's noted feelings sound, 0 to 1 a note, as a weighted mean on the ladder:
    later notes weigh more (the last twice the first), and so do those that speak of the recommender or of
    what it suggests. The messages themselves do not count."""
    notes = [_note(read) for read in reading.messages if read.is_user and read.message.thoughts]
    if is_other_language(
        [word for note in notes for word in words(note.text)], " ".join(n.text for n in notes)
    ):
        return Gap(UNSUPPORTED_LANGUAGE, say("overall.english-only"))
    known = sum(note.felt is not None for note in notes)
    if not known:
        return Gap("no_feeling_told", say("overall.no-feeling-told"), ("messages.thoughts",))
    weights = [
        manners.weight(note.text) * later for note, later in zip(notes, later_weighs(len(notes)), strict=True)
    ]
    share = sum(w * note.value for w, note in zip(weights, notes, strict=True)) / sum(weights)
    score = by_share(factor, min(1.0, share))
    dim = [note.exhibit(w) for w, note in zip(weights, notes, strict=True) if note.value < 1]
    glad = [note.read for note in notes if note.value == 1]
    nouns = pair("overall.notes-of-feelings")
    rationale = of(len(glad), len(notes), nouns, pair("overall.content"))
    rationale += f" ({cite(glad)})" if glad else ""
    return Finding(
        score=score,
        rationale=rationale + (f": {tell(dim)}." if dim else "."),
        confidence=sure(known, 2, SATISFACTION_AT_MOST),
        evidence=evidence(dim, score - factor.scale.max),
    )


@dataclass(frozen=True, slots=True)
class _Note:
    """A user's note of its feelings, and how content it sounds, 0-1."""

    read: Read
    text: str
    felt: float | None

    @property
    def value(self) -> float:
        return NEITHER if self.felt is None else self.felt

    def exhibit(self, weight: float) -> Exhibit:
        """The note as an instance; what it says stands in no message, so that no quote can show it."""
        mood = (
            say("overall.no-feeling")
            if self.felt is None
            else "discontent"
            if self.felt < NEITHER
            else say("overall.mixed-feelings")
        )
        return Exhibit(
            self.read,
            "",
            say("overall.note", mood=mood, excerpt=quotation(self.text, self.read.message.thoughts or "")),
            weight * (1 - self.value),
        )


def _note(read: Read) -> _Note:
    """The part of a note that is read, without what talks to a judge."""
    text = (read.message.thoughts or "")[:LONGEST_NOTE]
    text = without_steering(text, find_steering(text))
    return _Note(read, text, manners.contentment(text))


def rate_overall(reading: Reading, verdicts: Sequence[Verdict], factor: Factor) -> Finding | Gap:
    """The weighted mean of the abilities' scores (`WEIGHTS`), drawn halfway down to relevance where that is lower: replies
    that pass over the user serve nobody, however put. 3 at most where nothing was recommended."""
    given: dict[str, list[Scored]] = {}
    for verdict in verdicts:
        if isinstance(verdict, Scored) and verdict.factor in WEIGHTS:
            given.setdefault(verdict.factor, []).append(verdict)
    if not given:
        detail = say("overall.no-scores", abilities=", ".join(WEIGHTS))
        return Gap("missing_verdicts", detail, ("verdicts",))
    low, high = factor.scale.min, factor.scale.max
    scores = {
        slug: fmean(min(high, max(low, verdict.score)) for verdict in given[slug])
        for slug in WEIGHTS
        if slug in given
    }
    mean = fmean(scores.values(), [WEIGHTS[slug] for slug in scores])
    pull = PULL * max(0.0, mean - scores.get(DECIDES, mean))
    score = mean - pull
    told = ", ".join(f"{_name(slug)} {value:.1f}" for slug, value in scores.items())
    rationale = say("overall.weighted-mean", told=told, mean=mean)
    if pull:
        rationale += say("overall.pull", name=_name(DECIDES), pull=pull)
    if score > HIGHEST_WITHOUT and not (
        reading.session_list or any(offered for _, offered in reading.offers)
    ):
        rationale += say("overall.nothing-recommended")
        score = HIGHEST_WITHOUT
    return Finding(score=score, rationale=f"{rationale}.".capitalize(), confidence=_certainty(given))


def _certainty(given: Mapping[str, Sequence[Scored]]) -> float:
    """Return how sure the scores are, the less the more abilities are without one."""
    sureness = [0.5 if v.confidence is None else v.confidence for known in given.values() for v in known]
    return round(OVERALL_AT_MOST * min(1.0, fmean(sureness)) * len(given) / len(WEIGHTS), 2)


def _name(slug: str) -> str:
    return slug.removeprefix("concept-").replace("-", " ")
