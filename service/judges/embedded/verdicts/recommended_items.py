"""The session's recommended items, and what verdicts on them have in common."""

from dataclasses import dataclass

from ....domain.conversation import Item
from ....domain.verdict import Evidence, Flag
from ..observations.reading import Reading
from ..rules.findings import Gap
from ..wording import say

#: How sure a verdict is that is computed from lists and data, and what is left of that where items were taken from the text.
COMPUTED, FROM_TEXT = 0.95, 0.6


@dataclass(frozen=True, slots=True)
class Listed:
    """An item of the session list, with what is known of it."""

    reference: str
    item: Item | None


def listed_items(reading: Reading) -> list[Listed]:
    """The items of the session list."""
    return [Listed(reference, reading.item(reference)) for reference in reading.session_list]


def flags_of(reading: Reading, listed: list[Listed], known: int) -> tuple[Flag, ...]:
    """Return what a reader must know of a verdict on the list, of which so many items are known."""
    flags = []
    if reading.reads_text_lists:
        flags.append(Flag("list_from_text", say("recommended-items.list-from-text")))
    if known < len(listed):
        flags.append(
            Flag(
                "items_without_metadata",
                say("recommended-items.left-out", unknown=len(listed) - known, total=len(listed)),
            )
        )
    return tuple(flags)


def no_items(reading: Reading) -> Gap:
    """Return the reason why nothing can be said of a session without items."""
    if reading.reads_text_lists and not reading.log.has_lists:
        return Gap("no_recommendation_made", say('recommended-items.no-list-no-title'),
                   ("recommendations",))  # fmt: skip
    return Gap("missing_recommendations", say("recommended-items.none"), ("recommendations",))


def place(reading: Reading, reference: str, effect: float | None) -> Evidence:
    """Return where an item was shown: in the list or the text of the first message that holds it."""
    for read in reading.replies:
        if reference in (read.message.recommendations or ()):
            return Evidence(read.index, None, effect, read.message.id)
        for named in read.named:
            if reference in (named.surface, named.item.title if named.item else None):
                return Evidence(read.index, named.surface, effect, read.message.id)
    return Evidence(None, None, effect)
