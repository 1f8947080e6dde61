"""One reading of a log, shared by all factors: its faults, acts, language and items."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...catalogue.title_guesses import Verbatim, guess_titles
from ...domain.conversation import ConversationLog, Message, Role
from ...domain.verdict import DetectedFault
from ...prompt_injection.detection import find_steering
from ...text.language import is_english, is_other_language
from ...text.unanswered import asks
from ...text.words import Span, blank, words
from ..computed.detect import detect_computed, plain_log
from ..computed.quantities import limits_kept
from ..computed.texts import may_leak
from ..evaluation import JudgeInput, ListSource
from .learned import Learned, read_learned

NEED_A_REQUEST = frozenset({"abandons", "declines", "ignores-question"})
"""Faults of replies to a user who wants something."""
REPEATED = frozenset({"ignores-exclusion", "breaks-constraint", "wrong-kind", "repeats-refused", "loops"})
"""Faults that show, in a reply to an objection, that the mistake is repeated."""
REPEATED_PROBABILITY = 0.8
"""Probability that the objection was to such a fault."""
LIKELY = 0.5
"""Probability from which a message is taken to do something."""


@dataclass(frozen=True)
class ConversationFeatures:
    """A log, read once. `plain` is the log as it was read: cut to a limit, without words to a judge."""

    judge_input: JudgeInput
    plain: ConversationLog
    learned: Learned
    computed: tuple[DetectedFault, ...]

    @property
    def log(self) -> ConversationLog:
        return self.judge_input.log

    @cached_property
    def faults(self) -> tuple[DetectedFault, ...]:
        """Every fault of every reply, however improbable. Computed faults replace the detector's, and so does what
        code rules out."""
        computed = (*self.computed, *self._not_corrected)
        known = {(one.message, one.fault) for one in computed}
        known |= {(at, fault) for at in self._after_no_request for fault in NEED_A_REQUEST}
        known |= {(at, "wrong-language") for at in self._in_no_english}
        replies = ((at, self.plain.messages[at].content) for at in self.log.replies)
        known |= {(at, "template-leak") for at, text in replies if not may_leak(text)}
        known |= {(at, "breaks-constraint") for at in limits_kept(self.plain)}
        return (
            *computed,
            *(one for one in self.learned.faults if (one.message, one.fault) not in known),
        )

    @property
    def _not_corrected(self) -> Iterator[DetectedFault]:
        """Replies to an objection that repeat an offer proved wrong."""
        proved = {one.message: one for one in self.computed if one.certain and one.fault in REPEATED}
        for at in self.answering_objections:
            if at in proved:
                quotes = proved[at].quotes
                yield DetectedFault("not-corrected", at, REPEATED_PROBABILITY, quotes=quotes)

    @property
    def _after_no_request(self) -> Iterator[int]:
        """The replies to users who want nothing."""
        open_request = False
        for at, message in enumerate(self.plain.messages):
            if message.role is Role.USER:
                open_request = open_request or asks(message)
            elif message.is_reply:
                if not open_request:
                    yield at
                open_request = False

    @property
    def _in_no_english(self) -> Iterator[int]:
        """The replies without English words to users who have used none: the detector knows English alone."""
        for at, message in enumerate(self.plain.messages):
            if is_english(words(message.content)):
                if message.role is Role.USER:
                    return
            elif message.is_reply:
                yield at

    def does(self, at: int, act: str) -> bool:
        """Return whether a message does something, by `detector.ACTS`."""
        return self.learned.acts.get(at, {}).get(act, 0.0) >= LIKELY

    @cached_property
    def recommending(self) -> tuple[int, ...]:
        """The replies that recommend: those that show items, and those that the detector says do."""
        return tuple(
            at
            for at in self.log.replies
            if self.log.messages[at].recommendations or self.does(at, "recommends")
        )

    @cached_property
    def answering_objections(self) -> tuple[int, ...]:
        """The replies to a user who points out a mistake."""
        found = []
        objected = False
        for at, message in enumerate(self.log.messages):
            if message.role is Role.USER:
                objected = objected or self.does(at, "objects")
            elif message.is_reply:
                if objected:
                    found.append(at)
                objected = False
        return tuple(found)

    @cached_property
    def steered(self) -> tuple[int, ...]:
        """The messages that speak to a judge."""
        reach = self.judge_input.reach
        return tuple(at for at, each in enumerate(self.log.messages) if find_steering(each.content[:reach]))

    @cached_property
    def foreign_replies(self) -> bool:
        """Return whether the recommender speaks another language, or no English to a user of another
        language."""
        replies = [self.plain.messages[at] for at in self.log.replies]
        return _foreign(replies) or (
            _foreign(self._users) and not any(is_english(words(each.content)) for each in replies)
        )

    @cached_property
    def foreign(self) -> bool:
        """Return whether either side speaks something else than English."""
        return self.foreign_replies or _foreign(self._users)

    @property
    def _users(self) -> list[Message]:
        return [each for each in self.plain.messages if each.role is Role.USER]

    @property
    def reads_text_lists(self) -> bool:
        """Return whether recommended items are read from the text."""
        source = self.judge_input.list_source
        return source is ListSource.TEXT or (source is ListSource.AUTO and not self.log.has_lists)

    @cached_property
    def session_list(self) -> tuple[str, ...]:
        """The session's recommended items: from the lists, or the known items that replies name before the user does."""
        if not self.reads_text_lists:
            return self.log.session_list(self.judge_input.list_cutoff)
        found: dict[str, bool] = {}
        for at, message in enumerate(self.log.messages):
            cutoff = self.judge_input.list_cutoff if message.is_reply else None
            for title in self.named(at)[:cutoff]:
                found.setdefault(title, message.is_reply)
        return tuple(title for title, is_offered in found.items() if is_offered)

    def named(self, at: int) -> list[str]:
        """The titles of the known items that a message's text names, in order."""
        text = self.plain.messages[at].content
        titles = self.judge_input.grounding.sources.titles
        found = [(each.start, each.end, each.item.title) for each in titles.find(text)] if titles else []
        for place, title in self._listed.find(text):
            if not any(place.start < end and start < place.end for start, end, _ in found):
                found.append((place.start, place.end, title))
        return [title for _, _, title in sorted(found)]

    @cached_property
    def _listed(self) -> Verbatim:
        """The titles that the log's own lists write down."""
        references = dict.fromkeys(
            each for message in self.log.messages for each in message.recommendations or ()
        )
        known = ((self.judge_input.item(each), each) for each in references)
        return Verbatim([item.title if item else each for item, each in known])


def _foreign(side: Iterable[Message]) -> bool:
    text = " ".join(_untitled(each.content) for each in side)
    return is_other_language(words(text), text)


def _untitled(text: str) -> str:
    """Return a text without its titles, which may be in any language."""
    return blank(text, (Span(each.start, each.end, "title") for each in guess_titles(text)))


async def read_features(judge_input: JudgeInput, *, learned: bool = True) -> ConversationFeatures:
    """Read a log in a thread, so that the event loop goes on. `learned` says whether the detector reads it, too."""
    return await asyncio.to_thread(_read, judge_input, learned=learned)


def _read(judge_input: JudgeInput, *, learned: bool) -> ConversationFeatures:
    plain = plain_log(judge_input)
    features = ConversationFeatures(judge_input, plain, Learned(), detect_computed(judge_input, plain))
    if not learned or features.foreign or not plain.replies:
        return features
    return ConversationFeatures(
        judge_input, plain, read_learned(plain, judge_input.grounding), features.computed
    )
