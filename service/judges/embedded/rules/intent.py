"""Compare the user's wish with what a reply does about it."""

import re
from collections.abc import Iterable, Iterator

from ....grounding.money import prices
from ....text.words import straight, words
from ..observations.acts.acts import ReplyAct, UserAct, is_brief, list_entries
from ..observations.content.topics import akin, comparable
from ..observations.reading import Exchange, Named, Read, kinds_offered
from ..observations.wording.language import overlap
from .answering import REFERS_BACK, only_to_know, question, stated_words
from .reply_faults import Course

_ASKS_KIND = re.compile(
    r"\b(?:kinds?|types?|sorts?|genres?|what (?:movies|films|books|music|food)|looking for)\b", re.IGNORECASE
)
_ASKS_TASK = re.compile(r"\b(?:what|how) (?:can|may|could) i (?:help|assist|do)\b", re.IGNORECASE)
_OF_USER = re.compile(r"\b(?:you|your)\b[^.!?\n]{0,120}\?", re.IGNORECASE)
_OF_THESE = re.compile(r"\bor\b|\b(?:of|between) (?:those|these|them)\b", re.IGNORECASE)
_UNSEEN = re.compile(
    r"\b(?:not|never|n't)(?: \w+)? (?:see|seen|watched|heard|read|played|tried)\b", re.IGNORECASE
)
_PROMISES = re.compile(
    r"\bi (?:can|will|would be (?:happy|glad) to)(?: \w+)? (?:help|assist)\b", re.IGNORECASE
)
_INVITES = re.compile(r"\b(?:let me know|feel free|if (?:you|there))\b", re.IGNORECASE)
_CALLS = re.compile(r"\?|\b(?:please|tell|can you|could you|explain|describe|give)\b", re.IGNORECASE)
_ENJOY = re.compile(r"\bhope (?:that )?you(?:'ll| will)? (?:enjoy|like|love)\b", re.IGNORECASE)
_THING_FIRST = re.compile(
    r"(?:\A\W{0,3}|[.!] )(?:(?:yes|sure|of course|okay|ok|great|then)\b\W{1,2})?(?:an?|the|some) \w",
    re.IGNORECASE,
)
#: A name that stands where no sentence begins, behind an article, or in two words: "for a view, Mount Lowe", "The
#: Zirbenweg", "Da Marco".
_PROPER = re.compile(
    r"(?:(?<=[a-z,;] )|(?<=\bThe ))(?!I\b)[A-Z][\w'-]{1,40}|\b[A-Z][\w'-]{1,40} (?!I\b)[A-Z0-9][\w'-]{0,40}"
)
#: New words of topic from which on a reply tells of a thing.
DESCRIBED = 3
#: Messages of up to so many words are answers to a question rather than talk.
BARE = 4
_SATISFIED = frozenset({UserAct.THANK, UserAct.CLOSE, UserAct.ACCEPT})
_LEADING = frozenset({ReplyAct.ELICIT, ReplyAct.OFFER})
_GREETS = frozenset({ReplyAct.GREET, ReplyAct.WELCOME, ReplyAct.ASK})
_MORE = re.compile(
    r"\?|\b(?:another|other|others|different|else|want|looking|need|find|can you|could you|give|any|more|show)\b",
    re.IGNORECASE,
)
_TASTES = frozenset({UserAct.REQUEST, UserAct.PREFER, UserAct.REJECT, UserAct.SEEN})


