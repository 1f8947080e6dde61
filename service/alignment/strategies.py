"""The thirteen strategies of human recommenders, and the mark for having none.

The categories are INSPIRED's (Hayati et al. 2020), as the Behavior Alignment paper (section 3.1)
takes them over. `strategies.toml` has their definitions and examples."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files


class StrategyName(StrEnum):
    """The label of a reply."""

    ACKNOWLEDGMENT = "acknowledgment"
    CREDIBILITY = "credibility"
    ENCOURAGEMENT = "encouragement"
    EXPERIENCE_INQUIRY = "experience_inquiry"
    OFFER_HELP = "offer_help"
    OPINION_INQUIRY = "opinion_inquiry"
    PERSONAL_EXPERIENCE = "personal_experience"
    PERSONAL_OPINION = "personal_opinion"
    PREFERENCE_CONFIRMATION = "preference_confirmation"
    REPHRASE_PREFERENCE = "rephrase_preference"
    SELF_MODELING = "self_modeling"
    SIMILARITY = "similarity"
    TRANSPARENCY = "transparency"
    NO_STRATEGY = "no_strategy"


NO_STRATEGY = StrategyName.NO_STRATEGY


@dataclass(frozen=True, slots=True)
class Strategy:
    """A label with what it means and a reply that carries it."""

    slug: StrategyName
    definition: str
    example: str


ALL = tuple(
    Strategy(StrategyName(slug), **texts)
    for slug, texts in tomllib.loads(
        files(__package__).joinpath("strategies.toml").read_text(encoding="utf-8")
    ).items()
)
STRATEGIES = ALL[:-1]
