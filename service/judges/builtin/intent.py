"""What the user wanted of a reply, and what the reply leaves undone of it."""

import re
from collections.abc import Iterable, Iterator

from ...text.acts import ReplyAct, UserAct, is_brief
from ...text.reasons import find_reason
from ...text.repetition import overlap
from ...text.spans import blank
from ...text.topics import akin, comparable
from ...text.words import content_words, sentences, straight, words
from .faults import FINE, HOW, Course
from .naming import Named, kinds_offered
from .reading import Exchange

_POLAR_QUESTION = re.compile(
    r"(?:\A|[.!?,;\n]\s?|\b(?:and|but|so|then|ok|okay|yes|no|well|hm+) )(?:is|are|was|were|do|does|did|have|has|can|could|will|would|isn't|aren't)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"\b(?:these|those|them|they|both|the (?:first|second|third|last|other|list|movies?|films?|books?|ones?)|of (?:the|your)|each|all of|number \d|order|rank)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:any(?:thing)? (?:others?|else)|another(?: one)?|something else|others\?)(?!\w)", re.IGNORECASE
)
_ASKS_KIND = re.compile(
    r"\b(?:kinds?|types?|sorts?|genres?|what (?:movies|films|books|music|food)|looking for)\b", re.IGNORECASE
)
_ASKS_TASK = re.compile(r"\b(?:what|how) (?:can|may|could) i (?:help|assist|do)\b", re.IGNORECASE)
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
_TO_HAVE = re.compile(
    r"\brec+om+|\bsuggest|\b(?:another|other|different|else|similar|want|looking|need|find|watch|prefer|new"
    r"|how about|what about)\b",
    re.IGNORECASE,
)
#: Questions after one thing, each with what tells it and, where an answer may be a bare name, what tells another thing.
_ASKED = (
    (
        re.compile(
            r"\bwho (?:directed|made|is the director)\b|\bthe director\b|\bdirected (?:it|that|this)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\bdirect|\bby\b|\bmade\b", re.IGNORECASE),
        re.compile(r"\bstar(?:s|red|ring)?\b|\bactors?\b|\bplay(?:s|ed)\b", re.IGNORECASE),
    ),
    (
        re.compile(
            r"\bwho (?:stars?|plays?|acts?|acted|(?:is|are|was|were) in)\b|\bthe (?:cast|actors?)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\bstar|\bact(?:or|ress|s|ed)|\bplay|\bwith\b|\bcast\b|\bfeatur|\bin it\b", re.IGNORECASE
        ),
        re.compile(r"\bdirect(?:ed|or)\b|\bwritten\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:what|which) year\b|\bwhen (?:was|did|is) (?:it|that|this|the)\b", re.IGNORECASE),
        re.compile(
            r"\d\d|\b(?:years? ago|last|this|next|century|recent|today|yesterday|old|new|soon|just)",
            re.IGNORECASE,
        ),
        re.compile(r""),
    ),
    (
        re.compile(r"\bhow many\b", re.IGNORECASE),
        re.compile(
            r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozens?|no|none|couple|few|several|many|lots?|only|all)\b",
            re.IGNORECASE,
        ),
        re.compile(r""),
    ),
)
#: A question after the name of an item.
_WHICH = re.compile(
    r"\A\W*(?:(?:ok|okay|so|and|well|but) )?which (?:ones?|are|is it|movies?|films?|books?)\W*\Z"
    r"|\b(?:name|title) of (?:the|this|that) (?:movie|film|book|one|song|show|place)\b"
    r"|\b(?:specify|provide|give me|what is|tell me) (?:the|its) (?:name|title)\b"
    r"|\bwhat(?:'s| is| was) (?:it|this|that|the) ?(?:movie|film|book|one)? called\b",
    re.IGNORECASE,
)
#: What gives a reason in whatever words.
_PURPOSE = re.compile(r"\bbecause\b|\bin order to\b|\bso that\b|(?:\A|[.!] )to [a-z]+\b", re.IGNORECASE)
_ENJOY = re.compile(r"\bhope (?:that )?you(?:'ll| will)? (?:enjoy|like|love)\b", re.IGNORECASE)
#: From this share of fitting items an offer is of the right kind.
MOSTLY = 0.6
#: Messages of up to so many words are answers to a question rather than talk.
BARE = 4
_SATISFIED = frozenset({UserAct.THANK, UserAct.CLOSE, UserAct.ACCEPT})
_LEADING = frozenset({ReplyAct.ELICIT, ReplyAct.OFFER})
_MORE = re.compile(
    r"\?|\b(?:another|other|others|different|else|want|looking|need|find|can you|could you|give|any|more|show)\b",
    re.IGNORECASE,
)
_TASTES = frozenset({UserAct.REQUEST, UserAct.PREFER, UserAct.REJECT, UserAct.SEEN})


