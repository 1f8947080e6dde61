"""One reading of a case, shared by all factors: acts, titles, kinds, faults of every message."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from sys import intern

from ....domain.conversation import ConversationLog, Item, Message, Role, Turn
from ....text.patterns import Finder
from ....text.words import Span, blank, content_words, outside, sentences, straight, word_spans
from ...inquiry import Case, ListSource
from .acts.acts import (
    VARIED,
    Act,
    Figures,
    Fit,
    ReplyAct,
    UserAct,
    list_entries,
    reply_acts,
    sentiment,
    user_acts,
)
from .content.reasons import find_reason
from .content.topics import find_kinds, kinds_of
from .wording.language import (
    circling,
    find_degenerate,
    find_errors,
    find_stutters,
    is_english,
    is_other_language,
)

_STATED = Finder(
    r"\b(?:(?:that|this|it|he|she|those|these|they|which|neither|none of (?:them|those|these)|\w+)(?:'s| is| are| was| were|isn't|aren't) "
    r"|(?:is|are|was|were|do|does) (?:it|that|this|they|these|those|any of (?:them|these|those)) )[^.!?,;\n]{0,60}"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A title in a message; `item` is None where only the text marks it as a title. `key` is equal for
    two spellings of one title, the year left out; `year` is that of the item, where it is known."""

    start: int
    end: int
    surface: str
    item: Item | None
    key: str
    year: int | None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, "title")


def kinds_offered(named: Iterable[Named]) -> list[frozenset[str]]:
    """Return what is known of the kinds of these items; items without are left out."""
    return [kinds for name in named if name.item and (kinds := kinds_of(name.item))]


