"""Replies whose amounts, in minutes, kilos or metres, all break the user's limit: no data about items is needed."""

import re
from collections.abc import Iterator

from ...catalogue.title_guesses import YEAR_MARK
from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...grounding.money import BESIDE, amounts, limits
from ...grounding.quantities import Bound, Quantity, bounds_in, has_several_decades, quantities
from ...text.words import excerpt, sentence_at, sentences, straight, words

PROBABILITY = 0.8
"""Probability of such an offer. None is certain, since the amount may measure something else."""
SIMPLE = 12
"""Most words of a request that surely sets no other limits than those in numbers."""
_OWNS_UP = re.compile(
    r"\b(?:above|over|more than|beyond|exceeds?|unfortunately|sorry|although|though|however|but|nothing|none|slightly|a (?:bit|hair)|just|instead|only|longer|shorter|leaving"
    r"|not|no|total|altogether)\b|n't\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words by which a reply admits that an item breaks the limit."""


_OF_ANOTHER = re.compile(
    r"\b(?:(?:makers?|director|author|creators?|fans?|show|sequel|remake) (?:of|to)|like|liked|loved|than|after)\b[^.!?\n]{0,60}\Z",
    re.IGNORECASE,
)
"""Words before a title that another one is compared with."""


def quantities_broken(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply all of whose amounts of a dimension break a limit that the user has just set, with both quotes. Later amounts
    may be about something else."""
    held: list[tuple[Bound, str]] = []
    several = False
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            several = has_several_decades(text)
            lines = (sentence.of(text) for sentence in sentences(text))
            held = [(bound, excerpt(line)) for line in lines for bound in bounds_in(line)]
        elif message.is_reply and held and not _OWNS_UP.search(text):
            found = [*quantities(text), *(() if several else _years(text))]
            for bound, said in held:
                own = [one for one in found if one.dimension == bound.dimension]
                if own and not any(bound.allows(one) for one in own):
                    quote = excerpt(sentence_at(text, own[0].start).of(text))
                    yield DetectedFault("breaks-constraint", at, PROBABILITY, quotes=(said, quote))
                    break


def _years(text: str) -> Iterator[Quantity]:
    """Yield the years in brackets behind the titles of a text."""
    for match in YEAR_MARK.finditer(text):
        if not _OF_ANOTHER.search(text[max(0, match.start() - BESIDE) : match.start()]):
            yield Quantity("year", float(match[1]), float(match[1]), *match.span(1))


def limits_kept(log: ConversationLog) -> Iterator[int]:
    """Yield each reply all of whose amounts keep the limits of the short request before it, which it states amounts for."""
    request = ""
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            request = text
        elif message.is_reply and 0 < len(words(request)) <= SIMPLE and _keeps(request, text):
            yield at


def _keeps(request: str, reply: str) -> bool:
    lines = [sentence.of(request) for sentence in sentences(request)]
    found, prices = list(quantities(reply)), [one for one in amounts(reply) if one.currency]
    kept = [
        [bound.allows(one) for one in found if one.dimension == bound.dimension]
        for line in lines
        for bound in bounds_in(line)
    ]
    kept += [
        [
            one.value <= limit.value if upper else one.value >= limit.value
            for one in prices
            if one.comparable(limit)
        ]
        for line in lines
        for limit, upper in limits(line)
    ]
    return bool(kept) and all(own and all(own) for own in kept)
