"""CoRE's factors: what is at stake, and the ladder from faults to scores. Lists and targets bound it where a log has them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

from ...domain.conversation import Role
from ...domain.counts import KEPT, SOUND
from ...domain.rubric import Factor
from ...domain.verdict import DetectedFault, Flag
from ...faults import load_faults
from ...faults.ladder import FULL, is_reported, kept_share, score_replies
from ...text.unanswered import unanswered_runs
from ..fault_report import fault_evidence, fault_sentences, no_fault
from .features import ConversationFeatures
from .findings import Finding, Gap, phrase
from .lists import rate_diversity, rate_effectiveness, rate_novelty, rate_semantic_relevance
from .reactions import reactions, repetition
from .reliability import confidence_in

MOST_LISTED = 300
"""Faults of a factor that a verdict lists."""
MISSED, UNSURE = 1.5, 0.3
"""Score and confidence where the list misses the target by an unknown distance: the middle of the levels 0 to 3."""
NO_LIST = frozenset(
    {
        "missing_recommendations",
        "no_recommendation_made",
        "missing_metadata",
        "no_preferences",
        "missing_popularity",
    }
)
"""Gaps of a computation on lists after which faults alone decide effectiveness."""

Stake = Callable[[ConversationFeatures], Sequence[int] | Gap]


def all_replies(features: ConversationFeatures) -> Sequence[int] | Gap:
    """Every reply is at stake."""
    return features.log.replies


def spoken_replies(features: ConversationFeatures) -> Sequence[int] | Gap:
    """Every reply with text."""
    said = [at for at in features.log.replies if features.plain.messages[at].content.strip()]
    return said or Gap("no_text", phrase("core.no-words"))


def recommending(features: ConversationFeatures) -> Sequence[int] | Gap:
    """The replies that recommend."""
    return features.recommending or Gap("no_recommendation_made", phrase("core.nothing-to-explain"))


def corrections(features: ConversationFeatures) -> Sequence[int] | Gap:
    """The replies to a user who points out a mistake."""
    return features.answering_objections or Gap("no_occasion", phrase("core.no-mistake"))


def checked(features: ConversationFeatures) -> Sequence[int] | Gap:
    """The replies whose statements or items a source answers."""
    grounding = features.judge_input.grounding
    found = {one.message for one in grounding.statements} | {
        one.message for one in grounding.shown if one.offered is not None or one.against is not None
    }
    if features.judge_input.has_sources:
        found |= {at for at in features.log.replies if features.named(at)}
        found |= {reply for _, reply, _ in grounding.errors}
        return sorted(found) or Gap("no_occasion", phrase("core.nothing-checked"))
    return sorted(found) or Gap("nothing_to_check", phrase("core.no-data"), ("items", "catalog"))


def rate_core(features: ConversationFeatures, factor: Factor) -> Finding | Gap:
    """Rate a CoRE factor: the lower of the scores from faults and from lists."""
    by_truth = factor.slug == "effectiveness" and bool(features.log.ground_truth)
    computed = LISTS[factor.slug](features, factor) if factor.slug in LISTS else None
    if by_truth and isinstance(computed, Finding):
        return replace(computed, faults=_faulted(features, factor, features.log.replies).faults)
    if by_truth and isinstance(computed, Gap) and computed.code == "missing_metadata":
        missed = Finding(MISSED, phrase("lists.missed"), UNSURE, flags=computed.flags)
        return bounded(features, factor, missed)
    if factor.slug in STAKES and not (isinstance(computed, Gap) and computed.code not in NO_LIST):
        found = _by_faults(features, factor, STAKES[factor.slug](features))
        if isinstance(computed, Finding) and isinstance(found, Finding):
            return _lower(found, computed)
        return found
    assert computed is not None, factor.slug
    return bounded(features, factor, computed)


def rate_foreign(features: ConversationFeatures, factor: Factor, gap: Gap) -> Finding | Gap:
    """Rate a factor in a language that is not read: by lists and targets, else by certain faults alone."""
    computed = rate_effectiveness(features, factor) if factor.slug == "effectiveness" else gap
    return bounded(features, factor, computed if isinstance(computed, Finding) else gap)


def _by_faults(features: ConversationFeatures, factor: Factor, stake: Sequence[int] | Gap) -> Finding | Gap:
    """Return the ladder's score over the replies at stake. One of the factor's faults puts its reply at
    stake."""
    if not features.log.replies:
        stake = Gap("no_replies", phrase("judge.no-replies"), ("replies",))
    found = bounded(features, factor, stake) if isinstance(stake, Gap) else _faulted(features, factor, stake)
    if factor.slug != "groundness":
        return found
    passed_over = (
        Flag("tool_error_passed_over", phrase("core.tool-failed"), reply)
        for _, reply, is_passed_over in features.judge_input.grounding.errors
        if is_passed_over
    )
    return replace(found, flags=(*found.flags, *passed_over))


def bounded(features: ConversationFeatures, factor: Factor, found: Finding | Gap) -> Finding | Gap:
    """Return a finding from lists or a gap, bounded by the reported faults."""
    catalogue = load_faults()
    own = [
        one for one in features.faults
        if factor.slug in catalogue[one.fault].costs and is_reported(one)
    ]  # fmt: skip
    home = [one for one in own if catalogue[one.fault].home == factor.slug]
    if isinstance(found, Gap):
        counting = own if found.code == "no_replies" else home
        if not counting:
            return found
        messages = {one.message for one in counting}
        at = [reply for reply in features.log.replies if reply in messages]
        return replace(_faulted(features, factor, at), flags=found.flags)
    if not own:
        return found
    return _lower(_faulted(features, factor, features.log.replies), found)


def _faulted(features: ConversationFeatures, factor: Factor, stake: Sequence[int]) -> Finding:
    catalogue = load_faults()
    result = score_replies(factor, stake, features.faults, catalogue)
    faults = result.faults[:MOST_LISTED]
    unanswered = sum(1 for _ in unanswered_runs(features.plain))
    return Finding(
        score=result.score,
        rationale=fault_sentences(features.log, faults, catalogue) or no_fault(len(stake)),
        confidence=confidence_in(features, factor.slug, len(stake) + unanswered, faults),
        evidence=fault_evidence(features.log, faults, factor.slug, catalogue, result.score - FULL),
        turns=result.turns,
        faults=faults,
        counts=_counts(features, factor, stake, faults),
    )


def _counts(
    features: ConversationFeatures, factor: Factor, stake: Sequence[int], faults: Sequence[DetectedFault]
) -> dict[str, float]:
    found: dict[str, float] = {"replies": len(stake), "misses": len({one.message for one in faults})}
    if factor.slug == "coherence" and features.learned.sound:
        found[SOUND] = fmean(features.learned.sound.values())
        found[KEPT] = kept_share(features.log.replies, features.faults, load_faults())
        said = [
            (at, each.content) for at, each in enumerate(features.plain.messages) if each.role is Role.USER
        ]
        found.update(reactions([text for at, text in said if at]))
        found.update(repetition([text for _, text in said]))
    return found


def _lower(first: Finding, second: Finding) -> Finding:
    """Return the finding with the lower score; reported faults stay."""
    low, high = (first, second) if first.score <= second.score else (second, first)
    rationale = " ".join(dict.fromkeys((low.rationale, high.rationale))) if first.faults else second.rationale
    return replace(
        low, rationale=rationale, faults=first.faults, turns=first.turns,
        confidence=second.confidence if low is second else low.confidence,
        flags=tuple(dict.fromkeys((*first.flags, *second.flags))),
        evidence=(*low.evidence, *high.evidence)[:MOST_EVIDENCE],
    )  # fmt: skip


MOST_EVIDENCE = 20
#: The replies at stake for each factor that faults decide.
STAKES: dict[str, Stake] = {
    "coherence": all_replies,
    "effectiveness": all_replies,
    "recoverability": corrections,
    "proactiveness": all_replies,
    "explainability": recommending,
    "groundness": checked,
    "grammatical-correctness": spoken_replies,
    "naturalness": spoken_replies,
    "appropriateness": spoken_replies,
}
LISTS: dict[str, Callable[[ConversationFeatures, Factor], Finding | Gap]] = {
    "effectiveness": rate_effectiveness,
    "semantic-relevance": rate_semantic_relevance,
    "diversity": rate_diversity,
    "novelty": rate_novelty,
}
