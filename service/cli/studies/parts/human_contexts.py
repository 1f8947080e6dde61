"""Conversations with human recommenders, the replies that systems gave in their place, and what methods say of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....alignment.strategies import StrategyName
from ....domain.conversation import ConversationLog
from ...inputs import Json
from .replying import OpenTurn, Replied
from .sessions import file_name


@dataclass(frozen=True)
class HumanTurn(OpenTurn):
    """A turn of a human recommender. `turn` counts from 1 in its dialogue; `label` is its strategy, if known."""

    turn: int
    reference: str
    label: StrategyName | None


@dataclass
class MethodAnswers:
    """A method's answers for each system, one a dialogue. `by` is the method, with its model where it has one."""

    by: str
    answers: Mapping[str, Sequence[Json]]
    places: Mapping[tuple[str, int], HumanTurn]

    def pairs(self, system: str) -> list[tuple[HumanTurn, Json]]:
        """The judged pairs of a system, each with its place."""
        return [
            (self.places[pair["dialogue"], pair["turn"]], pair)
            for answer in self.answers.get(system, ())
            for pair in answer["pairs"]
        ]

    @property
    def file(self) -> str:
        """Return the name as a part of a file's."""
        return file_name(self.by)


@dataclass
class HumanContexts:
    """The material of a run: conversations, contexts, replies, labels."""

    logs: Mapping[str, ConversationLog]
    places: Sequence[HumanTurn]
    replies: Mapping[tuple[str, str], Replied]
    systems: Sequence[str]
    labels: Mapping[str, StrategyName] = field(default_factory=dict)
    """Strategies of the systems' replies, as annotators gave them, by the ids of `pairs/`."""

    def answered(self, system: str) -> list[tuple[HumanTurn, Replied]]:
        """The places that a system replied to."""
        found = [(place, self.replies[system, place.id]) for place in self.places]
        return [(place, reply) for place, reply in found if reply.failure is None]
