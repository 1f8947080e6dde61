"""Real replies, and replies that do not belong: taken from elsewhere, without people's labels."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from service.encoder.belonging import Turn

from .conversations import Talk


@dataclass(frozen=True, slots=True)
class Place:
    """A reply in its conversation: which conversation, the turns before it, the reply, and the user's next turn."""

    talk: int
    family: str
    group: str
    before: tuple[Turn, ...]
    reply: Turn
    after: Turn | None
    measured: bool


class Exchanges:
    """Every reply after a user's turn, and what may stand in its place."""

    def __init__(self, talks: Sequence[Talk], turns: Sequence[Sequence[Turn]], seed: int = 7) -> None:
        self.places = [
            Place(number, talk.family, talk.group, tuple(said[:at]), said[at], _next(said, at), talk.measured)
            for number, (talk, said) in enumerate(zip(talks, turns, strict=True))
            for at in range(1, len(said))
            if not said[at].is_user
        ]
        self._chance = random.Random(seed)
        self._of_group: dict[str, list[int]] = defaultdict(list)
        self._of_turn: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, place in enumerate(self.places):
            self._of_group[place.group].append(number)
            self._of_turn[place.group, len(place.before)].append(number)

    def foreign(self, number: int) -> Turn | None:
        """A reply of another conversation of the same group, from any turn."""
        return self._drawn(number, self._of_group[self.places[number].group])

    def same_turn(self, number: int) -> Turn | None:
        """One of the same turn."""
        place = self.places[number]
        return self._drawn(number, self._of_turn[place.group, len(place.before)])

    def _drawn(self, number: int, others: Sequence[int]) -> Turn | None:
        place = self.places[number]
        for _ in range(50):
            other = self.places[self._chance.choice(others)]
            if other.talk != place.talk and other.reply.text != place.reply.text:
                return other.reply
        return None


def _next(said: Sequence[Turn], at: int) -> Turn | None:
    return said[at + 1] if at + 1 < len(said) else None
