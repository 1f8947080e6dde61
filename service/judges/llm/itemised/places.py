"""Places of an entry's words in the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from ....domain.conversation import ConversationLog
from ....prompts.hostile import neutralise, origins
from ..answer import places_of


@dataclass(frozen=True, slots=True)
class Place:
    """A passage: the message, and its first and last character but one as the log has it."""

    message: int
    start: int
    stop: int


class Finder:
    """Finds quotations in the messages of a log as the model was shown them. A quotation that is given twice is found at
    two places, as long as there are so many."""

    def __init__(self, log: ConversationLog) -> None:
        self._log = log
        self._shown: dict[int, tuple[str, Sequence[int]]] = {}
        self._given: set[Place] = set()

    def find(self, quote: str, messages: Sequence[int]) -> Place | None:
        """The next place of a quotation in these messages; one that was given before where there is no other. None where it
        does not stand there."""
        again = None
        for message in messages:
            text, origin = self._text(message)
            for found in places_of(quote, text):
                place = Place(message, origin[found.start], origin[found.stop - 1] + 1)
                if place not in self._given:
                    self._given.add(place)
                    return place
                again = again or place
        return again

    def _text(self, message: int) -> tuple[str, Sequence[int]]:
        if message not in self._shown:
            content = self._log.messages[message].content
            self._shown[message] = (neutralise(content), origins(content))
        return self._shown[message]
