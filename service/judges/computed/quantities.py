"""Replies whose amounts, in minutes, kilos or metres, all break the user's limit: no data about items is needed."""

import re
from collections.abc import Iterator

from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...grounding.quantities import Bound, bounds_in, quantities
from ...text.words import excerpt, sentence_at, sentences, straight

PROBABILITY = 0.8
"""Probability of such an offer. None is certain, since the amount may measure something else."""
_OWNS_UP = re.compile(
    r"\b(?:above|over|more than|beyond|exceeds?|unfortunately|sorry|although|though|however|but|nothing|none|slightly|a (?:bit|hair)|just|instead|only|longer|shorter|leaving"
    r"|not|no|total|altogether)\b|n't\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words by which a reply admits that an item breaks the limit."""


def quantities_broken(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply all of whose amounts of a dimension break a limit that the user has just set, with both quotes. Later amounts
    may be about something else."""
    held: list[tuple[Bound, str]] = []
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            lines = (sentence.of(text) for sentence in sentences(text))
            held = [(bound, excerpt(line)) for line in lines for bound in bounds_in(line)]
        elif message.is_reply and held and not _OWNS_UP.search(text):
            found = list(quantities(text))
            for bound, said in held:
                own = [one for one in found if one.dimension == bound.dimension]
                if own and not any(bound.allows(one) for one in own):
                    quote = excerpt(sentence_at(text, own[0].start).of(text))
                    yield DetectedFault("breaks-constraint", at, PROBABILITY, quotes=(said, quote))
                    break
