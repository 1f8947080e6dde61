"""Each reply against what the user wanted of it: the ground of coherence, recoverability, proactiveness.

A reply starts with the full 4 points and loses some for each thing that shows it to miss the user's intent. All weights
stand in `LOSSES`; a reply that keeps less than `MISSED` points misses.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...text.acts import ReplyAct, UserAct, is_brief
from ...text.reasons import find_reason
from ...text.repetition import overlap
from ...text.topics import akin
from ...text.words import excerpt, straight
from .finding import Exhibit
from .reading import Exchange, Named, Read, Reading, kinds_offered

FULL = 4.0
MISSED = 2.0
#: Replies before this one that a repetition is looked for in.
LOOK_BACK = 12
ALIKE = 0.8

#: Points lost, and how a rationale puts it.
LOSSES: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        "empty": (4.0, "says nothing"),
        "broken": (3.0, "is broken as a text"),
        "nothing-offered": (3.0, "neither suggests anything nor asks, though the user wanted suggestions"),
        "no-item-named": (2.5, "speaks of an item without naming one, though the user wanted suggestions"),
        "talks-past": (2.0, "goes on about an item instead of suggesting one"),
        "farewell": (3.5, "takes its leave while the user is still asking"),
        "greets-again": (2.5, "greets in the middle of the conversation"),
        "asks-again": (2.5, "asks what it has asked before"),
        "wrong-kind": (2.5, "offers another kind than the user asked for"),
        "unwanted-kind": (2.0, "offers a kind that the user turned down"),
        "offered-before": (2.5, "offers again what it has offered before"),
        "turned-down": (2.5, "offers what the user has seen or turned down"),
        "question-ignored": (3.0, "does not answer the question"),
        "question-thin": (2.0, "answers the question with praise alone"),
        "question-unknown": (1.5, "says that it does not know"),
        "other-item": (2.5, "speaks of another item than the one asked about"),
        "no-reason": (2.5, "gives no reason though asked for one"),
        "not-repaired": (2.5, "passes over the user's objection"),
        "pushes-on": (2.0, "goes on recommending though the user was closing"),
        "repeats": (2.5, "repeats an earlier reply word for word"),
        "nearly-repeats": (1.5, "says nearly what an earlier reply said"),
        "echoes": (3.0, "hands the user's own words back"),
        "contradicts-itself": (2.0, "contradicts itself"),
        "objected": (1.5, "draws an objection from the user"),
        "asked-again": (1.5, "leaves the user to ask the same again"),
    }
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn's reply: the points it keeps, 0-4, and why it lost the others (`kinds`, keys of `LOSSES`).
    `guides` says whether it moves the user on; `answers` whether it serves what was wanted, whatever the user did next."""

    exchange: Exchange
    score: float
    kinds: tuple[str, ...]
    guides: bool
    answers: bool
    fresh: tuple[Named, ...]

    @property
    def missed(self) -> bool:
        return self.score < MISSED

    @property
    def exhibit(self) -> Exhibit:
        """The reply, with its heaviest reason."""
        read = self.exchange.reply[0]
        if not self.kinds:
            return Exhibit(read, excerpt(read.text), "serves what the user wanted")
        reasons = sorted(self.kinds, key=lambda kind: -LOSSES[kind][0])[:2]
        return Exhibit(
            read, excerpt(read.text), " and ".join(LOSSES[kind][1] for kind in reasons), FULL - self.score
        )


@dataclass
class Course:
    """What has happened so far, as the replies are gone through."""

    offered: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    wanted: frozenset[str] = frozenset()
    unwanted: set[str] = field(default_factory=set)
    last_offer: tuple[Named, ...] = ()
    said: list[frozenset[str]] = field(default_factory=list)
    texts: set[tuple[str, ...]] = field(default_factory=set)
    asked: list[frozenset[str]] = field(default_factory=list)
    started: bool = False


def judge_replies(reading: Reading) -> tuple[Judged, ...]:
    """Every turn's reply, in order."""
    course = Course(started=bool(reading.history))
    judged = []
    offers = reading.offers
    for index, (exchange, offered) in enumerate(offers):
        later = offers[index + 1][0].user if index + 1 < len(offers) else reading.closing
        judged.append(_judge(exchange, offered, later, course))
    return tuple(judged)


