"""The turn machine: when a simulated user opens, reacts and ends.

    opening --> reacting --> ... --> closing --> ended
                    \\____________________________/

A policy decides what is said; the machine decides when it is asked and what must hold whatever it
says: a message is never empty, a session has one opening, never starts again, and always ends.
"""

import re
from dataclasses import dataclass, replace
from typing import Protocol

from rapidfuzz import fuzz

from ..domain.completion import Call
from ..domain.conversation import ConversationLog
from ..domain.verdict import Flag
from ..errors import InvalidRequest
from .scene import Scene
from .step import Ending, Step

LAST_OPENING = "Could you recommend something to me?"
LAST_RESORT = "What else could you suggest?"
RESTART_SIMILARITY = 95.0
_GREETING = re.compile(
    r"^\s*(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))"
    r"(?:\s+(?:there|again|everyone))?\s*[,.!]+\s*",
    re.IGNORECASE,
)


class UserPolicy(Protocol):
    """One kind of simulated user. It keeps nothing between calls.

    `accepts` says whether it takes or turns down items at all.

    `open` says the first word, `react` answers a reply and may end the session. `close` is asked in place of `react` when
    `max_rounds` are done: the session ends whatever it returns. `fallback` is a message made without a model, for when a draft
    was unusable."""

    @property
    def max_rounds(self) -> int: ...

    @property
    def accepts(self) -> bool: ...

    async def open(self, scene: Scene, call: Call, /) -> Step: ...

    async def react(self, scene: Scene, call: Call, /) -> Step: ...

    async def close(self, scene: Scene, call: Call, /) -> Step: ...

    def fallback(self, scene: Scene) -> str: ...


@dataclass(frozen=True, slots=True)
class Simulator:
    """A simulated user: a policy behind the turn machine."""

    policy: UserPolicy

    async def step(self, log: ConversationLog, call: Call) -> Step:
        """The user's next move after a log, whose last word must not be the user's.

        Raises InvalidRequest where the recommender has yet to answer, and what the policy raises
        when its model cannot be reached."""
        scene = Scene(log)
        if log.outcome is not None:
            return Step(message=None, done=True, outcome=Ending.ALREADY_ENDED)
        if scene.awaits_reply:
            raise InvalidRequest.at(
                "/log/messages",
                "the last message is the user's; a simulated user speaks after the recommender",
                "add the recommender's reply, or name a `crs` that gives it",
            )
        if not scene.opened:
            return _going_on(await self.policy.open(scene, call), scene, self.policy)
        if scene.rounds >= self.policy.max_rounds:
            return _ended(await self.policy.close(scene, call))
        draft = await self.policy.react(scene, call)
        return _ended(draft) if draft.done else _going_on(draft, scene, self.policy)


def _ended(draft: Step) -> Step:
    message = (draft.message or "").strip() or None
    return replace(draft, done=True, outcome=draft.outcome or Ending.TURN_LIMIT, message=message)


def _going_on(draft: Step, scene: Scene, policy: UserPolicy) -> Step:
    if draft.verbatim:
        return draft
    message = (draft.message or "").strip()
    removed, flags = draft.removed, draft.flags
    if scene.opened:
        greeting = _GREETING.match(message)
        if greeting:
            removed += (greeting.group().strip(),)
            message = message[greeting.end() :]
            message = message[:1].upper() + message[1:]
        if message and _starts_again(message, scene):
            removed += (message,)
            flags += (Flag("simulator_restarted", "the draft repeated the opening and was replaced"),)
            message = ""
    if not message:
        message = policy.fallback(scene).strip()
        flags += (Flag("simulator_fallback", "the draft was empty; this message was made by rule"),)
    if scene.opened and _starts_again(message, scene):
        message = ""
    message = message or (LAST_RESORT if scene.opened else LAST_OPENING)
    return replace(draft, done=False, outcome=None, message=message, removed=removed, flags=flags)


def _starts_again(message: str, scene: Scene) -> bool:
    """Return whether a message is the opening said once more. A short one ("Yes please") proves nothing."""
    opening = scene.own[0].content
    return (
        len(opening.split()) > 3 and fuzz.ratio(message.casefold(), opening.casefold()) > RESTART_SIMILARITY
    )
