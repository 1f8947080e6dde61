"""Facts of the log that the reader of a list needs: enough to reject invalid entries, small enough to send to
another process."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ....domain.conversation import UNKNOWN_DOMAIN, Role
from ....domain.rubric import Factor, Form
from ...evaluation import JudgeInput
from ..items import MOST_ITEMS, reads_text, titled

ITEM_FORMS = frozenset({Form.SIMILARITY, Form.FAMILIARITY, Form.CHARACTERISTICS})
"""Forms whose entries are recommended items."""


@dataclass(frozen=True)
class Outline:
    """A log without its words. `turns` holds the recommender's messages of each turn, `users` and `notes` the user's
    messages and those with feelings, `items` the titles shown to the model (None: it finds them in the text itself). `shown`
    counts the recommender's messages in the prompt, calls of tools included."""

    domain: str
    turns: tuple[tuple[int, ...], ...]
    users: frozenset[int]
    notes: tuple[int, ...]
    items: tuple[str, ...] | None
    shown: int = 0

    @cached_property
    def turn_of(self) -> Mapping[int, int]:
        """The turn of each of the recommender's messages."""
        return {message: turn for turn, messages in enumerate(self.turns) for message in messages}

    @property
    def replies(self) -> int:
        """The number of replies that a list must cover."""
        return len(self.turn_of)

    def is_all(self, read: int) -> bool:
        """Return whether `read` replies, as stated by a model, are all. It may count messages that only call
        a tool."""
        return self.replies <= read <= max(self.shown, self.replies)

    def keys(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the keys of a factor's list, one for each entry: the number of a reply's first message, of a message with a
        note, or of an item's place. None where only the model knows how many entries there are."""
        form = factor.itemised.form if factor.itemised else None
        if form is Form.REPLIES:
            return tuple(str(messages[0]) for messages in self.turns)
        if form is Form.NOTES:
            return tuple(map(str, self.notes))
        if form in ITEM_FORMS and self.items is not None and len(self.items) < MOST_ITEMS:
            return tuple(str(number) for number in range(1, len(self.items) + 1))
        return None

    def described_keys(self, factor: Factor) -> str | None:
        """Return the keys of a factor's list in words: those of items with their titles."""
        keys = self.keys(factor)
        if keys is None or factor.itemised is None or factor.itemised.form not in ITEM_FORMS:
            return None if keys is None else ", ".join(keys)
        return "; ".join(f"{key} for {title}" for key, title in zip(keys, self.items or (), strict=True))

    def has_messages(self, factor: Factor) -> bool:
        """Return whether each entry of a factor's list names its message."""
        return factor.itemised is not None and factor.itemised.form not in ITEM_FORMS

    def expected(self, factor: Factor) -> int:
        """About how many entries a list on this factor has: decides how long an answer may be."""
        form = factor.itemised.form if factor.itemised else Form.FAULTS
        if form in ITEM_FORMS:
            return len(self.items) if self.items is not None else 2 * len(self.turns)
        return len(self.notes) if form is Form.NOTES else 2 * len(self.turns)


NO_OUTLINE = Outline(UNKNOWN_DOMAIN, (), frozenset(), (), None)


def outline_of(judge_input: JudgeInput) -> Outline:
    """The outline of a log as prompts show it."""
    log = judge_input.log
    shown = None if reads_text(judge_input) else log.session_list(judge_input.list_cutoff)[:MOST_ITEMS]
    return Outline(
        domain=log.domain,
        turns=tuple(turn.assistant for turn in log.turns),
        users=frozenset(index for index, message in enumerate(log.messages) if message.role is Role.USER),
        notes=tuple(index for index, message in enumerate(log.messages) if message.thoughts),
        items=None
        if shown is None
        else tuple(titled(judge_input, item).removeprefix("- ") for item in shown),
        shown=sum(message.role is Role.ASSISTANT for message in log.messages),
    )
