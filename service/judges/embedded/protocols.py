"""Factors of CONCEPT, PEPPER and iEvaLM: the faults, user's notes and other verdicts that each rests on."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ...catalogue.titles import same_title
from ...domain.rubric import Factor
from ...domain.verdict import UNSUPPORTED_LANGUAGE, Evidence, Scored, TurnScore, Verdict
from ...faults import load_faults
from ...faults.ladder import FULL, is_reported
from ...prompt_injection.detection import find_steering, without_steering
from ...text.feelings import contentment, speaks_of_recommender
from ...text.language import is_other_language
from ...text.patterns import Lexicon
from ...text.words import excerpt, words
from ..fault_report import fault_evidence, fault_sentences, no_fault
from .features import ConversationFeatures
from .findings import Finding, Gap, count, phrase
from .reliability import confidence_in
from .similarity import VERY_SIMILAR, similarity

HALF_SURE = 0.5
"""Confidence in a level that no wanted item decides."""
ABILITIES = {
    "concept-manner": 1.0, "concept-response-quality": 1.0, "concept-relevance": 2.0,
    "concept-social-awareness": 0.5, "concept-persuasiveness": 0.5,
}  # fmt: skip
"""Weights of CONCEPT's judged abilities in its overall performance."""
DECIDES, PULL, HIGHEST_WITHOUT = "concept-relevance", 0.5, 3.0
"""The decisive ability, its pull on the mean, and the highest score without recommendations."""
LONGEST_NOTE, MOST_PLACES = 4_000, 20
NEITHER = 0.5
"""Contentment of a note without feeling."""
REACH = 0.49
"""Largest distance of a score from its level."""


RESTS_ON: Mapping[str, Sequence[str]] = Lexicon(__package__, "protocols").tables["faults"]
"""The faults that each factor counts, by its slug."""


