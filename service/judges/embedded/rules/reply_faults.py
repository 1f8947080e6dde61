"""Find faults of a reply whatever the user said, and faults that the user's next message shows."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....catalogue.catalogue import Catalogue
from ....grounding.money import price_limit
from ....text.patterns import Finder
from ....text.words import content_words, sentences, straight, words
from ..observations.acts.acts import ReplyAct, UserAct
from ..observations.content.topics import Asked, find_kinds, read_asked, wanted_number
from ..observations.reading import Exchange, Named, Read
from ..observations.wording.language import overlap

#: Replies before one that a near repetition is looked for in.
LOOK_BACK = 12
ALIKE = 0.8
#: Under this share of words that no earlier reply used, a reply brings little new.
LITTLE_NEW = 0.35
#: Losses that the user's next message brings, whatever the reply was in itself.
AFTERMATH = frozenset({"objected", "asked-again"})
#: With one of these the user goes on from a reply, by whatever words.
_MOVES_ON = frozenset({UserAct.THANK, UserAct.ACCEPT, UserAct.CLOSE, UserAct.INQUIRE, UserAct.WHY})
#: Over this share of words in broken sentences a reply is broken as a whole.
BROKEN = 0.3

_PERSON = Finder(r"\A\W*(?:(?:yes|no|sure|ok|okay|well|also|and|but|oh)\b\W*){0,3}(?:i think )?(?:he|she)\b")
_SOMEBODY = Finder(
    r"\b(?:who|he|she|his|her|him|they|actor|actress|director|author|writer|man|woman|guy|girl|boy|singer|chef|artist|host|wife|husband|friend|mother|mom|father|dad|daughter|son|sister|brother|kid|child)\b"
)
_FULL_NAME = re.compile(
    r"\b(?!(?:The|An?|Yes|No|It|Is|I)\b)[A-Z][a-z]+ (?:[A-Z]\.? )?(?!(?:The|I)\b)[A-Z][a-z]+"
)
#: A reply that begins with an item: "it is", "that's a", "I haven't seen that one".
_SOMETHING = Finder(
    r"\A\W*(?:(?:yes|no|sure|ok|okay|well|oh|hm+)\b\W*){0,3}(?:it(?:'s| is| was| has| stars?| takes| tells) "
    r"|that(?:'s| is| was) (?:an? (?!must\b)|my |the )|thats? an? |(?:that|this) (?:movie|film|one|book)\b"
    r"|i (?:have not|haven't|havent|have never|have|did not|didn't|never|really|also|do )?(?:seen?|watch(?:ed)?|heard of|loved?|liked?|enjoyed)"
    r" (?:it|that|this)(?: (?:movie|film|one|book))?\b)"
)
_REFERS = Finder(r"\b(?:it|that|this|one|he|she|they|them|those|these)\b|\blike\b|[\"\u201c]")
_CLAIMED = Finder(
    r"\b(?:since|as|because) you(?:'ve| have)? (?:already |just )?(?:asked|said|mentioned|wanted|like|love|enjoy|liked|loved|enjoyed)\b(?: for| about| that| to)?(?P<what>[^.!?,;\n]{2,60})"
)
_YES = Finder(r"\A\W*(?:yes|yeah|yep|yup)\b")
_ASKS_SEEN = Finder(
    r"\b(?:have you|you have|you've|did you)(?: ever| already)? (?:see|seen|watch|watched|read|play|played|hear|heard|try|tried)\b"
    r"[^.?!\n]{0,200}\?|\A\W*(?:ever )?seen\b[^.?!\n]{0,200}\?"
)
_POLAR = Finder(r"\?|\b(?:is|are|was|were|do|does|did|have|has|had|can|could|would|will|should|you)\b")
FINE = Finder(r"\bi(?:'m| am) (?:good|fine|doing (?:well|good|great|fine)|great|well)\b(?! (?:at|with|for))")
HOW = Finder(
    r"\byou\?|\byourself\b|\b[wh]bu\b|\bhow (?:are|r|is it|have|do|you)\b|\bwhat'?s up\b|\bwass?up\b"
)
_SEEN = Finder(
    r"\bi(?:'ve| have) (?:seen|watched|read)\b|\bi saw\b|\bi (?:really )?(?:loved|liked|enjoyed) (?:it|that)\b"
)
_UNSEEN = Finder(
    r"\bi (?:have not|haven't|havent|have never|did not|didn't|never)(?: yet)? (?:seen?|watch(?:ed)?|read|saw)\b|\bi've never (?:seen|watched|read)\b"
)


#: In how many turns an item that was named is still spoken of as "it".
RECALLED, NEVER = 3, 100
A_WORD_OR_TWO = 2
#: Words of a claim that say nothing of which item is meant.
ANY_ITEM = frozenset({"movie", "movies", "film", "films", "book", "books", "show", "shows", "recommendation", "recommendations",
                       "suggestion", "suggestions", "similar", "good", "great"})  # fmt: skip


#: Words of a message without an act of its own that may name the time that items are wanted of.
BARE_TIME = 8


def questions_of(exchange: Exchange) -> Iterator[tuple[str, ...]]:
    """The questions of a reply, each as its words."""
    for read in exchange.reply:
        for sentence in sentences(read.text):
            asked = sentence.of(read.text)
            if asked.rstrip(" \"')*").endswith("?"):
                yield tuple(words(asked))


@dataclass
class Course:
    """The course of the conversation up to a reply: titles by key, kinds, what else is asked of items,
    word sets."""

    offered: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    wanted: frozenset[str] = frozenset()
    unwanted: set[str] = field(default_factory=set)
    asked: Asked = field(default_factory=Asked)
    asked_before: Asked = field(default_factory=Asked)
    number: int | None = None
    limit: float | None = None
    last_offer: tuple[Named, ...] = ()
    said: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=LOOK_BACK))
    texts: set[tuple[str, ...]] = field(default_factory=set)
    questions: list[frozenset[str]] = field(default_factory=list)
    #: Questions of earlier replies, word for word.
    asked_aloud: set[tuple[str, ...]] = field(default_factory=set)
    vocabulary: set[str] = field(default_factory=set)
    last_text: str = ""
    started: bool = False
    catalogue: Catalogue | None = None
    #: True where suggested items have titles: films do, dishes do not.
    titled: bool = True
    named_last: bool = False
    since_named: int = NEVER
    heard: set[str] = field(default_factory=set)

    def hear(self, exchange: Exchange) -> None:
        """Apply what the user's side of a turn changes."""
        wishes = [wish for read in exchange.user for wish in read.wishes]
        self.heard |= frozenset(exchange.heard)
        wanted = frozenset(kind for kinds, positive in wishes if positive for kind in kinds)
        self.unwanted -= wanted
        self.unwanted |= {
            kind for kinds, positive in wishes if not positive and len(kinds) == 1 for kind in kinds
        }
        self.wanted = wanted or self.wanted
        if exchange.wants & {UserAct.SEEN, UserAct.REJECT} and UserAct.INQUIRE not in exchange.wants:
            named = {named.key for read in exchange.user for named in read.named}
            self.refused |= named or {named.key for named in self.last_offer}
        elif exchange.user and _YES.search(exchange.user[0].text) and _ASKS_SEEN.search(self.last_text):
            self.refused |= {named.key for named in self.last_offer}
        for read in exchange.user:
            self.limit = price_limit(read.text) or self.limit
        requests = UserAct.REQUEST in exchange.wants
        if exchange.wants & {UserAct.REJECT, UserAct.COMPLAIN}:  # what was offered did not meet the wish
            self.asked = self.asked_before.then(self.asked, anew=False)
        if requests or UserAct.PREFER in exchange.wants or any(read.kinds for read in exchange.user):
            self.asked = self.asked.then(read_asked(exchange.user, self.catalogue), anew=requests)
        elif not exchange.wants and len(exchange.heard) <= BARE_TIME:  # "from the nineties!"
            self.asked = self.asked.then(read_asked(exchange.user, None), anew=False)
        self.number = (
            wanted_number(read.text for read in exchange.user) if requests or not exchange.wants else None
        )

    def remember(self, exchange: Exchange, offered: tuple[Named, ...]) -> None:
        """Apply what the recommender's side changes for the turns to come."""
        self.offered |= {named.key for named in offered}
        # A wish for a time, people or a series holds until something was offered.
        if offered:
            self.asked_before, self.asked = self.asked, Asked()
        self.last_offer = offered or self.last_offer
        self.said.append(frozenset(exchange.said))
        self.texts.add(exchange.said)
        self.vocabulary |= frozenset(exchange.said)
        if ReplyAct.ELICIT in exchange.acts:
            self.questions.append(frozenset(exchange.said))
        self.asked_aloud |= set(questions_of(exchange))
        self.last_text = exchange.reply[-1].text
        self.named_last = bool(exchange.named)
        named = self.named_last or any(read.named for read in exchange.user)
        self.since_named = 0 if named else self.since_named + 1
        self.started = True


