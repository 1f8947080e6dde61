"""Whether a reply answers what the user asked about an item, or why."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...text.acts import ReplyAct, UserAct
from ...text.reasons import find_reason
from ...text.spans import blank
from ...text.words import content_words, sentences, straight, words
from .faults import FINE, HOW, Course
from .naming import Named
from .reading import Exchange

_POLAR_QUESTION = re.compile(
    r"(?:\A|[.!?,;\n]\s?|\b(?:and|but|so|then|ok|okay|yes|no|well|hm+) )(?:is|are|was|were|do|does|did|have|has|can|could|will|would|isn't|aren't)\b",
    re.IGNORECASE,
)
REFERS_BACK = re.compile(
    r"\b(?:these|those|them|they|both|the (?:first|second|third|last|other|list|movies?|films?|books?|ones?)|of (?:the|your)|which one|each|all of|number \d|order|rank)\b",
    re.IGNORECASE,
)
_NAME_WANTED = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,3}?(?:movies?|films?|books?|ones?|songs?|shows?|places?|items?)\b"
    r"|\bwhich\b|\bnames? of\b|\btitles?\b|\bany\b|\bcalled\b|\bfavou?rite\b|\bbest\b",
    re.IGNORECASE,
)
_TO_KNOW = re.compile(
    r"\b(?:about|plot|synopsis|summary|director|actors?|cast|genres?|ratings?|reviews?|info\w*|details?|describe"
    r"|explain|description|difference)\b",
    re.IGNORECASE,
)
#: A question that yes alone does not answer, whatever its form.
_TO_BE_TOLD = re.compile(
    r"\b(?:more (?:about|on|of)|info\w*|details?|explain|describe|summari[sz]e|tell me)\b", re.IGNORECASE
)
_TO_HAVE = re.compile(
    r"\brec+om+|\bsuggest|\b(?:another|other|different|else|similar|looking|need|find|watch|prefer|new"
    r"|how about|what about)\b|\bwant\b(?! to know)|\bknow (?:of )?(?:some|any|a few)\b",
    re.IGNORECASE,
)


class _One(NamedTuple):
    """A question after one thing: what tells it and, where an answer may be a bare name, what tells another thing; `brief`
    says that only a short answer may do so, since in a longer one that stands beside what was asked."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    another: re.Pattern[str]
    brief: bool = False


def _one(asked: str, told: str, another: str = "", *, brief: bool = False) -> _One:
    first, second, third = (re.compile(pattern, re.IGNORECASE) for pattern in (asked, told, another))
    return _One(first, second, third, brief)