def unserved(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what the reply leaves undone of what the user wanted."""
    if not exchange.heard:
        return
    wants = exchange.wants
    inquires = wants & {UserAct.WHY, UserAct.INQUIRE} and not _leaves(exchange)
    asks = bool(inquires) or _names_in_question(exchange)
    if asks and only_to_know(exchange):
        yield from question(exchange, offered, course)
    elif seeks_items(exchange):
        if not (asks and _may_answer(exchange) and not list(question(exchange, offered, course))):
            yield from _request(exchange, offered, course)
    elif asks:
        yield from question(exchange, offered, course)
    elif UserAct.COMPLAIN in wants:
        yield from _objection(exchange, offered)
    else:
        yield from _courtesy(exchange, offered, course)
    yield from poor_offers(exchange, offered, course)


def _courtesy(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Thanks, a farewell, a greeting: not met by suggestions, and a first greeting by something."""
    wants, acts = exchange.wants, exchange.acts
    if wants & {UserAct.CLOSE, UserAct.THANK}:
        # Thanks for a promise, or in answer to a question, leave the user waiting for more.
        waits = UserAct.CLOSE not in wants and (not course.offered or "?" in course.last_text)
        if offered and not waits and not acts & {ReplyAct.WELCOME, ReplyAct.CLOSE, *_LEADING}:
            yield "pushes-on"
    elif wants == {UserAct.GREET} and not acts & _LEADING and not course.wanted:
        if offered:
            yield "too-soon"
        elif not (course.started or acts & _GREETS or frozenset(exchange.said) & frozenset(exchange.heard)):
            yield "passes-greeting"


def seeks_items(exchange: Exchange) -> bool:
    """Return whether the user wants suggestions: by asking, by naming a wish, or by refusing or knowing what was offered. A bare
    answer that names a kind or an item does so too."""
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


def _may_answer(exchange: Exchange) -> bool:
    """Return whether a reply may meet a message that asks for items and about something alike by what it
    tells: not where the message ends on the request, names no item, and neither does the reply, which asks
    nothing."""
    last = exchange.user[-1]
    ends_on_request = UserAct.REQUEST in last.does and not any(read.named for read in exchange.user)
    return not ends_on_request or bool(exchange.named or exchange.acts & _LEADING)


def _chats(exchange: Exchange) -> bool:
    """Return whether the user tells of tastes and films seen without asking for anything, and the reply
    takes that up in kind: talk between two who know films, no miss."""
    if exchange.wants - _TASTES - {UserAct.CONFIRM} or UserAct.REQUEST in exchange.wants:
        return False
    told = {word for read in exchange.user for word in read.topic}
    if len(exchange.heard) <= BARE and not any(read.named for read in exchange.user):
        return False
    shared = told & frozenset(exchange.said)
    return bool(shared) or bool(
        exchange.acts & {ReplyAct.PRAISE, ReplyAct.UNAWARE, ReplyAct.ASK, ReplyAct.INFORM}
    )


def _leaves(exchange: Exchange) -> bool:
    """Thanks or a farewell that asks for nothing: "I'll see which ones are on tonight, thanks"."""
    closing = exchange.wants & {UserAct.THANK, UserAct.CLOSE}
    return bool(closing) and not any(_CALLS.search(read.text) for read in exchange.user)


def _names_in_question(exchange: Exchange) -> bool:
    """A bare "and Blue Harbour?"."""
    return UserAct.REQUEST not in exchange.wants and any(
        read.named and read.text.rstrip().endswith("?") for read in exchange.user
    )


def _request(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """A request: met by fresh items, or by asking what is open."""
    acts = exchange.acts
    if offered or (not course.titled and describes(exchange, course)):
        return
    if _only_promises(exchange):
        yield "only-promises"
    elif acts & _LEADING and not _presumes_offer(exchange, course):
        yield from _needless(exchange, course)
    elif _chats(exchange) and not (ReplyAct.CLOSE in acts and any(read.kinds for read in exchange.user)):
        yield "only-chats"
    elif ReplyAct.CLOSE in acts:
        yield "farewell"
    elif ReplyAct.RECOMMEND in acts and not exchange.named:
        yield "no-item-named"
    elif exchange.named or (ReplyAct.INFORM in acts and UserAct.REQUEST not in exchange.wants):
        yield "only-chats" if _tells_more(exchange, course) else "talks-past"
    elif ReplyAct.ASK not in acts or (UserAct.REQUEST in exchange.wants and not _asks_user(exchange)):
        yield "nothing-offered"


def describes(exchange: Exchange, course: Course) -> bool:
    """Return whether a reply suggests a thing that has no title: "a frittata: soften the spinach", or one
    that has a name alone: "the Zirbenweg stays flat all the way"."""
    if exchange.acts & {ReplyAct.UNAWARE, ReplyAct.CLOSE}:
        return False
    puts_forward = ReplyAct.RECOMMEND in exchange.acts or _THING_FIRST.search(exchange.reply[0].text)
    if not puts_forward and not _introduces(exchange, course):
        return False
    return len(stated_words(exchange, ()) - frozenset(exchange.heard)) >= DESCRIBED


def _introduces(exchange: Exchange, course: Course) -> bool:
    """Return whether the reply has a name that nobody said before it."""
    return any(
        not set(words(name.group())) <= course.heard | course.vocabulary
        for read in exchange.reply
        for name in _PROPER.finditer(straight(read.text))
    )


def _asks_user(exchange: Exchange) -> bool:
    """Return whether the reply asks something of the user that no list of wishes holds: "is it an old
    injury, and has a doctor told you to avoid anything?"."""
    return not exchange.broken and any(_OF_USER.search(straight(read.text)) for read in exchange.reply)


def _tells_more(exchange: Exchange, course: Course) -> bool:
    """Return whether the reply tells of an item that was offered and that the user says not to know."""
    if UserAct.REQUEST in exchange.wants or ReplyAct.INFORM not in exchange.acts or not course.offered:
        return False
    return any(_UNSEEN.search(straight(read.text)) for read in exchange.user)


def _needless(exchange: Exchange, course: Course) -> Iterator[str]:
    """A question that was asked before, or answered."""
    said = frozenset(exchange.said)
    asks = [read.text for read in exchange.reply]
    if any(overlap(said, old) >= 0.6 for old in course.questions):
        yield "asks-again"
    elif (UserAct.REQUEST in exchange.wants and any(_ASKS_TASK.search(text) for text in asks)) or (
        any(read.wishes for read in exchange.user)
        and any(_ASKS_KIND.search(read.text) for read in exchange.reply if not _narrows(read))
    ):
        yield "asks-known"


def _narrows(read: Read) -> bool:
    """Return whether a question goes into a kind or offers alternatives: "what type of horror?", "old or
    new ones?"."""
    return bool(read.kinds or _OF_THESE.search(read.text))


def _only_promises(exchange: Exchange) -> bool:
    """Return whether the reply to a request says that it can help, and neither does nor asks for what it
    needs."""
    if UserAct.REQUEST not in exchange.wants or exchange.acts & {ReplyAct.ELICIT, ReplyAct.ASK}:
        return False
    told = " ".join(read.text for read in exchange.reply)
    return bool(_PROMISES.search(told)) and not _INVITES.search(told)


def _presumes_offer(exchange: Exchange, course: Course) -> bool:
    """Return whether the reply hopes that the user enjoys what was never offered."""
    hopes = any(_ENJOY.search(read.text) for read in exchange.reply)
    return hopes and not (course.offered or exchange.named)


def _objection(exchange: Exchange, offered: tuple[Named, ...]) -> Iterator[str]:
    acts = exchange.acts
    if acts & {ReplyAct.APOLOGISE, ReplyAct.ELICIT, ReplyAct.OFFER}:
        return
    if offered:
        yield "only-offers"
    elif ReplyAct.INFORM not in acts:
        yield "not-repaired"


_OTHERS = re.compile(
    r"\b(?:any(?:thing)? (?:others?|else)|another(?: one)?|something else|others\?)(?!\w)", re.IGNORECASE
)
#: From this share of fitting items an offer is of the right kind.
MOSTLY = 0.6


def poor_offers(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what is wrong with the items offered."""
    told = _told(exchange)
    costs = [price for read in exchange.reply for price in prices(read.text)] if course.limit else []
    if course.limit and costs and min(costs) > course.limit:
        yield "too-dear"
    if not offered:
        if course.unwanted & told and ReplyAct.ELICIT in exchange.acts:
            yield "unwanted-kind"
        return
    yield from _known_already(exchange, offered, course)
    if all(named.item is None for named in offered) and course.catalogue:
        yield "unknown-items"
    known = kinds_told(exchange, offered)
    yield from _misfit(known, course)
    yield from course.asked.missed_by(offered)
    number = len({named.key for named in offered})
    if course.number and (number > 1 if course.number == 1 else number < course.number):
        yield "wrong-number"
    unwanted = [kinds for kinds in known if kinds & course.unwanted]
    if course.unwanted & told or (unwanted and 2 * len(unwanted) >= len(known)):
        yield "unwanted-kind"


def kinds_told(exchange: Exchange, offered: Iterable[Named]) -> list[frozenset[str]]:
    """Return what is known of the kinds of the items that a reply offers: by the catalogue or, where that
    tells of none, by what the reply says."""
    told = _told(exchange)
    return kinds_offered(offered) or ([told] if told else [])


def _told(exchange: Exchange) -> frozenset[str]:
    """The kinds that a reply speaks of, outside titles and without turning them down."""
    kinds = (each for read in exchange.reply for each in read.kinds)
    return frozenset(kind for _, named, positive in kinds if positive for kind in named)


def _known_already(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Items that the user has turned down, was offered before, or has named."""
    keys = {named.key for named in offered}
    heard = " ".join(read.text for read in exchange.user)
    if keys & course.refused:
        yield "turned-down"
    elif keys <= course.offered and (
        _OTHERS.search(heard)
        or not (exchange.wants & {UserAct.INQUIRE, UserAct.ACCEPT} or REFERS_BACK.search(heard))
    ):
        yield "offered-before"
    examples = {named.key for read in exchange.user for named in read.named}
    again = examples and any(named.key in examples for named in exchange.named)
    if again and UserAct.REQUEST in exchange.wants and any(list_entries(r.text) for r in exchange.reply):
        yield "named-back"


def _misfit(known: list[frozenset[str]], course: Course) -> Iterator[str]:
    """Items of these kinds, of another kind than the user asked for."""
    compared = [kinds for kinds in known if comparable(course.wanted, kinds)]
    if compared:
        fitting = sum(akin(course.wanted, kinds) for kinds in compared) / len(compared)
        if fitting < MOSTLY:
            yield "partly-wrong" if fitting else "wrong-kind"
