"""Replies that ask for what the user has just said: a place, a date, a number of people, a size, a budget."""

import re
from collections.abc import Callable, Iterator

from ...catalogue.kinds import kinds_named
from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...grounding.money import limits
from ...text.words import excerpt, sentences, straight

PROBABILITY = 0.8
"""Probability of such a fault. None is certain, since the question may ask for more details."""
RECENT = 2
"""Number of latest user messages whose details surely concern the question."""
_MONTHS = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DAYS = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NUMBER = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_MORE = re.compile(
    r"\b(?:other|else|exact(?:ly)?|precise(?:ly)?|specific|instead|also|another|more|back|return|again|alternative(?:ly)?|flexible|different|rather|or"
    r"|from|until|near|within|about|out|depart\w*|leav\w+|part\w*|pick\w*|check\w*|collect\w*|drop\w*|start\w*|end\w*|arriv\w*|fly\w*|go(?:ing)?)\b",
    re.IGNORECASE,
)
"""Words of a question that asks for more than was said, or for one end of a journey or stay."""

Said = Callable[[str], str | None]


def _written(*patterns: str) -> Said:
    """Return a function that finds the group of the first matching pattern in a sentence."""
    compiled = [re.compile(pattern) for pattern in patterns]

    def find(line: str) -> str | None:
        return next((match[1] for one in compiled if (match := one.search(line))), None)

    return find


def _limit(line: str) -> str | None:
    return next((str(int(amount.value)) for amount, _ in limits(line)), None)


def _kind(line: str) -> str | None:
    return next(iter(sorted(kinds_named((line,)))), None)


_DETAILS: tuple[tuple[str, Said], ...] = (
    (
        r"\b(?:which|what) (?:city|town|country|destination|location)\b|\bwhere (?:would you like|do you want|are you|will you be|should it|do you live)\b",
        _written(rf"\b(?:in|to|near|around|visiting) (?!(?:{_MONTHS}|{_DAYS}|I|English|German|French|Spanish|Italian)\b)([A-Z][a-zà-ÿ]{{2,}})"),
    ),
    (
        r"\bhow many (?:people|persons|guests|adults|of you|travell?ers|diners|seats|passengers|players|will|are you|tickets)\b",
        _written(
            rf"(?i)\b(?:for|we are|we're|we'll be|party of|us,?) ({_NUMBER})(?= (?:people|persons?|adults?|guests|of us|on|at|tonight|tomorrow|with|please)\b|\W*\Z|[,.;!])",
            rf"(?i)\b({_NUMBER}) (?:people|persons|adults|guests|of us|travell?ers|tickets|players|passengers|ppl)\b",
        ),
    ),
    (
        r"\b(?:which|what) (?:dates?|day)\b|\bwhen (?:would you|do you want|do you need|are you|will you|should|is (?:it|this|that) for)\b",
        _written(rf"(?i)(?<!until )(?<!till )(?<!back on )\b({_DAYS}|tomorrow|tonight|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}|{_MONTHS} \d{{1,2}})\b"),
    ),
    (
        r"\b(?:what|which) time\b",
        _written(r"(?i)\b(?:at|around) (\d{1,2}(?::\d\d)?)(?: ?[ap]\.?m\b| o'clock\b|[,.;!]|\W*\Z| on\b| for\b| please\b)", r"(?i)\b(\d{1,2}(?::\d\d)?) ?[ap]m\b"),
    ),
    (
        r"\b(?:what|which|what's your) (?:shoe |clothing |dress |ring )?size\b|\bsize do you\b",
        _written(r"(?i)\bsize (\d{1,2}(?:\.5)?|x{0,2}[sml])\b"),
    ),
    (
        r"\b(?:your|a|any|the) (?:maximum |rough )?(?:budget|price (?:range|limit))\b|\bhow much (?:would you like|do you want|can you|are you (?:willing|looking|hoping)|did you want|were you)\b",
        _limit,
    ),
    (r"\byour name\b", _written(r"(?i:\bmy name is|\bmy name's|\bname's|\bname is|\bthis is) ([A-Z][a-z]+)")),
    (
        r"\bhow old\b|\b(?:which|what) age\b",
        _written(
            r"(?i)\b(\d{1,2})(?:[ -]?(?:years?|yrs?|y)[ -]?(?:olds?|o)\b|yo\b)",
            r"(?i)\b(?:turn(?:s|ing)|aged?|(?:she|he|son|daughter|niece|nephew|boy|girl)(?:'s| is)?,?) (\d{1,2})\b",
        ),
    ),
    (r"\b(?:which|what) (?:genre|cuisine)\b", _kind),
)  # fmt: skip
"""Questions for a detail, each with the function that finds the detail in a user's sentence."""
DETAILS = tuple((re.compile(asked, re.IGNORECASE), said) for asked, said in _DETAILS)


def asked_again(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply that asks for a detail which the user has just given, with both quotes. A reply that repeats the detail
    checks or refines it."""
    user_texts: list[str] = []
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            user_texts.append(text)
        elif message.is_reply and user_texts:
            for line in (sentence.of(text) for sentence in sentences(text)):
                if (
                    line.endswith("?")
                    and not _MORE.search(line)
                    and (quote := _known(line, user_texts[-RECENT:], text))
                ):
                    yield DetectedFault("asks-known", at, PROBABILITY, quotes=(quote, excerpt(line)))
                    break


def _known(question: str, user_texts: list[str], reply: str) -> str | None:
    """Return the sentence in which the user has given the detail that a question asks for."""
    for asked, said in DETAILS:
        if asked.search(question):
            for text in reversed(user_texts):
                for line in (sentence.of(text) for sentence in sentences(text)):
                    if value := said(line):
                        return None if value.casefold() in reply.casefold() else excerpt(line)
    return None
