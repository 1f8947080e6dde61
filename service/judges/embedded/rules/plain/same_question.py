"""The same question again, in the same words, though the user has answered it."""

from ...observations.acts.acts import UserAct
from ..reply_faults import questions_of
from ..rule import Rule, Seen

#: Words of a question that can be told from a phrase of courtesy, and of an answer.
LONG, ANSWERED = 5, 2
_OPEN = frozenset(
    {UserAct.REQUEST, UserAct.INQUIRE, UserAct.WHY, UserAct.THANK, UserAct.CLOSE, UserAct.ACCEPT}
)
#: Words by which a question offers more once something is done: "anything else?".
_MORE = frozenset({"else", "more", "another", "other", "help", "assist", "further"})
#: Words by which a question may be about something new, though it is the same, or has what was said confirmed.
_OF_NEW = frozenset(
    {"it", "this", "that", "these", "those", "they", "them", "he", "she", "confirm", "correct", "details"}
)


def _finds(seen: Seen) -> bool:
    exchange = seen.exchange
    if exchange.wants & _OPEN or len(exchange.heard) < ANSWERED or exchange.named:
        return False
    asked = [question for question in questions_of(exchange) if len(question) >= LONG]
    return any(
        question in seen.course.asked_aloud and not (_MORE | _OF_NEW) & {*question} for question in asked
    )


RULE = Rule(
    slug="same-question",
    cost=2.5,
    finds=_finds,
    matches=(
        ("U: A film, please.", "A: What kind of film do you like?", "U: Comedies with old people.",
         "A: What kind of film do you like?"),
        ("U: Hello there", "A: Which city do you want to eat in?", "U: San Jose, near the station.",
         "A: Ok. Which city do you want to eat in?"),
    ),
    passes=(
        ("U: A film, please.", "A: What kind of film do you like?", "U: What kinds do you have?",
         "A: Comedies and dramas. What kind of film do you like?"),
        ("U: I liked The Quiet Harbour.", "A: What did you like about that film?", "U: The sea. Also Copper Canyon.",
         "A: What did you like about that film?"),
        ("U: Thanks!", "A: Can I help you with anything else?", "U: Yes, the address.",
         "A: It is 3 Main Street. Can I help you with anything else?"),
    ),
)  # fmt: skip