def _judge(exchange: Exchange, offered: tuple[Named, ...], later: tuple[Read, ...], course: Course) -> Judged:
    _hear(exchange, course)
    own = list(_own_faults(exchange, course))
    served = [] if "empty" in own else list(_unserved(exchange, offered, course))
    after = list(_aftermath(exchange, later))
    kinds = tuple(dict.fromkeys([*own, *served, *after]))
    score = max(0.0, FULL - sum(LOSSES[kind][0] for kind in kinds))
    fresh = tuple(named for named in offered if named.key not in course.offered)
    judged = Judged(exchange, score, kinds, _guides(exchange, own, fresh), not own and not served, fresh)
    _remember(exchange, offered, course)
    return judged


def _hear(exchange: Exchange, course: Course) -> None:
    """What the user's side of a turn changes."""
    if not exchange.user:
        return
    wishes = [wish for read in exchange.user for wish in read.wishes]
    wanted = frozenset(kind for kinds, positive in wishes if positive for kind in kinds)
    course.unwanted -= wanted
    course.unwanted |= {
        kind for kinds, positive in wishes if not positive and len(kinds) == 1 for kind in kinds
    }
    if wanted:
        course.wanted = wanted
    about = {named.key for read in exchange.user for named in read.named} or {
        n.key for n in course.last_offer
    }
    if exchange.wants & {UserAct.SEEN, UserAct.REJECT} and UserAct.INQUIRE not in exchange.wants:
        course.refused |= about


