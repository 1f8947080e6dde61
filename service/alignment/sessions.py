"""Facts of a whole log beside its strategies: when it first recommends, and whether it succeeds (the
paper's table 1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..catalogue.titles import same_title
from ..domain.conversation import ConversationLog, Role


@dataclass(frozen=True, slots=True)
class Session:
    """Turns before the first that recommends, and success; None where the log cannot tell."""

    turns_before_recommendation: int | None
    success: bool | None


def session(log: ConversationLog, catalogue: Catalogue | None = None) -> Session:
    """A log's figures. It recommends where a reply has a list; in a log without lists, where a reply
    names an item of `catalogue` that the user had not named. It succeeds where the user accepted,
    or, if the log has no outcome, where a wanted item was shown."""
    shown = list(_shown(log, catalogue))
    first = next((number for number, items in enumerate(shown) if items), None)
    lists = any(message.recommendations is not None for message in log.messages)
    known = lists or (catalogue is not None and bool(log.turns))
    return Session(first, _success(log, [item for items in shown for item in items], known=known))


def _shown(log: ConversationLog, catalogue: Catalogue | None) -> Iterator[list[str]]:
    """The items that each turn recommends."""
    for turn in log.turns:
        if log.has_lists:
            yield [item for index in turn.assistant for item in log.messages[index].recommendations or ()]
        elif catalogue is not None:
            earlier = (*log.history, *log.messages[: turn.assistant[0]])
            asked = {
                mention.item.title
                for message in earlier
                if message.role is Role.USER
                for mention in catalogue.find(message.content)
            }
            named = (mention.item.title for mention in catalogue.find(log.reply_text(turn)))
            yield [title for title in named if title not in asked]
        else:
            yield []


def _success(log: ConversationLog, shown: Sequence[str], *, known: bool) -> bool | None:
    if log.outcome is not None:
        return log.outcome.accepted
    if log.ground_truth is None or not known:
        return None
    names = {item.id: item.title for item in log.items if item.id is not None}
    wanted = [names.get(item, item) for item in log.ground_truth]
    return any(same_title(names.get(item, item), one, year_optional=True) for item in shown for one in wanted)