@dataclass(frozen=True)
class Read:
    """A message as the rules see it. `text` is what was read of it: cut to a limit, sentences that
    talk to a judge blanked, and after it what its cards suggest; positions are those of `message.content`."""

    index: int
    message: Message
    text: str
    cut: bool
    steering: tuple[Span, ...]
    named: tuple[Named, ...]
    #: Acts that the encoder's heads hear in it: they count where patterns show none of these.
    heard: frozenset[UserAct | ReplyAct] = frozenset()
    #: The meaning of a bare yes or no of the user, after an offer of the reply before it.
    meant: UserAct | None = None

    @property
    def is_user(self) -> bool:
        return self.message.role is Role.USER

    def prepared(self) -> "Read":
        """The same, with what judging the replies will ask for at hand."""
        _ = (self.does, self.wishes) if self.is_user else (self.acts, self.broken)
        return self

    @property
    def unmasked(self) -> str:
        """Return what was read, with the sentences that talk to a judge."""
        return self.message.content[: len(self.text)]

    @property
    def is_silent(self) -> bool:
        """Return whether a reply is a list of items without a word."""
        return bool(self.message.recommendations) and not self.message.content.strip()

    @property
    def tokens(self) -> tuple[Span, ...]:
        """Return its words where they stand. Not kept: of thousands of messages they take more than all else."""
        return word_spans(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple([intern(token.kind) for token in self.tokens])

    @cached_property
    def stutters(self) -> list[Span]:
        """Words and phrases that follow themselves at once."""
        return find_stutters(self.tokens)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def topic(self) -> frozenset[str]:
        return frozenset(content_words(self.words))

    @cached_property
    def does(self) -> dict[UserAct, Span]:
        """Return what a user's message does, each act with the stretch that shows it: the whole text where a head hears it."""
        if self.meant:
            return {act: Span(0, len(self.text), act) for act in (self.meant, UserAct.CONFIRM)}
        return self._with_heard(UserAct, user_acts(self.text)) if self.is_user else {}

    @cached_property
    def acts(self) -> dict[ReplyAct, Span]:
        """Return what a reply does, likewise."""
        return {} if self.is_user else self._with_heard(ReplyAct, reply_acts(self.text))

    def _with_heard(self, acts: type[Act], shown: dict[Act, Span]) -> dict[Act, Span]:
        """Return what patterns show and, where they show none of the acts that heads hear, what these hear."""
        if not shown.keys().isdisjoint(VARIED["user" if self.is_user else "reply"]):
            return shown
        return {**{act: Span(0, len(self.text), act) for act in acts if act in self.heard}, **shown}

    @cached_property
    def feeling(self) -> float:
        """The feeling in its words, -1 to 1."""
        return sentiment(self.words)

    @cached_property
    def untitled(self) -> str:
        """The text without its titles: "The Story of Us" gives no reason."""
        return blank(self.text, (named.span for named in self.named))

    @cached_property
    def reason(self) -> Span | None:
        """The first reason that a reply gives for what it recommends."""
        return find_reason(self.untitled)

    @cached_property
    def errors(self) -> tuple[Span, ...]:
        """Obvious errors of language in a reply."""
        return tuple(find_errors(self.text, self.names, tokens=self.tokens, stutters=self.stutters))

    @cached_property
    def kinds(self) -> list[tuple[Span, frozenset[str], bool]]:
        """The kinds of items it names outside titles, and whether it wants them."""
        found = find_kinds(self.text, self.tokens)
        clear = set(outside((span for span, _, _ in found), (named.span for named in self.named)))
        return [each for each in found if each[0] in clear]

    @cached_property
    def wishes(self) -> list[tuple[frozenset[str], bool]]:
        """The kinds that a user asks for or turns down. A statement about an item ("that is not a comedy, it is horror") is no
        wish. Nor is a question about one ("is it a comedy?")."""
        if not self.is_user:
            return []
        stated = [Span(m.start(), m.end(), "stated") for m in _STATED.finditer(straight(self.text))]
        clear = set(outside((span for span, _, _ in self.kinds), stated))
        return [(kinds, positive) for span, kinds, positive in self.kinds if span in clear]

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """Stretches that are right as they stand: titles, list entries."""
        return (*(named.span for named in self.named), *list_entries(self.text))

    @cached_property
    def faults(self) -> tuple[Span, ...]:
        """Broken stretches and sentences of a reply."""
        found = find_degenerate(self.text, self.names, stutters=self.stutters)
        if len(self.words) >= 12:
            for sentence in sentences(self.text):
                kind = circling(sentence.of(self.text))
                if kind:
                    found += outside([Span(sentence.start, sentence.end, kind)], found)
        return tuple(sorted(found))

    @cached_property
    def broken(self) -> float:
        """The share of a reply's words that stand in a sentence with a broken stretch, 0-1."""
        if not self.words or not self.faults:
            return 1.0 if self.faults else 0.0
        whole = sentences(self.text)
        bad = set(whole) - set(outside(whole, self.faults))
        return 1 - len(outside(self.tokens, bad)) / len(self.tokens)


@lru_cache(maxsize=512)
def _shared(acts: frozenset[Act]) -> frozenset[Act]:
    """The first of all equal sets: many turns have the same."""
    return acts


def _joined(side: Sequence[Read]) -> tuple[str, ...]:
    """The words of a side; those of a single message as they are, without a copy."""
    return side[0].words if len(side) == 1 else tuple(word for read in side for word in read.words)


@dataclass(frozen=True)
class Exchange:
    """A turn as read: the user's run of messages, then the recommender's."""

    turn: Turn
    user: tuple[Read, ...]
    reply: tuple[Read, ...]

    @cached_property
    def wants(self) -> frozenset[UserAct]:
        """All that the user does in the turn."""
        return _shared(frozenset(act for read in self.user for act in read.does))

    @cached_property
    def acts(self) -> frozenset[ReplyAct]:
        """All that the recommender does in the turn."""
        return _shared(frozenset(act for read in self.reply for act in read.acts))

    @cached_property
    def named(self) -> tuple[Named, ...]:
        return tuple(named for read in self.reply for named in read.named)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The words of the reply."""
        return _joined(self.reply)

    @cached_property
    def heard(self) -> tuple[str, ...]:
        """The words of the user."""
        return _joined(self.user)

    @property
    def broken(self) -> float:
        """The share of the reply's words that stand in broken sentences."""
        total = len(self.said)
        if not total:
            return max((read.broken for read in self.reply), default=0.0)
        return sum(read.broken * len(read.words) for read in self.reply) / total


@dataclass(frozen=True)
class Reading:
    """A case, read once."""

    case: Case
    messages: tuple[Read, ...]
    history: tuple[Read, ...] = field(default=())
    #: For the first message of every reply that was held against the user's turn before it, how surely it belongs there.
    fits: Mapping[int, Fit] = field(default_factory=dict)
    #: Acts and satisfaction that the encoder's heads hear in every message, by its index, where the replies are judged.
    learned: Mapping[int, Figures] = field(default_factory=dict)

    @property
    def log(self) -> ConversationLog:
        return self.case.log

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        def pick(indices: Iterable[int]) -> tuple[Read, ...]:
            return tuple(self.messages[index] for index in indices)

        return tuple(Exchange(turn, pick(turn.user), pick(turn.assistant)) for turn in self.log.turns)

    @cached_property
    def closing(self) -> tuple[Read, ...]:
        """The user's messages after the last reply."""
        last = self.log.replies[-1] if self.log.replies else -1
        return tuple(read for read in self.messages[last + 1 :] if read.message.is_seen)

    def after(self, turn: int) -> tuple[Read, ...]:
        """The user's messages after a turn's reply, before the next one."""
        return self.exchanges[turn + 1].user if turn + 1 < len(self.exchanges) else self.closing

    @cached_property
    def replies(self) -> tuple[Read, ...]:
        return tuple(self.messages[index] for index in self.log.replies)

    @cached_property
    def foreign_replies(self) -> bool:
        """Return whether the recommender speaks something else than English, or says no word of English to a
        user who does: "Elbette, Ayla." alone could be a name."""
        return _foreign(self.replies) or (
            self._foreign_user and not any(is_english(r.words) for r in self.replies)
        )

    @cached_property
    def foreign(self) -> bool:
        """Return whether either side does."""
        return self.foreign_replies or self._foreign_user

    @cached_property
    def _foreign_user(self) -> bool:
        return _foreign(read for read in self.messages if read.is_user)

    @cached_property
    def offers(self) -> tuple[tuple[Exchange, tuple[Named, ...]], ...]:
        """For each turn the titles that the recommender recommends in its text: named in a reply that
        recommends, and not brought up by the user before."""
        raised = {named.key for read in self.history if read.is_user for named in read.named}
        found = []
        for exchange in self.exchanges:
            raised |= {named.key for read in exchange.user for named in read.named}
            found.append((exchange, tuple(_offered(exchange, raised))))
        return tuple(found)

    @property
    def reads_text_lists(self) -> bool:
        """Return whether recommended items are read from the replies' text instead of their lists."""
        source = self.case.list_source
        return source is ListSource.TEXT or (source is ListSource.AUTO and not self.log.has_lists)

    @cached_property
    def session_list(self) -> tuple[str, ...]:
        """The session's recommended items: from the lists, or the titles recommended in the text."""
        if not self.reads_text_lists:
            return self.log.session_list(self.case.list_cutoff)
        shown: dict[str, str] = {}
        for _, offered in self.offers:
            for named in offered[: self.case.list_cutoff]:
                shown.setdefault(named.key, named.item.title if named.item else named.surface)
        return tuple(shown.values())

    def item(self, reference: str) -> Item | None:
        """Return what is known of a recommended item."""
        return self.case.catalogue.match(reference) if self.case.catalogue else None


def _foreign(side: Iterable[Read]) -> bool:
    reads = list(side)
    return is_other_language(
        [word for read in reads for word in read.words], " ".join(read.untitled for read in reads)
    )


def _offered(exchange: Exchange, raised: set[str]) -> Iterable[Named]:
    asked = exchange.wants & {UserAct.INQUIRE, UserAct.WHY} and UserAct.REQUEST not in exchange.wants
    # A bare "a comedy" asks for suggestions as well.
    bare = not exchange.wants - {UserAct.GREET, UserAct.CONFIRM} and any(read.kinds for read in exchange.user)
    requested = bare or bool(exchange.wants & WANTS_ITEMS)
    if ReplyAct.RECOMMEND not in exchange.acts and (
        asked or not any(_presents(r, requested=requested) for r in exchange.reply)
    ):
        return
    seen: set[str] = set()
    for named in exchange.named:
        # "I want one from 2024", "2024 is a great one": the user's own word, and no title.
        said_back = named.item is None and any(named.surface in read.text for read in exchange.user)
        if named.key not in raised and named.key not in seen and not said_back:
            seen.add(named.key)
            yield named


def _presents(read: Read, *, requested: bool) -> bool:
    """Return whether a reply puts an item forward without a verb of recommending: by its bare title, by
    praise, or by naming it at all where suggestions were asked for."""
    bare = sum(named.end - named.start for named in read.named) * 2 >= len(read.text.strip())
    named = requested and ReplyAct.UNAWARE not in read.acts
    return bool(read.named) and (bare or named or ReplyAct.PRAISE in read.acts)


#: After these a title that is named is suggested.
WANTS_ITEMS = frozenset({UserAct.REQUEST, UserAct.REJECT, UserAct.SEEN})