def rate_soundness(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate the share of replies without the faults that the factor counts, each fault by its expected cost at home."""
    replies = features.recommending if factor.slug == "concept-persuasiveness" else features.log.replies
    if not replies:
        return Gap("no_recommendation_made", phrase("core.nothing-to-explain"))
    catalogue = load_faults()
    counted = set(RESTS_ON[factor.slug])
    # An error text is neither polite nor rude: it would only dilute what the other replies do.
    empty = {one.message for one in features.faults if one.fault == "unintelligible" and one.certain}
    sound = replies if "unintelligible" in counted else [at for at in replies if at not in empty] or replies
    worth = dict.fromkeys(sound, 1.0)
    found = [one for one in features.faults if one.fault in counted and one.message in worth]
    for one in found:
        lost = min(1.0, catalogue[one.fault].costs[catalogue[one.fault].home] * one.probability / FULL)
        worth[one.message or 0] = min(worth[one.message or 0], 1 - lost)
    share = fmean(worth.values())
    scale = factor.scale
    score = _inside_level(factor, 1.0 if share > ALL else share)
    reported = sorted((one for one in found if is_reported(one)), key=lambda one: worth[one.message or 0])
    span = scale.max - scale.min
    return Finding(
        score,
        fault_sentences(features.log, reported, catalogue) or no_fault(len(replies)),
        confidence_in(features, factor.slug, len(replies)),
        fault_evidence(features.log, reported, factor.slug, catalogue, score - scale.max),
        tuple(TurnScore(at, round(scale.min + span * kept, 3)) for at, kept in worth.items()),
    )


ALL = 0.97
"""Share of sound replies that counts as all: improbable faults take a little off every reply."""


def rate_user_satisfaction(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate how content the user's noted feelings sound: later notes, and those about the recommender, weigh more."""
    notes = [
        (at, without_steering(text, find_steering(text)))
        for at, message in enumerate(features.log.messages)
        if (text := (message.thoughts or "")[:LONGEST_NOTE])
    ]
    everything = " ".join(note for _, note in notes)
    if is_other_language(words(everything), everything):
        return Gap(UNSUPPORTED_LANGUAGE, phrase("judge.english-only"))
    felt = [(at, note, contentment(note)) for at, note in notes]
    known = sum(value is not None for _, _, value in felt)
    if not known:
        return Gap("no_feeling_told", phrase("protocols.no-feeling"), ("messages.thoughts",))
    weights = [
        (1 + place / max(1, len(felt) - 1)) * (2 if speaks_of_recommender(note) else 1)
        for place, (_, note, _) in enumerate(felt)
    ]
    share = fmean([NEITHER if value is None else value for _, _, value in felt], weights)
    score = _inside_level(factor, min(1.0, share))
    dim = [(at, note) for at, note, value in felt if value is not None and value < 1]
    example = f": “{excerpt(dim[0][1])}”" if dim else ""
    glad = sum(value == 1 for _, _, value in felt)
    rationale = phrase("protocols.notes", glad=glad, notes=count(len(felt), "note"), example=example)
    lost = (score - factor.scale.max) / max(1, len(dim))
    places = tuple(
        Evidence(at, None, round(lost, 3), features.log.messages[at].id) for at, _ in dim[:MOST_PLACES]
    )
    return Finding(score, rationale, confidence_in(features, factor.slug, known), places)


def _inside_level(factor: Factor, share: float) -> float:
    """Return the score of a share: the ladder's level, and inside it where the share stands between the level's bounds."""
    ladder, scale = factor.ladders["share"], factor.scale
    level = ladder.level(share)
    if level in (scale.min, scale.max):
        return float(level)
    bounds = [0.0, *(float(step.bound) for step in ladder.steps), 1.0]
    low = max(bound for bound in bounds if bound <= share)
    high = min((bound for bound in bounds if bound > share), default=1.0)
    return level - REACH + 2 * REACH * (share - low) / ((high - low) or 1.0)


def rate_overall(
    features: ConversationFeatures, verdicts: Sequence[Verdict], factor: Factor
) -> Finding | Gap:
    """Rate the weighted mean of the abilities, averaged with relevance if that is lower."""
    given: dict[str, list[Scored]] = {}
    for verdict in verdicts:
        if isinstance(verdict, Scored) and verdict.factor in ABILITIES:
            given.setdefault(verdict.factor, []).append(verdict)
    if not given:
        return Gap(
            "missing_verdicts", phrase("protocols.no-scores", abilities=", ".join(ABILITIES)), ("verdicts",)
        )
    low, high = factor.scale.min, factor.scale.max
    scores = {
        slug: fmean(min(high, max(low, one.score)) for one in given[slug])
        for slug in ABILITIES
        if slug in given
    }
    mean = fmean(scores.values(), [ABILITIES[slug] for slug in scores])
    score = mean - PULL * max(0.0, mean - scores.get(DECIDES, mean))
    empty = not (features.session_list or features.recommending)
    score = min(score, HIGHEST_WITHOUT) if empty else score
    abilities = ", ".join(
        f"{slug.removeprefix('concept-').replace('-', ' ')} {value:.1f}" for slug, value in scores.items()
    )
    sureness = fmean(
        0.5 if one.confidence is None else one.confidence for known in given.values() for one in known
    )
    confidence = round(0.9 * min(1.0, sureness) * len(given) / len(ABILITIES), 2)
    pulled = phrase("protocols.pull") if score < mean and not empty else ""
    rationale = (
        phrase("protocols.weighted", abilities=abilities, mean=mean)
        + pulled
        + (phrase("protocols.empty") if empty else "")
    )
    return Finding(score, f"{rationale}.", confidence)


def rate_against_wanted(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate 2 where the last recommendation holds a wanted item, 1 where it explains one very similar to it, else 0."""
    if not features.recommending:
        return Finding(factor.scale.min, phrase("protocols.nothing-suggested"), HALF_SURE)
    last = features.recommending[-1]
    message = features.log.messages[last]
    offered = [*features.named(last), *(message.recommendations or ())[: features.judge_input.list_cutoff]]
    targets = features.log.ground_truth or ()
    for title in offered:
        wanted = any(same_title(title, target, year_optional=True) for target in targets)
        if wanted or features.judge_input.wanted(title) is not None:
            place = (Evidence(last, None, float(factor.scale.max), message.id),)
            return Finding(factor.scale.max, phrase("protocols.wanted", at=last, title=title), 0.95, place)
    known = [item.values for title in offered if (item := features.judge_input.item(title)) and item.values]
    wanted_values = [
        item.values for one in targets if (item := features.judge_input.item(one)) and item.values
    ]
    if not known or not wanted_values:
        return Gap("missing_metadata", phrase("protocols.no-attributes"), ("items",))
    near = max(similarity(have, want) for have in known for want in wanted_values)
    level = factor.scale.min + (near >= VERY_SIMILAR and features.does(last, "explains"))
    return Finding(level, phrase("protocols.nearest", at=last, near=near), HALF_SURE)
