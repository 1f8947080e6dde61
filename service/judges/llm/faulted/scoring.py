"""From checked lists of faults to a factor's score, by the ladder that all judges share."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

from ....domain.conversation import ConversationLog, Role
from ....domain.rubric import Factor
from ....domain.verdict import DetectedFault, Flag
from ....faults import FaultCatalogue
from ....faults.ladder import FULL, is_reported, score_replies
from ...computed.detect import detect_computed, plain_log
from ...evaluation import JudgeInput
from ...fault_report import fault_evidence, fault_sentences, no_fault
from ..answer import Failure, RatedAnswer
from ..rubrics import OCCASIONS
from .entries import CheckedFaults, Key

FAULTS_REVISION = 3
"""Raised with every change that makes another score of the same answer, in reading, checking, scoring or computed detection."""
MAJORITY = 0.5
MOST_QUOTES = 2


@dataclass(frozen=True, slots=True)
class FaultAnswer(RatedAnswer):
    """A factor's verdict by the faults of one list, or of several. `faults` are those reported; `drawn` are the lists, and
    `scorer` scores them."""

    faults: tuple[DetectedFault, ...] = ()
    drawn: tuple[CheckedFaults, ...] = ()
    scorer: "FaultScorer | None" = None


def combine(rated_answers: Sequence[RatedAnswer], factor: str) -> FaultAnswer | None:
    """Return the verdict of all lists together: a fault's probability is the share of lists that report it. None where the
    readings are of no lists."""
    listed = [one for one in rated_answers if isinstance(one, FaultAnswer)]
    if not listed or listed[0].scorer is None:
        return None
    return listed[0].scorer.read(factor, [drawn for one in listed for drawn in one.drawn])


@dataclass(frozen=True)
class FaultScorer:
    """Scores the factors of a log from lists of its faults. Code adds the faults that it can prove."""

    judge_input: JudgeInput
    catalogue: FaultCatalogue
    factors: Mapping[str, Factor]

    @cached_property
    def _proven(self) -> tuple[DetectedFault, ...]:
        return tuple(
            one for one in detect_computed(self.judge_input, plain_log(self.judge_input)) if one.certain
        )

    def outcome(self, factor: str, drawn: CheckedFaults) -> FaultAnswer | Failure:
        """Return a factor's verdict by one list; a failure where over half of its quotes occur nowhere."""
        if drawn.is_invented:
            total = drawn.quotes_found + drawn.quotes_not_found
            detail = f"{drawn.quotes_not_found} of {total} quotes do not occur in the messages that they are said to be from"
            return Failure("quotes_not_found", detail)
        return self.read(factor, [drawn])

    def read(self, slug: str, drawn: Sequence[CheckedFaults]) -> FaultAnswer:
        """Return a factor's verdict by one list or more. Its score is None where nothing was at stake."""
        log, factor = self.judge_input.log, self.factors[slug]
        lowering = [one for one in self._merge(drawn) if slug in self.catalogue[one.fault].costs]
        stake = self._at_stake(slug, drawn, lowering)
        nothing = FaultAnswer(
            score=None,
            rationale=_NOTHING.get(slug, ""),
            assessable=False,
            quotes=(),
            counts=_counts(drawn),
            flags=tuple(_flags(drawn, len(log.replies))),
            confidence=_confidence(drawn, len(log.replies)),
            drawn=tuple(drawn),
            scorer=self,
        )
        if not stake:
            return nothing
        result = score_replies(factor, stake, lowering, self.catalogue)
        return replace(
            nothing,
            score=round(result.score, 3),
            rationale=fault_sentences(log, result.faults, self.catalogue) or no_fault(len(stake)),
            assessable=True,
            evidence=fault_evidence(log, result.faults, slug, self.catalogue, result.score - FULL),
            turns=result.turns,
            faults=result.faults,
        )

    def _merge(self, drawn: Sequence[CheckedFaults]) -> tuple[DetectedFault, ...]:
        votes: dict[Key, list[tuple[DetectedFault, ...]]] = {}
        for one in drawn:
            by_key: dict[Key, list[DetectedFault]] = {}
            for key, fault in one.found:
                by_key.setdefault(key, []).append(fault)
            for key, faults in by_key.items():
                votes.setdefault(key, []).append(tuple(faults))
        merged = [_merged(found, len(found) / len(drawn)) for found in votes.values()]
        proven = {(one.fault, one.message) for one in self._proven}
        return (*self._proven, *(one for one in merged if (one.fault, one.message) not in proven))

    def _at_stake(
        self, slug: str, drawn: Sequence[CheckedFaults], lowering: Sequence[DetectedFault]
    ) -> tuple[int, ...]:
        """Return the replies that a factor rates: all of them, or those that the lists name and those with a fault of it."""
        replies = self.judge_input.log.replies
        if slug not in OCCASIONS:
            return replies
        name, _ = OCCASIONS[slug]
        named = Counter(message for one in drawn for message in one.listed.lists.get(name, ()))
        likely = {message for message, times in named.items() if times / len(drawn) >= MAJORITY}
        answering = _replies_after(self.judge_input.log, likely) if slug == "recoverability" else likely
        faulty = {one.message for one in lowering if is_reported(one)}
        return tuple(at for at in replies if at in answering | faulty)


