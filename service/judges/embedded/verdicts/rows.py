"""The factors that this judge answers, a row each: what rates one, and what it asks of a log."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from types import MappingProxyType

from ....domain.rubric import Factor, Need
from ....domain.verdict import Scored, Verdict
from ...inquiry import Case
from ..observations.reading import Reading
from ..rules.findings import Finding, Gap
from ..rules.judged_reply import LOSSES
from ..rules.replies import IDLE, Judged, judge_replies
from ..wording import say
from .content import rate_explainability, rate_groundness, rate_semantic_relevance
from .cooperation import (
    EMPTY_HANDED,
    NO_BREAK,
    NO_MATTER_OF_RELEVANCE,
    THIN,
    UNCLEAR,
    WORDY,
    rate_manner,
    rate_pepper_coherence,
    rate_relevance,
    rate_response_quality,
)
from .dialogue import rate_coherence, rate_proactiveness, rate_recoverability
from .effectiveness import rate_effectiveness
from .elicitation import rate_pepper_proactiveness, rate_personalization
from .expression import rate_appropriateness, rate_grammar, rate_naturalness
from .items import rate_diversity, rate_novelty
from .overall import rate_overall, rate_user_satisfaction
from .persuasion import rate_against_wanted, rate_persuasiveness
from .rapport import FORGETS, GIVES_AWAY, STIFF, rate_human_likeness, rate_social_awareness

_OfReplies = Callable[[Reading, Sequence[Judged], Factor], Finding | Gap]
_OfText = Callable[[Reading, Factor], Finding | Gap]


class English(Enum):
    """The sides that must speak English for a factor to be judged. `LISTS` says that only items read from texts need it."""

    BOTH = auto()
    RECOMMENDER = auto()
    LISTS = auto()
    NOBODY = auto()


@dataclass
class Session:
    """A log that was read, with the verdicts that a request brings. Its replies are judged when a factor first asks."""

    reading: Reading
    verdicts: Sequence[Verdict] = ()

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """Every turn's reply against what the user wanted of it."""
        return judge_replies(self.reading)


@dataclass(frozen=True, slots=True)
class Row:
    """`judges` says that the replies are judged for this factor, `belongs` that the encoder reads whether they belong, `ends`
    that a missing end (a live log) bears on it, `by_truth` that it is computed where a log has ground truth; `kinds` are the rules that bear on it where not all do, keys of `LOSSES`."""

    rate: Callable[[Session, Factor], Finding | Gap]
    judges: bool = False
    belongs: bool = False
    ends: bool = False
    by_truth: bool = False
    english: English = English.BOTH
    kinds: Collection[str] | None = None

    @property
    def rules(self) -> list[str]:
        """The rules over replies that bear on the factor, the costliest first."""
        known = LOSSES if self.kinds is None else self.kinds
        return sorted(known, key=lambda kind: (-LOSSES[kind][0], kind)) if self.judges else []


def _of_replies(
    rate: _OfReplies,
    kinds: Collection[str] | None = None,
    *,
    ends: bool = True,
    belongs: bool = False,
    by_truth: bool = False,
    english: English = English.BOTH,
) -> Row:
    def rated(session: Session, factor: Factor) -> Finding | Gap:
        return rate(session.reading, session.judged, factor)

    return Row(
        rated, judges=True, belongs=belongs, ends=ends, by_truth=by_truth, english=english, kinds=kinds
    )


def _of_text(rate: _OfText, *, ends: bool = False, english: English = English.BOTH) -> Row:
    def rated(session: Session, factor: Factor) -> Finding | Gap:
        return rate(session.reading, factor)

    return Row(rated, ends=ends, english=english)


def _overall(session: Session, factor: Factor) -> Finding | Gap:
    return rate_overall(session.reading, session.verdicts, factor)


ROWS: Mapping[str, Row] = MappingProxyType(
    {
        "coherence": _of_replies(rate_coherence, belongs=True),
        "recoverability": _of_replies(rate_recoverability),
        "proactiveness": _of_replies(rate_proactiveness, IDLE, ends=False),
        "effectiveness": _of_replies(rate_effectiveness, by_truth=True, english=English.LISTS),
        "explainability": _of_replies(rate_explainability, ends=False),
        "grammatical-correctness": _of_text(rate_grammar, english=English.RECOMMENDER),
        "naturalness": _of_text(rate_naturalness, english=English.RECOMMENDER),
        "appropriateness": _of_text(rate_appropriateness, english=English.RECOMMENDER),
        "novelty": _of_text(rate_novelty, english=English.LISTS),
        "diversity": _of_text(rate_diversity, english=English.LISTS),
        "semantic-relevance": _of_text(rate_semantic_relevance),
        "groundness": _of_text(rate_groundness),
        "concept-manner": _of_replies(rate_manner, UNCLEAR | WORDY, ends=False),
        "concept-response-quality": _of_replies(
            rate_response_quality, EMPTY_HANDED | THIN | {"empty", "broken"}
        ),
        "concept-relevance": _of_replies(rate_relevance, LOSSES.keys() - NO_MATTER_OF_RELEVANCE),
        "concept-social-awareness": _of_replies(rate_social_awareness, FORGETS),
        "concept-persuasiveness": _of_replies(rate_persuasiveness),
        "concept-human-likeness": _of_replies(rate_human_likeness, GIVES_AWAY + STIFF),
        "concept-user-satisfaction": _of_text(rate_user_satisfaction, ends=True, english=English.NOBODY),
        "concept-overall": Row(_overall, english=English.NOBODY),
        "pepper-proactiveness": _of_replies(rate_pepper_proactiveness, IDLE | {"asks-known"}),
        "pepper-coherence": _of_replies(rate_pepper_coherence, LOSSES.keys() - NO_BREAK),
        "pepper-personalization": _of_replies(rate_personalization),
        "ievalm-persuasiveness": _of_replies(rate_against_wanted, by_truth=True),
    }
)


def unmet_need(case: Case, verdicts: Sequence[Verdict], factor: Factor) -> Gap | None:
    """The first input that a factor needs and the request does not hold."""
    if Need.GROUND_TRUTH in factor.needs and not case.log.ground_truth:
        return Gap("missing_ground_truth", say("rows.needs-wish"), ("ground_truth",))
    user = case.log.user
    if Need.PREFERENCES in factor.needs and not (user and (user.preferences or "").strip()):
        return Gap("missing_preferences", say("rows.needs-preferences"), ("user.preferences",))
    thoughts = (message.thoughts or "" for message in case.log.messages)
    if Need.THOUGHTS in factor.needs and not any(map(str.strip, thoughts)):
        return Gap("missing_thoughts", say("rows.needs-feelings"), ("messages.thoughts",))
    others = (each for each in verdicts if isinstance(each, Scored) and each.factor != factor.slug)
    if Need.VERDICTS in factor.needs and not any(others):
        return Gap(
            "missing_verdicts",
            say("rows.needs-scores"),
            ("verdicts",),
        )
    return None


def is_foreign(reading: Reading, english: English) -> bool:
    """Return whether a log is in a language in which the factor cannot be judged."""
    if english is English.NOBODY or (english is English.LISTS and not reading.reads_text_lists):
        return False
    return reading.foreign_replies if english is English.RECOMMENDER else reading.foreign
