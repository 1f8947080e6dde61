"""The factors that this judge answers, a row each: what rates one, and what it asks of a log."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

from ....domain.rubric import Factor
from ....domain.verdict import Verdict
from ..observations.reading import Reading
from ..rules.findings import Finding, Gap
from ..rules.replies import IDLE, LOSSES, Judged
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


class English(Enum):
    """The sides that must speak English for a factor to be judged. `LISTS` says that only items read from texts need it."""

    BOTH = auto()
    RECOMMENDER = auto()
    LISTS = auto()
    NOBODY = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One of three functions rates: `of_replies` gets the judged replies of every turn, `of_text` the reading alone,
    `of_verdicts` the verdicts that a request brings. `belongs` says that the encoder reads whether the replies belong. `ends`
    says that a missing end (a live log) bears on the factor. `by_truth` says that it is computed where a log has ground truth;
    `kinds` are the rules over replies that bear on it where not all do, keys of `LOSSES`."""

    of_replies: Callable[[Reading, Sequence[Judged], Factor], Finding | Gap] | None = None
    of_text: Callable[[Reading, Factor], Finding | Gap] | None = None
    of_verdicts: Callable[[Reading, Sequence[Verdict], Factor], Finding | Gap] | None = None
    belongs: bool = False
    ends: bool = False
    by_truth: bool = False
    english: English = English.BOTH
    kinds: Collection[str] | None = None

    @property
    def rules(self) -> list[str]:
        """The rules over replies that bear on the factor, the costliest first."""
        known = LOSSES if self.kinds is None else self.kinds
        return sorted(known, key=lambda kind: (-LOSSES[kind][0], kind)) if self.of_replies else []


ROWS: Mapping[str, Row] = MappingProxyType(
    {
        "coherence": Row(of_replies=rate_coherence, belongs=True, ends=True),
        "recoverability": Row(of_replies=rate_recoverability, ends=True),
        "proactiveness": Row(of_replies=rate_proactiveness, kinds=IDLE),
        "effectiveness": Row(of_replies=rate_effectiveness, ends=True, by_truth=True, english=English.LISTS),
        "explainability": Row(of_replies=rate_explainability),
        "grammatical-correctness": Row(of_text=rate_grammar, english=English.RECOMMENDER),
        "naturalness": Row(of_text=rate_naturalness, english=English.RECOMMENDER),
        "appropriateness": Row(of_text=rate_appropriateness, english=English.RECOMMENDER),
        "novelty": Row(of_text=rate_novelty, english=English.LISTS),
        "diversity": Row(of_text=rate_diversity, english=English.LISTS),
        "semantic-relevance": Row(of_text=rate_semantic_relevance),
        "groundness": Row(of_text=rate_groundness),
        "concept-manner": Row(of_replies=rate_manner, kinds=UNCLEAR | WORDY),
        "concept-response-quality": Row(
            of_replies=rate_response_quality, ends=True, kinds=EMPTY_HANDED | THIN | {"empty", "broken"}
        ),
        "concept-relevance": Row(
            of_replies=rate_relevance, ends=True, kinds=LOSSES.keys() - NO_MATTER_OF_RELEVANCE
        ),
        "concept-social-awareness": Row(of_replies=rate_social_awareness, ends=True, kinds=FORGETS),
        "concept-persuasiveness": Row(of_replies=rate_persuasiveness, ends=True),
        "concept-human-likeness": Row(of_replies=rate_human_likeness, ends=True, kinds=GIVES_AWAY + STIFF),
        "concept-user-satisfaction": Row(of_text=rate_user_satisfaction, ends=True, english=English.NOBODY),
        "concept-overall": Row(of_verdicts=rate_overall, english=English.NOBODY),
        "pepper-proactiveness": Row(
            of_replies=rate_pepper_proactiveness, ends=True, kinds=IDLE | {"asks-known"}
        ),
        "pepper-coherence": Row(of_replies=rate_pepper_coherence, ends=True, kinds=LOSSES.keys() - NO_BREAK),
        "pepper-personalization": Row(of_replies=rate_personalization, ends=True),
        "ievalm-persuasiveness": Row(of_replies=rate_against_wanted, ends=True, by_truth=True),
    }
)