def unserved(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what the reply leaves undone of what the user wanted."""
    if not exchange.heard:
        return
    wants, acts = exchange.wants, exchange.acts
    asks = bool(wants & {UserAct.WHY, UserAct.INQUIRE}) or _names_in_question(exchange)
    if asks and _only_to_know(exchange):
        yield from _question(exchange, offered, course)
    elif seeks_items(exchange):
        if not (asks and not list(_question(exchange, offered, course))):
            yield from _request(exchange, offered, course)
    elif asks:
        yield from _question(exchange, offered, course)
    elif UserAct.COMPLAIN in wants:
        yield from _objection(exchange, offered)
    elif wants & {UserAct.CLOSE, UserAct.THANK}:
        if offered and not acts & {ReplyAct.WELCOME, ReplyAct.CLOSE, ReplyAct.OFFER, ReplyAct.ELICIT}:
            yield "pushes-on"
    elif wants and wants <= {UserAct.GREET} and offered and not acts & _LEADING and not course.wanted:
        yield "too-soon"
    yield from _poor_offers(exchange, offered, course)


def seeks_items(exchange: Exchange) -> bool:
    """Whether the user wants suggestions: by asking, by naming a wish, by refusing or knowing what was
    offered, or by a bare answer that names a kind or an item."""
    wants = exchange.wants
    if UserAct.REQUEST in wants:
        closing = wants & {UserAct.THANK, UserAct.CLOSE}
        return not closing or any(_MORE.search(read.text) for read in exchange.user)
    if UserAct.CLOSE in wants or (wants & _SATISFIED and UserAct.REJECT not in wants):
        return False
    if wants & _TASTES:
        return True
    if wants - {UserAct.GREET, UserAct.CONFIRM}:
        return False
    said = [read for read in exchange.user if read.words]
    if any(read.kinds or read.named for read in said):
        return True
    return not wants and not all(is_brief(read.text, 1) for read in said)


def _chats(exchange: Exchange) -> bool:
    """Whether the user tells of tastes and films seen without asking for anything, and the reply takes
    that up in kind: talk between two who know films, no miss."""
    if exchange.wants - _TASTES - {UserAct.CONFIRM} or UserAct.REQUEST in exchange.wants:
        return False
    told = {word for read in exchange.user for word in read.topic}
    if len(exchange.heard) <= BARE and not any(read.named for read in exchange.user):
        return False
    shared = told & frozenset(exchange.said)
    return bool(shared) or bool(
        exchange.acts & {ReplyAct.PRAISE, ReplyAct.UNAWARE, ReplyAct.ASK, ReplyAct.INFORM}
    )


def _only_to_know(exchange: Exchange) -> bool:
    """Whether the user wants to know something of an item and no item: "give me some details about it"."""
    heard = " ".join(read.text for read in exchange.user)
    return bool(_TO_KNOW.search(heard)) and not _TO_HAVE.search(heard)


def _names_in_question(exchange: Exchange) -> bool:
    """A bare "and Blue Harbour?"."""
    return UserAct.REQUEST not in exchange.wants and any(
        read.named and read.text.rstrip().endswith("?") for read in exchange.user
    )


def _request(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """A request: met by fresh items, or by asking what is open."""
    acts = exchange.acts
    if offered:
        return
    if acts & {ReplyAct.ELICIT, ReplyAct.OFFER} and not _presumes_offer(exchange, course):
        said = frozenset(exchange.said)
        if any(overlap(said, old) >= 0.6 for old in course.asked):
            yield "asks-again"
        elif (
            UserAct.REQUEST in exchange.wants and any(_ASKS_TASK.search(r.text) for r in exchange.reply)
        ) or (
            any(read.wishes for read in exchange.user)
            and any(_ASKS_KIND.search(read.text) for read in exchange.reply)
        ):
            yield "asks-known"
    elif _chats(exchange) and not (ReplyAct.CLOSE in acts and any(read.kinds for read in exchange.user)):
        yield "only-chats"
    elif ReplyAct.CLOSE in acts:
        yield "farewell"
    elif ReplyAct.RECOMMEND in acts and not exchange.named:
        yield "no-item-named"
    elif exchange.named or (ReplyAct.INFORM in acts and UserAct.REQUEST not in exchange.wants):
        yield "talks-past"
    elif ReplyAct.ASK not in acts or UserAct.REQUEST in exchange.wants:
        yield "nothing-offered"


def _presumes_offer(exchange: Exchange, course: Course) -> bool:
    """Whether the reply hopes that the user enjoys what was never offered."""
    hopes = any(_ENJOY.search(read.text) for read in exchange.reply)
    return hopes and not (course.offered or exchange.named)


def _question(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
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
    back = bool(_REFERS_BACK.search(heard))
    named = {each.key for each in exchange.named}
    if offered and back and not named <= course.offered:
        return False
    fresh = _stated_words(exchange) - frozenset(exchange.heard)
    states = not acts & {ReplyAct.UNAWARE, ReplyAct.CLOSE} or ReplyAct.INFORM in acts
    enough = 2 if ReplyAct.INFORM in acts or ReplyAct.PRAISE not in acts else 4
    if not offered and states and len(fresh) >= enough:
        return True
    if ReplyAct.CONFIRM in acts and not offered and _POLAR_QUESTION.search(heard):
        return True
    return (
        bool(named)
        and ReplyAct.CLOSE not in acts
        and "about" not in heard
        and bool(_NAME_WANTED.search(heard))
    )


def _answers_another(exchange: Exchange, heard: str) -> bool:
    """Whether a reply answers, but not what was asked: who directs instead of who plays, no year, no name."""
    told = straight(" ".join(read.text for read in exchange.reply))
    if _WHICH.search(heard):
        return not exchange.named
    return any(
        asked.search(heard) and not right.search(told) and wrong.search(told)
        for asked, right, wrong in _ASKED
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


def _objection(exchange: Exchange, offered: tuple[Named, ...]) -> Iterator[str]:
    acts = exchange.acts
    if acts & {ReplyAct.APOLOGISE, ReplyAct.ELICIT, ReplyAct.OFFER}:
        return
    if offered:
        yield "only-offers"
    elif ReplyAct.INFORM not in acts:
        yield "not-repaired"


def _poor_offers(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """What is wrong with the items offered, as far as the conversation and the catalogue tell."""
    keys = {named.key for named in offered}
    if not keys:
        return
    heard = " ".join(read.text for read in exchange.user)
    if keys & course.refused:
        yield "turned-down"
    elif keys <= course.offered and (
        _OTHERS.search(heard) or not (UserAct.INQUIRE in exchange.wants or _REFERS_BACK.search(heard))
    ):
        yield "offered-before"
    if all(named.item is None for named in offered) and course.catalogued:
        yield "unknown-items"
    known = kinds_offered(offered)
    compared = [kinds for kinds in known if comparable(course.wanted, kinds)]
    if compared:
        fitting = sum(akin(course.wanted, kinds) for kinds in compared) / len(compared)
        if fitting < MOSTLY:
            yield "partly-wrong" if fitting else "wrong-kind"
    dated = [named.year for named in offered if named.year]
    if dated and course.years and not any(year in years for year in dated for years in course.years):
        yield "wrong-time"
    told = {
        kind for read in exchange.reply for _, kinds, positive in read.kinds if positive for kind in kinds
    }
    if course.unwanted & told or sum(bool(kinds & course.unwanted) for kinds in known) * 2 > len(known):
        yield "unwanted-kind"
