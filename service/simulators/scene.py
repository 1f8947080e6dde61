"""The session so far as a simulated user can see it."""

import random
from dataclasses import dataclass
from functools import cached_property

from ..domain.conversation import ConversationLog, Message, Role, User


@dataclass(frozen=True)
class Scene:
    """A log as its user sees it: what was said, what was answered last, how often."""

    log: ConversationLog

    @cached_property
    def said(self) -> tuple[Message, ...]:
        """All messages that the user wrote or saw, in order, those before the rated part included."""
        return tuple(message for message in self.log.history + self.log.messages if message.is_seen)

    @cached_property
    def opened(self) -> bool:
        """Return whether the user has spoken already, be it in the history."""
        return any(message.role is Role.USER for message in self.said)

    @property
    def awaits_reply(self) -> bool:
        """Return whether the user spoke last, so that the recommender has the word."""
        return bool(self.said) and self.said[-1].role is Role.USER

    @cached_property
    def rounds(self) -> int:
        """Finished exchanges of the rated part: a user's word with an answer to it."""
        # A reply that opens the rated part answers the last word of the history, if there is one.
        continues = bool(self.log.history) and self.log.history[-1].role is Role.USER
        return sum(bool(turn.user) or (continues and turn.assistant[0] == 0) for turn in self.log.turns)

    @cached_property
    def last_reply(self) -> tuple[Message, ...]:
        """The recommender's messages since the user last spoke."""
        spoken: list[Message] = []
        for message in reversed(self.said):
            if message.role is Role.USER:
                break
            spoken.append(message)
        return tuple(reversed(spoken))

    @property
    def last_text(self) -> str:
        return "\n".join(message.content for message in self.last_reply).strip()

    @cached_property
    def own(self) -> tuple[Message, ...]:
        return tuple(message for message in self.said if message.role is Role.USER)

    @property
    def own_text(self) -> str:
        return "\n".join(message.content for message in self.own)

    @cached_property
    def replies(self) -> tuple[Message, ...]:
        return tuple(message for message in self.said if message.role is Role.ASSISTANT)

    def draws(self, seed: int) -> random.Random:
        """Return the draws of rules at this place of the session."""
        return random.Random(f"{seed}/{len(self.said)}")  # noqa: S311 - a play, not a secret

    @property
    def user(self) -> User:
        """Return what the log says of its user; nothing, where it says nothing."""
        return self.log.user or User()
