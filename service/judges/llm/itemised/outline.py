"""Facts of the log that the reader of a list must know: enough to tell an entry that is none, and small
enough to be sent to another process."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ....domain.conversation import Role
from ....domain.rubric import Factor, Form
from ...inquiry import Case
from ..items import MOST_ITEMS, reads_text, titled

ITEM_FORMS = frozenset({Form.SIMILARITY, Form.FAMILIARITY, Form.CHARACTERISTICS})
"""Forms whose entries are recommended items."""


@dataclass(frozen=True)
class Outline:
    """A log without its words. `turns` holds the recommender's messages of each turn, `users` and `notes` the user's
    messages and those with feelings, `items` the titles shown to the model (None: it finds them in the text itself)."""

    domain: str
    turns: tuple[tuple[int, ...], ...]
    users: frozenset[int]
    notes: tuple[int, ...]
    items: tuple[str, ...] | None

    @cached_property
    def turn_of(self) -> Mapping[int, int]:
        """The turn of each of the recommender's messages."""
        return {message: turn for turn, messages in enumerate(self.turns) for message in messages}

    def expected(self, factor: Factor) -> int:
        """About how many entries a list on this factor has: decides how long an answer may be."""
        form = factor.itemised.form if factor.itemised else Form.FAULTS
        if form in ITEM_FORMS:
            return len(self.items) if self.items is not None else 2 * len(self.turns)
        return len(self.notes) if form is Form.NOTES else 2 * len(self.turns)


def outline_of(case: Case) -> Outline:
    """The outline of a case as prompts show it."""
    log = case.log
    shown = None if reads_text(case) else log.session_list(case.list_cutoff)[:MOST_ITEMS]
    return Outline(
        domain=log.domain,
        turns=tuple(turn.assistant for turn in log.turns),
        users=frozenset(index for index, message in enumerate(log.messages) if message.role is Role.USER),
        notes=tuple(index for index, message in enumerate(log.messages) if message.thoughts),
        items=None if shown is None else tuple(titled(case, item).removeprefix("- ") for item in shown),
    )