def own_faults(exchange: Exchange, course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what is wrong with a reply in itself, or beside what was said before."""
    said = exchange.said
    if not said:
        yield "empty"
        return
    if exchange.broken > BROKEN:
        yield "broken"
    if len(said) >= 4 and said in course.texts:
        yield "repeats"
    elif len(said) >= 6 and any(overlap(frozenset(said), old) >= ALIKE for old in course.said):
        yield "nearly-repeats"
    elif len(said) >= 4 and _little_new(exchange, course):
        yield "little-new"
    if len(said) >= 4 and overlap(frozenset(said), frozenset(exchange.heard)) >= 0.9:
        yield "echoes"
    if any(contradicts_itself(read) for read in exchange.reply):
        yield "contradicts-itself"
    yield from _out_of_place(exchange, course)


def _little_new(exchange: Exchange, course: Course) -> bool:
    """Return whether a reply names no new item, tells no new number and has few words that no reply had before. What was
    accepted is said again."""
    said = frozenset(exchange.said)
    if UserAct.ACCEPT in exchange.wants or any(word.isdecimal() for word in said - course.vocabulary):
        return False
    if any(not frozenset(named.key.split()) <= course.vocabulary for named in exchange.named):
        return False
    return len(said - course.vocabulary) < LITTLE_NEW * len(said)


def _out_of_place(exchange: Exchange, course: Course) -> Iterator[str]:
    text = straight(exchange.reply[0].text)
    heard = " ".join(read.text for read in exchange.user)
    if _PERSON.search(text) and not any(
        _SOMEBODY.search(before) or _FULL_NAME.search(before) for before in (heard, course.last_text)
    ):
        yield "dangling"
    elif _speaks_of_nothing(exchange, course, text, heard):
        yield "of-nothing"
    if _misquotes(text, course):
        yield "misquotes"
    asked_how = bool(HOW.search(heard))
    agrees = exchange.wants & {
        UserAct.PREFER,
        UserAct.ACCEPT,
        UserAct.COMPLAIN,
        UserAct.SEEN,
        UserAct.THANK,
        UserAct.CLOSE,
    }
    # A reply may agree with a statement of the user, but not with a request, a greeting, or a word or two.
    tells = len(exchange.heard) > A_WORD_OR_TWO and not (
        exchange.wants & {UserAct.REQUEST, UserAct.GREET, UserAct.INQUIRE, UserAct.WHY}
        or any(read.kinds for read in exchange.user)
    )
    untold = _YES.search(text) and not (_POLAR.search(heard) or agrees or tells)
    if exchange.user and (untold or (FINE.search(text) and not asked_how)):
        yield "answers-nothing"
    if (
        course.started
        and ReplyAct.GREET in exchange.reply[0].acts
        and not (UserAct.GREET in exchange.wants or asked_how)
    ):
        yield "greets-again"


def _speaks_of_nothing(exchange: Exchange, course: Course, text: str, heard: str) -> bool:
    """Return whether a reply to a wish begins with an item, and nobody has named one lately."""
    named = course.since_named < RECALLED or any(read.named for read in exchange.user)
    leaves = exchange.wants & {UserAct.THANK, UserAct.CLOSE}
    if named or leaves or not exchange.user or not _SOMETHING.search(text) or _REFERS.search(heard):
        return False
    return UserAct.REQUEST in exchange.wants or any(read.kinds for read in exchange.user)


def _misquotes(text: str, course: Course) -> bool:
    """Return whether a reply relies on what the user is to have said, and no word of it was said."""
    for match in _CLAIMED.finditer(text):
        claimed = frozenset(content_words(words(match["what"]))) - ANY_ITEM
        if claimed and not find_kinds(match["what"]) and not claimed & (course.heard | course.vocabulary):
            return True
    return False


def aftermath(exchange: Exchange, later: tuple[Read, ...], course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what the user's next message shows about the reply."""
    if any(UserAct.COMPLAIN in read.does for read in later):
        yield "objected"
    after = frozenset(word for read in later for word in read.topic)
    before = frozenset(word for read in exchange.user for word in read.topic)
    if (len(after) >= 2 and overlap(after, before) >= 0.6) or _restates(exchange, later, after, course):
        yield "asked-again"


def _restates(exchange: Exchange, later: tuple[Read, ...], after: frozenset[str], course: Course) -> bool:
    """Return whether the user says what they have said before and the reply does not touch: "they can't
    walk far"."""
    if not after or any(read.does.keys() & _MOVES_ON for read in later):
        return False
    return after <= course.heard and 2 * len(after & frozenset(exchange.said)) < len(after)


def contradicts_itself(read: Read) -> bool:
    """Return whether one reply both knows an item and does not: "I have not seen it. I really liked it."."""
    plain = straight(read.text)
    several = len({named.key for named in read.named}) > 1
    return not several and bool(_SEEN.search(plain)) and bool(_UNSEEN.search(plain))
