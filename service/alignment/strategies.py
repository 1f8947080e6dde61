"""The thirteen strategies of human recommenders, and the mark for having none.

The categories are INSPIRED's (Hayati et al. 2020), as the Behavior Alignment paper (section 3.1)
takes them over; definitions and examples are our own."""

from dataclasses import dataclass
from enum import StrEnum


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


ALL = (
    Strategy(
        StrategyName.ACKNOWLEDGMENT,
        "Shows that the user was heard: a short sign of understanding or agreement, with nothing new in it.",
        "Got it, that makes sense.",
    ),
    Strategy(
        StrategyName.CREDIBILITY,
        "Shows knowledge of the subject through facts about an item: plot, cast, maker, year, awards, where to get it.",
        "It won two prizes for its music, and the whole story takes place in one lift.",
    ),
    Strategy(
        StrategyName.ENCOURAGEMENT,
        "Urges the user on, towards trying an item or in their choice, or praises their taste.",
        "Go for it tonight, you will be glad you did!",
    ),
    Strategy(
        StrategyName.EXPERIENCE_INQUIRY,
        "Asks what the user has done before: whether they know an item, what they saw last, how often they go.",
        "Did you ever get round to the one about the lighthouse keepers?",
    ),
    Strategy(
        StrategyName.OFFER_HELP,
        "Says that it will help, or offers to look for, suggest or show something.",
        "Shall I pick a few for you?",
    ),
    Strategy(
        StrategyName.OPINION_INQUIRY,
        "Asks what the user thinks or likes: genres, makers, what they enjoyed, how a proposal sounds.",
        "Which kinds of stories hold your attention the longest?",
    ),
    Strategy(
        StrategyName.PERSONAL_EXPERIENCE,
        "Tells of something that the recommender itself has lived through with an item or around it.",
        "My sister and I queued for an hour in the rain for the premiere.",
    ),
    Strategy(
        StrategyName.PERSONAL_OPINION,
        "Gives the recommender's own view of an item, a person or a kind of item.",
        "To me the ending is the best part of it.",
    ),
    Strategy(
        StrategyName.PREFERENCE_CONFIRMATION,
        "Asks whether it has understood what the user wants, or which of several it is.",
        "So something slow and not too sad, is that right?",
    ),
    Strategy(
        StrategyName.REPHRASE_PREFERENCE,
        "Says the user's preference back in other words, as a statement and not as a question.",
        "So you care more for good dialogue than for effects.",
    ),
    Strategy(
        StrategyName.SELF_MODELING,
        "Puts itself forward as an example: says what it would do, or is about to do, with the item.",
        "I have a ticket for Friday myself.",
    ),
    Strategy(
        StrategyName.SIMILARITY,
        "Shows that it is like-minded: shares the user's taste, view or feeling.",
        "Same here, I cannot sit through a sad ending either.",
    ),
    Strategy(
        StrategyName.TRANSPARENCY,
        "Says what it is doing or thinking at this moment, or how it goes about its search.",
        "Give me a moment, I am going through the ones from that year.",
    ),
    Strategy(
        NO_STRATEGY,
        "None of these: greetings, thanks, goodbyes, and talk that has nothing to do with recommending.",
        "Hello! How has your day been?",
    ),
)
STRATEGIES = ALL[:-1]
