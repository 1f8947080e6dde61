"""Minimal pairs and rated conversations, samples of them stratified by fault, and what makes a pair minimal."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from random import Random
from statistics import fmean

from ..domain.conversation import ConversationLog, Message, Role
from ..errors import FieldError

NO_REPLY = "no-reply"
LONG = 5
"""Replies beyond which one fault hardly moves a log's score: the reply's own points decide there."""


@dataclass(frozen=True)
class MinimalPair:
    """A good conversation and the same with one fault. `message` is the index in the good one of the reply that has the
    fault in the bad one. `reacts` says that the user of the bad one reacts to it, so that later messages may differ."""

    id: str
    fault: str
    message: int
    good: ConversationLog
    bad: ConversationLog
    language: str = "en"
    reacts: bool = False
    writer: str | None = None

    @property
    def is_long(self) -> bool:
        """Return whether the good conversation has more than `LONG` replies."""
        return len(self.good.replies) > LONG

    @property
    def spoiled(self) -> tuple[int, ...]:
        """Indices in the bad conversation at which a judge may place the fault: the reply, or the user messages around a
        missing one."""
        if self.fault != NO_REPLY:
            return (self.message,)
        after = self.message
        while after < len(self.bad.messages) and self.bad.messages[after].role is Role.USER:
            after += 1
        return tuple(range(self.message - 1, after))


@dataclass(frozen=True)
class ExamConversation:
    """A conversation with ratings of the whole, 0-4, by rater and factor; each rater has `overall`."""

    id: str
    log: ConversationLog
    ratings: Mapping[str, Mapping[str, float]]

    @property
    def overall(self) -> float:
        return fmean(rater["overall"] for rater in self.ratings.values())


@dataclass(frozen=True)
class Exam:
    """Pairs and rated conversations."""

    pairs: tuple[MinimalPair, ...]
    rated: tuple[ExamConversation, ...] = ()

    @property
    def ids(self) -> list[str]:
        """Return the ids of the pairs, then those of the rated conversations."""
        return [*(one.id for one in self.pairs), *(one.id for one in self.rated)]


def narrowed(exam: Exam, *, faults: Collection[str] = (), ids: Collection[str] = ()) -> Exam:
    """Keep the pairs of these faults, and what has these ids; empty keeps all. Rated conversations have no fault."""
    pairs = (one for one in exam.pairs if not faults or one.fault in faults)
    rated = () if faults else exam.rated
    return replace(
        exam,
        pairs=tuple(one for one in pairs if not ids or one.id in ids),
        rated=tuple(one for one in rated if not ids or one.id in ids),
    )


def sampled(exam: Exam, size: int, seed: int) -> Exam:
    """Draw `size` pairs, as evenly over the faults as there are pairs, and as large a share of the rated conversations.
    The same seed draws the same."""
    if size >= len(exam.pairs):
        return exam
    random = Random(seed)  # noqa: S311 - a sample, not a secret
    by_fault: dict[str, list[MinimalPair]] = {}
    for pair in exam.pairs:
        by_fault.setdefault(pair.fault, []).append(pair)
    piles = [random.sample(pile, len(pile)) for pile in by_fault.values()]
    random.shuffle(piles)
    drawn = [one for one in chain.from_iterable(zip_longest(*piles)) if one is not None][:size]
    rated = random.sample(exam.rated, round(len(exam.rated) * size / len(exam.pairs)))
    chosen = {one.id for one in drawn}
    return replace(exam, pairs=tuple(one for one in exam.pairs if one.id in chosen), rated=tuple(rated))


def pair_errors(pair: MinimalPair, faults: Mapping[str, object]) -> Iterator[FieldError]:
    """Yield what is wrong with a pair, each by its field: an unknown fault, a message that is no reply, a difference that is not minimal."""
    good, bad, at = pair.good.messages, pair.bad.messages, pair.message
    if pair.fault not in faults:
        yield FieldError("fault", "no such fault", "GET /faults lists the faults")
    if at >= len(good):
        yield FieldError("message", f"beyond the {len(good)} messages of `good`", "count messages from 0")
    elif good[at].role is not Role.ASSISTANT:
        yield FieldError("message", "not a reply of the recommender", "give the index of the faulty reply")
    elif pair.fault == NO_REPLY:
        yield from _missing_reply(pair, good, bad)
    else:
        yield from _changed_message(pair, good, bad)


def _missing_reply(
    pair: MinimalPair, good: Sequence[Message], bad: Sequence[Message]
) -> Iterator[FieldError]:
    at = pair.message
    if tuple(bad[:at]) != tuple(good[:at]) or tuple(bad) == tuple(good):
        yield FieldError(
            "bad", f"must be `good` without message {at}", "leave out that reply and nothing before it"
        )
    elif not at or good[at - 1].role is not Role.USER:
        yield FieldError(
            "message", "follows no message of the user", "leave out a reply that a user waits for"
        )
    elif tuple(bad[at:]) != tuple(good[at + 1 :]) and not pair.reacts:
        yield FieldError(
            "bad", f"must be `good` without message {at}", "leave out only that reply, or set `reacts`"
        )


def _changed_message(
    pair: MinimalPair, good: Sequence[Message], bad: Sequence[Message]
) -> Iterator[FieldError]:
    at = pair.message
    if len(bad) <= at:
        yield FieldError("bad", f"ends before message {at}", "only the fault no-reply leaves a reply out")
        return
    changed = [index for index in range(at + 1) if good[index] != bad[index]]
    if not changed:
        yield FieldError(
            "bad", f"has the same messages as `good` up to message {at}", "put the fault into `bad`"
        )
    elif len(changed) > 1:
        listed = ", ".join(map(str, changed))
        yield FieldError(
            "bad", f"differs in messages {listed}", f"change message {at}, or one message before it"
        )
    elif good[changed[0]].role is not bad[changed[0]].role:
        yield FieldError(
            "bad", f"message {changed[0]} has another role", "change what it says, not who says it"
        )
    elif changed[0] != at and good[changed[0]].role is Role.ASSISTANT:
        yield FieldError("message", f"is {at}, and reply {changed[0]} differs", f"set it to {changed[0]}")
    elif tuple(bad[at + 1 :]) != tuple(good[at + 1 :]) and not pair.reacts:
        yield FieldError("bad", f"differs after message {at}", "restore the later messages, or set `reacts`")
