"""Decide whether a reply answers the user's question about an item, or about a reason."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ....text.words import content_words, sentences, straight, words
from ..observations.acts.acts import ReplyAct, UserAct, reply_acts
from ..observations.content.reasons import find_reason
from ..observations.reading import Exchange, Named
from .reply_faults import ANY_ITEM, HOW, Course

_POLAR_QUESTION = re.compile(
    r"(?:\A|[.!?,;\n]\s?|\b(?:and|but|so|then|ok|okay|yes|no|well|hm+) )(?:is|are|was|were|do|does|did|have|has|can|could|will|would|(?:is|are|was|were|do|does|did|has|have|ca|could|would)n't)\b",
    re.IGNORECASE,
)
REFERS_BACK = re.compile(
    r"\b(?:these|those|them|they|both|the (?:first|second|third|last|other|list|movies?|films?|books?|ones?)|of (?:your|the (?:movies|films|books|ones|list|two|three|first|last|others?))|which one|each|all of|number \d|order|rank)\b",
    re.IGNORECASE,
)
_NAME_WANTED = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,3}?(?:movies?|films?|books?|ones?|songs?|shows?|places?|items?)\b"
    r"|\bwhich\b|\bwhat(?:'s| is| was) it\b|\bnames? of\b|\btitles?\b|\bany\b|\bcalled\b|\bfavou?rite\b|\bbest\b",
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
#: New words of topic that tell something, where a reply does not praise and where it does; and beside an offer.
ENOUGH, BESIDE = (2, 4), 5
_YES_NO = re.compile(
    r"\b(?:yes|yeah|yep|yup|no|nope|not|definitely|certainly|absolutely|of course|correct|indeed|right|sure)\b|n't\b"
    r"|\b(?:it|they|he|she|that|this|those|these|i|we|there) (?:is|are|was|were|does|do|did|has|have|can|could|will|would)\b",
    re.IGNORECASE,
)
_YES_NO_FIRST = re.compile(
    r"\A\W*(?:yes|yeah|yep|yup|no|nope|sure|definitely|absolutely|of course)\b", re.IGNORECASE
)
#: An answer to "how are you?", and one to "what about you?".
_WELL = re.compile(
    r"\A\W*(?:\w+\W+){0,4}(?:good|great|fine|well|fantastic|amazing|ok|okay|alright|wonderful|awesome|bad)\b",
    re.IGNORECASE,
)
_AS_FOR_YOU = re.compile(
    r"\b(?:how|what) about you\b|\band you\b|\byours\b|\bdo you (?:like|enjoy|prefer|watch)\b", re.IGNORECASE
)
_MYSELF = re.compile(r"\A\W*(?:\w+\W+){0,2}(?:i|i'm|i've|my|mine|me)\b", re.IGNORECASE)
_THE_ONE = re.compile(
    r"\bthe (?:first|second|third|last|latest|new|newer|old|older|original)\b", re.IGNORECASE
)
#: A reply that begins with what was asked about.
_OF_IT = re.compile(
    r"\A\W*(?:yes|yeah|yep|yup|no|nope|not|it|that|those|they|this|i (?:did|have|do|haven't|didn't|don't))\b",
    re.IGNORECASE,
)
#: Signs of a reason, whatever its content.
_PURPOSE = re.compile(r"\bbecause\b|\bin order to\b|\bso that\b|(?:\A|[.!] )to [a-z]+\b", re.IGNORECASE)


def question(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """A question about an item, or for reasons: met by information on it."""
    acts = exchange.acts
    if UserAct.WHY in exchange.wants:
        said = straight(" ".join(read.text for read in exchange.reply))
        if not (find_reason(_stated(read.untitled for read in exchange.reply)) or _PURPOSE.search(said)):
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
    """Return whether a reply gives information: says how it is doing, says yes or no where that was asked, or says something of
    substance. Or it names an item where a name was asked for."""
    told = [straight(read.text) for read in exchange.reply]
    if _speaks_of_itself(exchange, heard, told):
        return True
    yes_or_no = (
        _POLAR_QUESTION.search(heard) and not _TO_BE_TOLD.search(heard) and any(map(_YES_NO.search, told))
    )
    if not yes_or_no and REFERS_BACK.search(heard) and _turns_to_others(exchange, course):
        return False
    agrees = yes_or_no and ReplyAct.CONFIRM in exchange.acts
    if agrees and (not offered or any(map(_YES_NO_FIRST.search, told))):
        return True
    return _tells(exchange, offered, heard) or _names(exchange, heard)


def _speaks_of_itself(exchange: Exchange, heard: str, told: Sequence[str]) -> bool:
    """Return whether a reply meets "how are you?" or "what about you?"."""
    well = HOW.search(heard) and (ReplyAct.GREET in exchange.acts or any(map(_WELL.search, told)))
    return bool(well or (_AS_FOR_YOU.search(heard) and any(map(_MYSELF.search, told))))


def _tells(exchange: Exchange, offered: tuple[Named, ...], heard: str) -> bool:
    """Return whether a reply says something new, or takes the words of a yes-or-no question up."""
    acts = exchange.acts
    stated = stated_words(exchange, offered)
    states = not acts & {ReplyAct.UNAWARE, ReplyAct.CLOSE} or ReplyAct.INFORM in acts
    praises = ReplyAct.PRAISE in acts and ReplyAct.INFORM not in acts
    if states and len(stated - frozenset(exchange.heard)) >= (BESIDE if offered else ENOUGH[praises]):
        return True
    same = (stated - ANY_ITEM) & frozenset(content_words(exchange.heard))
    return bool(same and not offered and _POLAR_QUESTION.search(heard))


def _names(exchange: Exchange, heard: str) -> bool:
    """Return whether a reply names an item, or says which it is, where a name was asked for."""
    wanted = "about" not in heard and _NAME_WANTED.search(heard) and ReplyAct.CLOSE not in exchange.acts
    return bool(wanted and (exchange.named or any(_THE_ONE.search(read.text) for read in exchange.reply)))


def _turns_to_others(exchange: Exchange, course: Course) -> bool:
    """Return whether the reply names mostly other items than were offered so far, though the one before
    named some and the user none."""
    if not course.named_last or any(read.named for read in exchange.user):
        return False
    named = {each.key for each in exchange.named}
    return 2 * len(named & course.offered) < len(named)


def _answers_another(exchange: Exchange, heard: str) -> bool:
    """Return whether a reply answers, but not what was asked: who directs instead of who plays, no year,
    no name."""
    told = straight(" ".join(read.text for read in exchange.reply))
    if _WHICH_ONE.search(heard):
        names = len({each.key for each in exchange.named})
        return names > A_NAME or not (names or _THE_ONE.search(told))
    if _WHICH.search(heard):
        return not exchange.named
    brief = len(exchange.said) <= BRIEF
    return any(
        one.asked.search(heard) and not one.told.search(told) and one.another.search(told)
        for one in _ASKED
        if brief or not one.brief
    )


def _stated(texts: Iterable[str]) -> str:
    """Return what texts state: what they ask tells nothing."""
    lines = [span.of(text) for text in texts for span in sentences(text)]
    return " ".join(line for line in lines if not line.rstrip("\"' ").endswith("?"))


def stated_words(exchange: Exchange, offered: tuple[Named, ...]) -> frozenset[str]:
    """The words of topic in a reply's statements; where it offers something, without the titles and what offers them."""
    if not offered:
        return frozenset(content_words(words(_stated(read.text for read in exchange.reply))))
    plain = [read.untitled for read in exchange.reply]
    lines = [span.of(line) for line in plain for span in sentences(line)]
    told = [line for line in lines if not reply_acts(line).keys() & {ReplyAct.RECOMMEND, ReplyAct.APOLOGISE}]
    return frozenset(word for word in content_words(words(_stated(told))) if not word.isdecimal())


def _speaks_of_another(exchange: Exchange) -> bool:
    """Return whether the reply names an item, but none of those asked about, by no word of their titles."""
    asked = {named.key for read in exchange.user for named in read.named}
    answered = {named.key for named in exchange.named}
    if not asked or not answered or asked & answered:
        return False
    if any(_OF_IT.search(straight(read.text)) for read in exchange.reply):
        return False
    words = {word for key in asked for word in key.split() if len(word) > 3}
    return not words & frozenset(exchange.said)


def only_to_know(exchange: Exchange) -> bool:
    """Return whether the user wants to know something of an item and no item: "give me some details about
    it"."""
    heard = " ".join(read.text for read in exchange.user)
    return bool(_TO_KNOW.search(heard)) and not _TO_HAVE.search(heard)
