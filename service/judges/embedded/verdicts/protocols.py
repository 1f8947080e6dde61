"""Which rule answers which factor of CONCEPT, PEPPER and iEvaLM, and what a factor needs before it is asked."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ....domain.rubric import Factor, Need
from ....domain.verdict import Scored, Verdict
from ...inquiry import Case
from ..observations.reading import Reading
from ..observations.wording import care, feelings
from ..rules.findings import Finding, Gap
from ..rules.replies import Judged
from .cooperation import rate_manner, rate_pepper_coherence, rate_relevance, rate_response_quality
from .elicitation import rate_pepper_proactiveness, rate_personalization
from .overall import rate_overall, rate_user_satisfaction
from .persuasion import rate_against_wanted, rate_persuasiveness
from .rapport import rate_human_likeness, rate_social_awareness

#: Raised with every change of these rules that changes an answer.
PROTOCOLS_REVISION = 5
#: Word lists that these rules read beside those of CoRE's.
PROTOCOLS_LEXICONS = (care.LEXICON, feelings.LEXICON)

RULES: Mapping[str, Callable[[Reading, Sequence[Judged], Factor], Finding | Gap]] = MappingProxyType(
    {
        "concept-manner": rate_manner,
        "concept-response-quality": rate_response_quality,
        "concept-relevance": rate_relevance,
        "concept-social-awareness": rate_social_awareness,
        "concept-persuasiveness": rate_persuasiveness,
        "concept-human-likeness": rate_human_likeness,
        "pepper-proactiveness": rate_pepper_proactiveness,
        "pepper-coherence": rate_pepper_coherence,
        "pepper-personalization": rate_personalization,
        "ievalm-persuasiveness": rate_against_wanted,
    }
)
SATISFACTION, OVERALL = "concept-user-satisfaction", "concept-overall"
SLUGS = frozenset({*RULES, SATISFACTION, OVERALL})
#: Answered whatever language the messages are in: notes of feelings are looked at apart, scores are numbers.
OF_ANY_LANGUAGE = frozenset({SATISFACTION, OVERALL})
#: A missing end (a live log) bears on these.
WITH_AN_END = frozenset(SLUGS - {"concept-manner", OVERALL})


def unmet_need(case: Case, verdicts: Sequence[Verdict], factor: Factor) -> Gap | None:
    """The first input that a factor needs and the request does not hold."""
    user = case.log.user
    if Need.PREFERENCES in factor.needs and not (user and (user.preferences or "").strip()):
        return Gap("missing_preferences", "the log does not say what the user likes", ("user.preferences",))
    thoughts = (message.thoughts or "" for message in case.log.messages)
    if Need.THOUGHTS in factor.needs and not any(map(str.strip, thoughts)):
        return Gap("missing_thoughts", "no message carries the user's feelings", ("messages.thoughts",))
    others = (each for each in verdicts if isinstance(each, Scored) and each.factor != factor.slug)
    if Need.VERDICTS in factor.needs and not any(others):
        return Gap(
            "missing_verdicts",
            "no scores of other factors were given: judge these first and send their verdicts along",
            ("verdicts",),
        )
    return None


def rate_protocol(
    reading: Reading, judged: Sequence[Judged], factor: Factor, verdicts: Sequence[Verdict]
) -> Finding | Gap:
    """What the rules say of a factor in `SLUGS`."""
    if factor.slug == OVERALL:
        return rate_overall(reading, verdicts, factor)
    if factor.slug == SATISFACTION:
        return rate_user_satisfaction(reading, factor)
    return RULES[factor.slug](reading, judged, factor)
