"""Whole sessions: a simulated user and a recommender talk until one of them ends it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final

from ..domain.completion import NO_USAGE, Call, Usage
from ..domain.conversation import ConversationLog, Message, Outcome, Role
from ..errors import CrsEvalError, InvalidRequest
from .machine import Simulator
from .recommender import Failure, Recommender, RecommenderFailed, Reply, ReplyLimits, reply_of
from .scene import Scene
from .step import Ending, Step

DEADLINE: Final = "deadline"
ROUND_CAP: Final = "round_cap"
SIMULATOR_FAILED: Final = "simulator_failed"
MOST_ROUNDS = 50
FINISHED = frozenset(ending.value for ending in Ending)


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """A message as it was said; `index` is its place in the log's `messages`. `step` tells how
    the simulated user came to it, None for the recommender's."""

    index: int
    message: Message
    step: Step | None


@dataclass(frozen=True, slots=True)
class Ended:
    """A session that is over, with its log so far whatever ended it.

    `reason` is an `Ending` of the simulated user, a `Failure` of the recommender, or `deadline`,
    `round_cap`, `simulator_failed`; `detail` says more where something went wrong. `steps` are the
    user's."""

    log: ConversationLog
    reason: str
    detail: str | None
    steps: tuple[Step, ...]
    usage: Usage


@dataclass(slots=True)
class _Run:
    """A session while it runs."""

    log: ConversationLog
    steps: list[Step] = field(default_factory=list)

    def add(self, message: Message, step: Step | None) -> SessionTurn:
        self.log = replace(self.log, messages=(*self.log.messages, message))
        return SessionTurn(len(self.log.messages) - 1, message, step)

    def ended(self, reason: str, detail: str | None = None, unfinished: Usage = NO_USAGE) -> Ended:
        # A recommender that answers nothing has had its turn: the log has no open end, but a missing reply.
        log = replace(self.log, complete=reason in FINISHED or reason == Failure.SILENT)
        usage = sum((step.usage for step in self.steps), unfinished)
        return Ended(log, reason, detail, tuple(self.steps), usage)


class _Stopped(Exception):  # noqa: N818 - carries the reason out of a side's move
    def __init__(self, reason: str, detail: str, usage: Usage = NO_USAGE) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.usage = usage


async def converse(
    simulator: Simulator,
    recommender: Recommender,
    log: ConversationLog,
    call: Call,
    *,
    limits: ReplyLimits | None = None,
    rounds: int = MOST_ROUNDS,
) -> AsyncGenerator[SessionTurn | Ended, None]:
    """Run a session from a log on, message by message; the last thing yielded is `Ended`.

    Where the log ends with the user's word the recommender is asked first. `rounds` caps the
    exchanges of any simulator. Raises InvalidRequest for a log that no user can be made of."""
    run = _Run(log)
    try:
        for _ in range(rounds):
            if not Scene(run.log).awaits_reply:
                step = await _user(simulator, run.log, call)
                run.steps.append(step)
                if step.message is not None:
                    yield run.add(Message(Role.USER, step.message, thoughts=step.thoughts), step)
                if step.done:
                    run.log = _with_outcome(run.log, step, simulator)
                    yield run.ended(str(step.outcome))
                    return
            reply = await _reply(recommender, run.log, call, limits or ReplyLimits())
            said = Message(Role.ASSISTANT, reply.content, reply.recommendations, parts=reply.parts)
            yield run.add(said, None)
    except _Stopped as stopped:
        yield run.ended(stopped.reason, stopped.detail, stopped.usage)
        return
    yield run.ended(ROUND_CAP, f"the session did not end within {rounds} rounds")


async def finish(session: AsyncIterator[SessionTurn | Ended]) -> Ended:
    """Run a session to its end."""
    last: SessionTurn | Ended | None = None
    async for event in session:
        last = event
    assert isinstance(last, Ended), "a session always ends"
    return last


async def _user(simulator: Simulator, log: ConversationLog, call: Call) -> Step:
    try:
        async with asyncio.timeout_at(call.deadline):
            return await simulator.step(log, call)
    except TimeoutError as late:
        raise _Stopped(DEADLINE, "the time was up while the user was thinking") from late
    except InvalidRequest:
        raise
    except CrsEvalError as failed:
        spent = failed.partial.get("usage", NO_USAGE)
        assert isinstance(spent, Usage)
        raise _Stopped(SIMULATOR_FAILED, failed.detail, spent) from failed


async def _reply(recommender: Recommender, log: ConversationLog, call: Call, limits: ReplyLimits) -> Reply:
    try:
        async with asyncio.timeout_at(call.deadline):
            return await reply_of(recommender, Scene(log).said, limits)
    except TimeoutError as late:
        raise _Stopped(DEADLINE, "the time was up while the recommender was thinking") from late
    except RecommenderFailed as failed:
        raise _Stopped(failed.code, failed.detail) from failed


def _with_outcome(log: ConversationLog, step: Step, simulator: Simulator) -> ConversationLog:
    """The log with what its user made of it. Only users that take or turn down items have an
    outcome: a target or target-free user never says whether it accepts."""
    if not simulator.policy.accepts or step.outcome in {Ending.ALREADY_ENDED, Ending.LEFT}:
        return log
    accepted = step.outcome is Ending.ACCEPTED
    at = len(log.messages) - 1 if accepted and step.message is not None else None
    return replace(log, outcome=Outcome(accepted=accepted, message=at))
