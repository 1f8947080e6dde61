"""Short ways to write logs for the tests of the metrics."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from service.computed_metrics import MetricsReport, compute
from service.computed_metrics.figures import MetricRow
from service.domain.conversation import ConversationLog, Item, Message, Outcome, Role, User

Said = str | tuple[str, Sequence[str] | None]


def log(
    *replies: Said,
    wanted: Sequence[str] | None = None,
    attributes: Sequence[str] = (),
    said: Sequence[str] = (),
    accepted: int | bool | None = None,
    persona: str | None = None,
    system: str | None = None,
    items: Sequence[Item] = (),
) -> ConversationLog:
    """A session: a user message, a reply, and so on; a reply is its text, or its text and list.
    `said` are the user's words in order ("hello" where they end); the user speaks last where
    `accepted` is an index of a user message after the last reply."""
    messages: list[Message] = []
    words = list(said)
    for number, reply in enumerate(replies):
        text, shown = (reply, None) if isinstance(reply, str) else reply
        messages.append(Message(Role.USER, words[number] if number < len(words) else "hello"))
        messages.append(Message(Role.ASSISTANT, text, None if shown is None else tuple(shown)))
    messages += [Message(Role.USER, text) for text in words[len(replies) :]]
    return ConversationLog(
        messages=tuple(messages) or (Message(Role.USER, "hello"),),
        system=system,
        ground_truth=None if wanted is None else tuple(wanted),
        user=User(persona=persona, attributes=tuple(attributes)),
        items=tuple(items),
        outcome=_outcome(accepted),
    )


def lists(*shown: Sequence[str] | None, wanted: Sequence[str] | None = None) -> ConversationLog:
    """A session of lists alone."""
    return log(*(("", items) for items in shown), wanted=wanted)


def item(title: str, *genres: str, id: str | None = None, **attributes: tuple[str, ...]) -> Item:  # noqa: A002
    """An item with genres and other attributes."""
    return Item(title, id=id, attributes=MappingProxyType({"genre": genres, **attributes}))


def rows(report: MetricsReport, metric: str, **where: object) -> list[MetricRow]:
    """The rows of a metric whose fields have these values."""
    return [
        row
        for row in report.rows
        if row.metric == metric and all(getattr(row, name) == value for name, value in where.items())
    ]


def value(report: MetricsReport, metric: str, **where: object) -> float | None:
    """The value of the one row that fits."""
    (found,) = rows(report, metric, **where)
    return found.value


def only(metric: str, *logs: ConversationLog, **asked: Any) -> tuple[float | None, int, str | None]:
    """Value, number and reason of the only row that a metric of these logs has."""
    (row,) = compute(logs, metrics=[metric], **asked).rows
    return row.value, row.n, row.undefined


def reasons(metric: str, *logs: ConversationLog, **asked: Any) -> set[str | None]:
    """Reasons that the rows of a metric give for having no value."""
    return {row.undefined for row in compute(logs, metrics=[metric], **asked).rows}


def _outcome(accepted: int | bool | None) -> Outcome | None:
    if accepted is None:
        return None
    if isinstance(accepted, bool):
        return Outcome(accepted)
    return Outcome(True, accepted)