_ASKED = (
    _one(
        r"\bwhat(?:'s| is| was|s)? (?:(?:it|that|this|the|\w+)(?: \w+){0,5} )?about\b|\b(?:plot|story ?)line\b|\bplot\b|\bsynopsis\b",
        r"\b(?:about|story|plot|tale|based|who|whose|when|where|after|during|deals?|set in|takes place|finds?)\b|\bfollow|\btell|\btr(?:y|ies|ying)\b",
        r"\b(?:stars|starr(?:ed|ing)|directed|released|written)\b|\b(?:is|was) an? (?:\w+ ){0,2}\w+\W*\Z",
        brief=True,
    ),
    _one(
        r"\bwho (?:directed|made|is the director)\b|\bthe director\b|\bdirected (?:it|that|this)\b",
        r"\bdirect|\bby\b|\bmade\b",
        r"\bstar(?:s|red|ring)?\b|\bactors?\b|\bplay(?:s|ed)\b",
    ),
    _one(
        r"\bwho (?:stars?|plays?|acts?|acted|(?:is|are|was|were) in)\b|\bthe (?:cast|actors?)\b",
        r"\bstar|\bact(?:or|ress|s|ed)|\bplay|\bwith\b|\bcast\b|\bfeatur|\bin it\b",
        r"\bdirect(?:ed|or)\b|\bwritten\b",
    ),
    _one(
        r"\b(?:what|which) year\b|\bwhen (?:was|did|is) (?:it|that|this|the)\b",
        r"\d\d|\b(?:years? ago|last|this|next|century|recent|today|yesterday|old|new|soon|just)",
    ),
    _one(
        r"\bhow many\b",
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozens?|no|none|couple|few|several|many|lots?|only|all)\b",
    ),
)
#: A question after the name of an item, and after that of one alone.
_WHICH = re.compile(
    r"\A\W*(?:(?:ok|okay|so|and|well|but)\W{1,2})?(?:which|what) (?:ones?|are|is it|movies?|films?|books?)(?: do you mean| are you (?:talking about|referring to))?\W*(?:\Z|\?)",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(
    r"\A\W*(?:(?:ok|okay|so|and|well|but)\W{1,2})?(?:which|what) (?:one|is it|movie|film|book)(?: is (?:it|that|this)| do you mean| are you (?:talking about|referring to))?\W*(?:\Z|\?)"
    r"|\b(?:name|title) of (?:the|this|that) (?:movie|film|book|one|song|show|place)\b"
    r"|\b(?:specify|provide|give me|what is|tell me|say|said|mention(?:ed)?) (?:the|its) (?:name|title)\b"
    r"|\bwhat(?:'s| is| was) (?:it|(?:this|that|the)(?: (?:movie|film|book|one))?) called\b",
    re.IGNORECASE,
)
#: Items that may stand in an answer that names one, and words in an answer that is short.
A_NAME, BRIEF = 2, 12
_YES_NO = re.compile(
    r"\b(?:yes|yeah|yep|yup|no|nope|not|definitely|certainly|absolutely|of course|correct|indeed|right|sure)\b|n't\b"
    r"|\b(?:it|they|he|she|that|this|those|these|i|we|there) (?:is|are|was|were|does|do|did|has|have|can|could|will|would)\b",
    re.IGNORECASE,
)
#: What gives a reason in whatever words.
_PURPOSE = re.compile(r"\bbecause\b|\bin order to\b|\bso that\b|(?:\A|[.!] )to [a-z]+\b", re.IGNORECASE)


def question(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """A question about an item, or for reasons: met by information on it."""
    acts = exchange.acts
    if UserAct.WHY in exchange.wants:
        said = straight(" ".join(read.text for read in exchange.reply))
        plain = [blank(read.text, (named.span for named in read.named)) for read in exchange.reply]
        if not (find_reason(_stated(plain)) or _PURPOSE.search(said)):
            yield "no-reason"
        return
    heard = straight(" ".join(read.text for read in exchange.user))
    if _speaks_of_another(exchange):
        yield "other-item"
    if _answers(exchange, offered, course, heard) and not _answers_another(exchange, heard):
        return
    if ReplyAct.UNAWARE in acts:
        yield "question-unknown"
    elif ReplyAct.CLOSE in acts:
        yield "farewell"
    elif ReplyAct.PRAISE in acts and not offered and ReplyAct.ASK not in acts:
        yield "question-thin"
    else:
        yield "question-ignored"


def _answers(exchange: Exchange, offered: tuple[Named, ...], course: Course, heard: str) -> bool:
    """Whether a reply gives information: says something of substance, says yes or no where that was
    asked, names an item where a name was asked for."""
    acts = exchange.acts
    if HOW.search(heard) and any(FINE.search(straight(read.text)) for read in exchange.reply):
        return True
    told = straight(" ".join(read.text for read in exchange.reply))
    yes_or_no = bool(_POLAR_QUESTION.search(heard) and not _TO_BE_TOLD.search(heard) and _YES_NO.search(told))
    if not yes_or_no and REFERS_BACK.search(heard) and _turns_to_others(exchange, course):
        return False
    fresh = _stated_words(exchange) - frozenset(exchange.heard)
    states = not acts & {ReplyAct.UNAWARE, ReplyAct.CLOSE} or ReplyAct.INFORM in acts
    enough = 2 if ReplyAct.INFORM in acts or ReplyAct.PRAISE not in acts else 4
    if not offered and states and len(fresh) >= enough:
        return True
    if yes_or_no and not offered and ReplyAct.CONFIRM in acts:
        return True
    return (
        bool(exchange.named)
        and ReplyAct.CLOSE not in acts
        and "about" not in heard
        and bool(_NAME_WANTED.search(heard))
    )


def _turns_to_others(exchange: Exchange, course: Course) -> bool:
    """Whether the reply names mostly other items than were offered so far, though the one before named some and the user none."""
    if not course.named_last or any(read.named for read in exchange.user):
        return False
    named = {each.key for each in exchange.named}
    return 2 * len(named & course.offered) < len(named)


def _answers_another(exchange: Exchange, heard: str) -> bool:
    """Whether a reply answers, but not what was asked: who directs instead of who plays, no year, no name."""
    told = straight(" ".join(read.text for read in exchange.reply))
    if _WHICH_ONE.search(heard):
        return not 0 < len({each.key for each in exchange.named}) <= A_NAME
    if _WHICH.search(heard):
        return not exchange.named
    brief = len(exchange.said) <= BRIEF
    return any(
        one.asked.search(heard) and not one.told.search(told) and one.another.search(told)
        for one in _ASKED
        if brief or not one.brief
    )


def _stated(texts: Iterable[str]) -> str:
    """What texts state: what they ask tells nothing."""
    lines = [span.of(text) for text in texts for span in sentences(text)]
    return " ".join(line for line in lines if not line.rstrip("\"' ").endswith("?"))


def _stated_words(exchange: Exchange) -> frozenset[str]:
    """The words of topic in a reply's statements."""
    return frozenset(content_words(words(_stated(read.text for read in exchange.reply))))


def _speaks_of_another(exchange: Exchange) -> bool:
    """Whether the reply names an item, but none of those asked about, by no word of their titles."""
    asked = {named.key for read in exchange.user for named in read.named}
    answered = {named.key for named in exchange.named}
    if not asked or not answered or asked & answered:
        return False
    words = {word for key in asked for word in key.split() if len(word) > 3}
    return not words & frozenset(exchange.said)


def only_to_know(exchange: Exchange) -> bool:
    """Whether the user wants to know something of an item and no item: "give me some details about it"."""
    heard = " ".join(read.text for read in exchange.user)
    return bool(_TO_KNOW.search(heard)) and not _TO_HAVE.search(heard)
