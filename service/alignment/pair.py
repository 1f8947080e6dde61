"""A candidate's reply beside a person's reply to the same context, and two logs as such pairs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..domain.conversation import ConversationLog, Message, Turn
from .strategies import NO_STRATEGY, StrategyName


class Side(StrEnum):
    """The side that a reply comes from: the system's under evaluation, or the human recommender's."""

    CANDIDATE = "candidate"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Reply:
    """All that one side says in a turn, utterance by utterance; `labels`, one for each utterance,
    are None where nobody has labelled it. `before` is what was said before it."""

    utterances: tuple[str, ...]
    labels: tuple[StrategyName, ...] | None = None
    before: tuple[Message, ...] = ()

    @property
    def text(self) -> str:
        """The utterances, one a line."""
        return "\n".join(self.utterances)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replies to one context. `dialogue` names the conversation, `turn` counts from 1 in it;
    None where the caller does not say. A reply is None where its side has no such turn."""

    candidate: Reply | None
    reference: Reply | None
    dialogue: str | None = None
    turn: int | None = None

    def reply(self, side: Side) -> Reply | None:
        return self.candidate if side is Side.CANDIDATE else self.reference


@dataclass(frozen=True, slots=True)
class StrategyFinding:
    """The strategies that a reply was found to use, the decisive one first, never empty; `shares`
    are their probabilities, where the method has any."""

    strategies: tuple[StrategyName, ...]
    shares: tuple[float, ...] | None = None
    reason: str | None = None

    @property
    def strategy(self) -> StrategyName:
        """The one that counts."""
        return self.strategies[0]

    @property
    def uses_one(self) -> bool:
        """Return whether there is a strategy to compare."""
        return self.strategy is not NO_STRATEGY


@dataclass(frozen=True, slots=True)
class Judged:
    """A method's finding about a pair. `aligned` is None where that cannot be said, which `failure`
    explains unless a side is silent or uses no strategy; `aligned_any` compares all strategies of the
    turn; `probability` is that of a shared strategy, at even odds."""

    candidate: StrategyFinding | None
    reference: StrategyFinding | None
    aligned: bool | None
    aligned_any: bool | None
    rationale: str
    probability: float | None = None
    failure: str | None = None

    def finding(self, side: Side) -> StrategyFinding | None:
        return self.candidate if side is Side.CANDIDATE else self.reference


def decisive(labels: Sequence[StrategyName]) -> tuple[StrategyName, ...]:
    """A turn's strategies, the one that counts first: that of its last utterance other than
    `no_strategy` (the paper labels replies of one utterance; in INSPIRED half hold several)."""
    used = [label for label in reversed(labels) if label is not NO_STRATEGY]
    return tuple(dict.fromkeys(used)) or (NO_STRATEGY,)


def majority(findings: Sequence[StrategyFinding]) -> StrategyFinding | None:
    """The first finding of the strategy that most of them count, the first of equal ones; None of none. `shares` are of findings."""
    counts = Counter(one.strategy for one in findings)
    best = max(findings, key=lambda one: counts[one.strategy], default=None)
    return best and replace(best, shares=tuple(counts[name] / len(findings) for name in best.strategies))


def pairs_of_logs(
    candidate: ConversationLog,
    reference: ConversationLog,
    labels: tuple[Sequence[StrategyName | None], Sequence[StrategyName | None]] | None = None,
) -> list[Pair]:
    """Turn by turn, the first with the first; a turn without a counterpart is half a pair. `labels`
    holds those of each message of either log. Turns are numbered on from those in `history`."""
    first = 1 + max(_turns_before(candidate), _turns_before(reference))
    sides = [
        list(_replies(log, labels[number] if labels else None))
        for number, log in enumerate((candidate, reference))
    ]
    name = reference.id or candidate.id or "the logs' dialogue"
    longest = max(map(len, sides))
    ours, theirs = ([*side, *[None] * (longest - len(side))] for side in sides)
    return [Pair(a, b, name, first + n) for n, (a, b) in enumerate(zip(ours, theirs, strict=True))]


def _replies(log: ConversationLog, labels: Sequence[StrategyName | None] | None) -> Iterator[Reply]:
    for turn in log.turns:
        before = tuple(m for m in (*log.history, *log.messages[: turn.assistant[0]]) if m.is_seen)
        yield Reply(
            utterances=tuple(_utterance(log.messages[index]) for index in turn.assistant),
            labels=_labels(turn, labels) if labels is not None else None,
            before=before,
        )


def _utterance(message: Message) -> str:
    """Return what a reply says; of one that only shows items, which."""
    if message.content.strip() or not message.parts:
        return message.content
    titles = (card.item.title if card.item else card.reference for card in message.cards)
    return f"[shows: {', '.join(titles)}]"


def _labels(turn: Turn, labels: Sequence[StrategyName | None]) -> tuple[StrategyName, ...] | None:
    found = [labels[index] for index in turn.assistant]
    known = [label for label in found if label is not None]
    return tuple(known) if len(known) == len(found) else None


def _turns_before(log: ConversationLog) -> int:
    return len(ConversationLog(log.history).turns)


def judge_labelled(pairs: Sequence[Pair]) -> list[Judged]:
    """Compare the labels that annotators gave each pair (the paper's section 3.1, formula 1)."""
    return [compare(_labelled(pair.candidate), _labelled(pair.reference)) for pair in pairs]


def compare(candidate: StrategyFinding | None, reference: StrategyFinding | None) -> Judged:
    """Compare the findings of a pair: aligned when the strategies that count are the same."""
    if candidate is None or reference is None:
        silent = "candidate" if candidate is None else "reference"
        return Judged(candidate, reference, None, None, f"The {silent} has no reply in this turn.")
    rationale = _rationale(candidate, reference)
    if not (candidate.uses_one and reference.uses_one):
        return Judged(candidate, reference, None, None, rationale)
    shared = set(candidate.strategies) & set(reference.strategies) - {NO_STRATEGY}
    return Judged(candidate, reference, candidate.strategy is reference.strategy, bool(shared), rationale)


def _labelled(reply: Reply | None) -> StrategyFinding | None:
    return StrategyFinding(decisive(reply.labels or ())) if reply else None


def _rationale(candidate: StrategyFinding, reference: StrategyFinding) -> str:
    reasons = [
        f"{side}: {finding.reason}"
        for side, finding in (("Candidate", candidate), ("Reference", reference))
        if finding.reason
    ]
    if candidate.strategy is reference.strategy:
        what = f"Both replies use {candidate.strategy.value}."
    else:
        what = f"The candidate uses {candidate.strategy.value}, the reference {reference.strategy.value}."
    return " ".join([what, *reasons])