def _remember(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> None:
    course.offered |= {named.key for named in offered}
    if offered:
        course.last_offer = offered
    course.said.append(frozenset(exchange.said))
    course.texts.add(exchange.said)
    if ReplyAct.ELICIT in exchange.acts:
        course.asked.append(frozenset(exchange.said))
    course.started = True


def _own_faults(exchange: Exchange, course: Course) -> Iterator[str]:
    """What is wrong with a reply whatever the user said."""
    said = exchange.said
    if not said:
        yield "empty"
        return
    if exchange.broken > 0.3:
        yield "broken"
    if len(said) >= 4 and said in course.texts:
        yield "repeats"
    elif len(said) >= 6 and any(overlap(frozenset(said), old) >= ALIKE for old in course.said[-LOOK_BACK:]):
        yield "nearly-repeats"
    if len(said) >= 4 and overlap(frozenset(said), frozenset(exchange.heard)) >= 0.9:
        yield "echoes"
    if any(contradicts_itself(read.text) for read in exchange.reply):
        yield "contradicts-itself"


def _aftermath(exchange: Exchange, later: tuple[Read, ...]) -> Iterator[str]:
    """What the user's next message shows about the reply."""
    does = {act for read in later for act in read.does}
    if UserAct.COMPLAIN in does:
        yield "objected"
    next_words = frozenset(word for read in later for word in read.topic)
    before = frozenset(word for read in exchange.user for word in read.topic)
    if len(next_words) >= 2 and overlap(next_words, before) >= 0.6:
        yield "asked-again"


def _unserved(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """What the reply leaves undone of what the user wanted."""
    wants, acts = exchange.wants, exchange.acts
    if not exchange.user:
        return
    seeks = _seeks_items(exchange)
    if not seeks and wants & {UserAct.WHY, UserAct.INQUIRE}:
        yield from _question(exchange, offered)
    elif seeks and wants & {UserAct.WHY, UserAct.INQUIRE} and not list(_question(exchange, offered)):
        return
    elif seeks:
        yield from _request(exchange, offered, course)
    elif UserAct.COMPLAIN in wants:
        if not offered and not acts & {ReplyAct.APOLOGISE, ReplyAct.ELICIT, ReplyAct.INFORM, ReplyAct.OFFER}:
            yield "not-repaired"
    elif (
        wants & {UserAct.CLOSE, UserAct.THANK}
        and ReplyAct.RECOMMEND in acts
        and not acts
        & {
            ReplyAct.WELCOME,
            ReplyAct.CLOSE,
            ReplyAct.OFFER,
            ReplyAct.ASK,
        }
    ):
        yield "pushes-on"
    yield from _offer_faults(offered, course)


def _seeks_items(exchange: Exchange) -> bool:
    """Whether the user wants suggestions: by asking, by naming a wish, by refusing or knowing what was
    offered, or by a bare answer that names a kind or an item."""
    wants = exchange.wants
    if wants & {UserAct.REQUEST, UserAct.PREFER, UserAct.REJECT, UserAct.SEEN}:
        return True
    if wants & {UserAct.INQUIRE, UserAct.WHY, UserAct.COMPLAIN, UserAct.THANK, UserAct.CLOSE, UserAct.ACCEPT}:
        return False
    bare = [read for read in exchange.user if read.words]
    return any(read.kinds or read.named for read in bare) or not (
        wants or all(is_brief(r.text, 1) for r in bare)
    )


def _request(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """A request: met by fresh items of the right kind, or by asking what is open."""
    acts = exchange.acts
    if offered:
        return
    if ReplyAct.ELICIT in acts or ReplyAct.OFFER in acts:
        said = frozenset(exchange.said)
        if any(overlap(said, old) >= 0.6 for old in course.asked):
            yield "asks-again"
    elif ReplyAct.CLOSE in acts:
        yield "farewell"
    elif ReplyAct.GREET in acts and course.started:
        yield "greets-again"
    elif ReplyAct.RECOMMEND in acts and not exchange.named:
        yield "no-item-named"
    elif exchange.named or (ReplyAct.INFORM in acts and UserAct.REQUEST not in exchange.wants):
        yield "talks-past"
    elif ReplyAct.ASK not in acts or UserAct.REQUEST in exchange.wants:
        yield "nothing-offered"


def _question(exchange: Exchange, offered: tuple[Named, ...]) -> Iterator[str]:
    """A question about an item, or for reasons: met by information on it."""
    acts = exchange.acts
    if UserAct.WHY in exchange.wants:
        if not any(find_reason(read.text) or "because" in read.vocabulary for read in exchange.reply):
            yield "no-reason"
        return
    asked = {named.key for read in exchange.user for named in read.named}
    answered = {named.key for named in exchange.named}
    if asked and answered and not asked & answered:
        yield "other-item"
    fresh = frozenset(exchange.said) - frozenset(exchange.heard)
    informs = ReplyAct.INFORM in acts and len(fresh) >= 3
    which = bool(answered - asked) and _asks_for_a_name(exchange)
    if informs or ReplyAct.CONFIRM in acts or (which and ReplyAct.CLOSE not in acts):
        return
    if ReplyAct.UNAWARE in acts:
        yield "question-unknown"
    elif ReplyAct.PRAISE in acts and not offered and ReplyAct.ASK not in acts:
        yield "question-thin"
    elif ReplyAct.CLOSE in acts:
        yield "farewell"
    elif offered or acts or len(fresh) < 4:
        yield "question-ignored"


def _asks_for_a_name(exchange: Exchange) -> bool:
    """Whether a title is an answer: "which one is it?", "what film was that?"."""
    heard = frozenset(exchange.heard)
    return bool(heard & {"which", "name", "any", "called", "titled"}) or (
        "what" in heard
        and bool(heard & {"movie", "movies", "film", "films", "book", "one", "ones", "best", "other"})
    )


def _offer_faults(offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    keys = {named.key for named in offered}
    if not keys:
        return
    if keys & course.refused:
        yield "turned-down"
    elif keys <= course.offered:
        yield "offered-before"
    known = kinds_offered(offered)
    if known and course.wanted and not any(akin(course.wanted, kinds) for kinds in known):
        yield "wrong-kind"
    if known and course.unwanted and sum(bool(kinds & course.unwanted) for kinds in known) * 2 > len(known):
        yield "unwanted-kind"


def _guides(exchange: Exchange, own: list[str], fresh: tuple[Named, ...]) -> bool:
    """Whether a reply moves the user on: asks about wishes, makes an offer, suggests something new."""
    if {"empty", "broken", "repeats", "echoes"} & set(own):
        return False
    return bool(fresh) or bool(exchange.acts & {ReplyAct.ELICIT, ReplyAct.OFFER, ReplyAct.ASK})


_SEEN = (
    "i have seen",
    "i've seen",
    "i saw",
    "i have watched",
    "i loved it",
    "i liked it",
    "i really liked",
    "i enjoyed",
)
_UNSEEN = ("i have not seen", "i haven't seen", "i have never seen", "i've never seen", "i did not see", "i haven't watched",
           "i have not watched", "i havent seen", "never seen")  # fmt: skip


def contradicts_itself(text: str) -> bool:
    """Whether one reply both knows an item and does not: "I have not seen it. I really liked it."."""
    plain = straight(text).lower()
    return any(known in plain for known in _SEEN) and any(unknown in plain for unknown in _UNSEEN)
