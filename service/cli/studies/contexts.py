"""Conversations that wait for a recommender's reply, the replies, and what methods say of them beside people's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ...alignment.score import Alignment, Weighed
from ...alignment.strategies import StrategyName
from ...domain.conversation import ConversationLog
from ..inputs import Json
from ..run import Job
from .steps import StudyRun, failure_of
from .study import file_name


@dataclass(frozen=True)
class OpenTurn:
    """A conversation that waits for a reply: its name, the dialogue that it is of, its messages, the user's last."""

    id: str
    dialogue: str
    messages: Sequence[Json]
    log: Json
    """Further fields of the log: domain, items."""


@dataclass(frozen=True)
class Replied:
    """A recommender's reply, and how it failed where it gave none."""

    content: str
    recommendations: Sequence[str] | None
    failure: str | None

    @property
    def text(self) -> str:
        """Return what it says; of a reply that only shows items, which."""
        if self.content.strip() or not self.recommendations:
            return self.content
        return f"[shows: {', '.join(self.recommendations)}]"


async def next_replies(
    study: StudyRun, contexts: Sequence[OpenTurn], systems: Sequence[str], step: str = "replies"
) -> dict[tuple[str, str], Replied]:
    """The reply of every system to every context, by system and context."""
    planned = list(product(systems, contexts))
    jobs = []
    for system, context in planned:
        log = {**context.log, "id": f"{system}/{context.dialogue}", "messages": list(context.messages)}
        # Without rewordings the recommender hears the conversation as it was.
        body = {"simulator": {"type": "paraphrase", "count": 0}, "log": log, "crs": system}
        jobs.append(Job(f"{system}/{context.id}", system, "/simulate", body))
    found = {}
    for (system, context), record in zip(planned, await study.step(step, jobs), strict=True):
        said = record.answer["replies"][0] if record.answer else {}
        content, shown = said.get("content") or "", said.get("recommendations")
        found[system, context.id] = Replied(content, shown, failure_of(record))
    return found


@dataclass(frozen=True)
class HumanTurn(OpenTurn):
    """A turn of a human recommender. `turn` counts from 1 in its dialogue; `label` is its strategy, if known."""

    turn: int
    reference: str
    label: StrategyName | None


@dataclass(frozen=True)
class MethodAnswers:
    """A method's judgement of each system's replies. `by` is the method, or its model where it has one."""

    by: str
    systems: Mapping[str, Alignment]
    """Over the pairs that count, with the stage weights of INSPIRED."""

    @property
    def of_people(self) -> Sequence[Weighed]:
        """Return the pairs of the first system that has any: people's side is alike in all."""
        return next((one.pairs for one in self.systems.values() if one.pairs), ())

    @property
    def known(self) -> Iterator[tuple[str, str, Weighed]]:
        """Yield each pair of which the method says whether it is aligned, behind its system and the id of its place."""
        for system, alignment in self.systems.items():
            for one in alignment.pairs:
                if one.judged.aligned is not None:
                    yield system, f"{one.pair.dialogue}/{one.pair.turn}", one

    @property
    def file(self) -> str:
        return file_name(self.by)


@dataclass
class HumanContexts:
    """The material of a run: conversations, contexts, replies, labels."""

    logs: Mapping[str, ConversationLog]
    places: Sequence[HumanTurn]
    replies: Mapping[tuple[str, str], Replied]
    systems: Sequence[str]
    labels: Mapping[str, StrategyName]
    """Strategies of the systems' replies, as annotators gave them, by the ids of `pairs/`."""

    def answered(self, system: str) -> list[tuple[HumanTurn, Replied]]:
        found = [(place, self.replies[system, place.id]) for place in self.places]
        return [(place, reply) for place, reply in found if reply.failure is None]