_NOTHING = {
    "recoverability": "the model saw no message in which the user points out an error and that a reply follows",
    "explainability": "the model saw no reply that recommends an item",
}


def _replies_after(log: ConversationLog, messages: Iterable[int]) -> set[int]:
    """Return the first reply after each of the user's messages."""
    users = [at for at in messages if 0 <= at < len(log.messages) and log.messages[at].role is Role.USER]
    later = ([reply for reply in log.replies if reply > at] for at in users)
    return {replies[0] for replies in later if replies}


def _merged(found: Sequence[tuple[DetectedFault, ...]], probability: float) -> DetectedFault:
    """Return one fault as several lists state it: with the quotes of the first, and the severity that most of them give."""
    first = found[0][0]
    quotes = dict.fromkeys(quote for one in found[0] for quote in one.quotes)
    stated = Counter(one.severity for faults in found for one in faults if one.severity is not None)
    severity = stated.most_common(1)[0][0] if stated else None
    return DetectedFault(
        first.fault, first.message, probability, severity=severity, quotes=tuple(quotes)[:MOST_QUOTES]
    )


def _counts(drawn: Sequence[CheckedFaults]) -> dict[str, float]:
    """Return the means over the lists: whole numbers where there is one."""
    return {
        "replies_read": fmean(one.listed.replies_read for one in drawn),
        "quotes_found": fmean(one.quotes_found for one in drawn),
        "quotes_not_found": fmean(one.quotes_not_found for one in drawn),
        "faults_dropped": fmean(one.dropped for one in drawn),
    }


def _confidence(drawn: Sequence[CheckedFaults], replies: int) -> float | None:
    """Return the share of quotes that were found, times the share of replies that were read; None where nothing tells."""
    found, lost = sum(one.quotes_found for one in drawn), sum(one.quotes_not_found for one in drawn)
    counts = [one.listed.replies_read for one in drawn]
    read = fmean(min(count, replies) / max(count, replies, 1) for count in counts)
    if not found + lost:
        return None if read == 1 else read
    return read * found / (found + lost)


def _flags(drawn: Sequence[CheckedFaults], replies: int) -> Iterator[Flag]:
    partly = [one for one in drawn if one.listed.replies_read != replies]
    if partly:
        detail = f"the model says that it read {partly[0].listed.replies_read} replies, and the log has {replies}: faults may be missing"
        yield Flag("replies_not_read", detail)
    if lost := sum(one.quotes_not_found for one in drawn):
        yield Flag(
            "quote_not_found", f"faults dropped because their quotes do not occur in their messages: {lost}"
        )
    if dropped := sum(one.dropped for one in drawn):
        yield Flag(
            "fault_dropped",
            f"faults dropped because they are unknown or their messages cannot have them: {dropped}",
        )
