"""A conversation that is due, as a log."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from ..store.conversations.protocol import ClaimedConversation, merged

Json = dict[str, Any]


class Ended(StrEnum):
    """The reason why a conversation is judged now: it said that it is over, it is quiet, or it goes on and on."""

    COMPLETE = "complete"
    IDLE = "idle"
    IN_PROGRESS = "in_progress"


def ended(due: ClaimedConversation) -> Ended:
    """Return why this one is judged."""
    if due.complete:
        return Ended.COMPLETE
    return Ended.IN_PROGRESS if due.in_progress else Ended.IDLE


def log_of(due: ClaimedConversation, most: int) -> tuple[Json, int]:
    """Return the log for `/score`, of at most `most` messages, and how many first ones were left out."""
    facts = merged(due.facts)
    messages = in_order([json.loads(text) for text in due.messages])
    said = list(facts.pop("history", ()))
    history = said[max(0, len(said) - most + 1) :]
    room = most - len(history)
    accepted = facts.pop("accepted", None)
    facts.pop("trace", None)
    user = {name: value for name, value in facts.pop("user", {}).items() if name != "id"}
    log = {
        **facts,
        "id": due.conversation,
        "user": user or None,
        "history": history or None,
        "messages": [
            {name: value for name, value in one.items() if name != "index"} for one in messages[-room:]
        ],
        "outcome": None if accepted is None else {"accepted": accepted},
        "complete": not due.in_progress,
    }
    return log, len(said) - len(history) + max(0, len(messages) - room)


def in_order(messages: Sequence[Json]) -> list[Json]:
    """The messages by their index where all have one, else by their time where all have one, else as they arrived."""
    if all("index" in one for one in messages):
        return sorted(messages, key=lambda one: int(one["index"]))
    return sorted(messages, key=_time) if written(messages) else list(messages)


def written(messages: Sequence[Json]) -> tuple[float, float] | None:
    """Return when the first and the last message were written, in seconds since 1970, where all say so."""
    times = [_time(one) for one in messages]
    return (min(times), max(times)) if times and all(map(math.isfinite, times)) else None


def _time(message: Mapping[str, Any]) -> float:
    """Seconds since 1970, in UTC where no zone is named; infinite if the message has no time, or an unreadable one."""
    try:
        at = datetime.fromisoformat(str(message.get("created_at", "")))
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()  # wherever the worker runs
        datetime.fromtimestamp(seconds, UTC)  # east of Greenwich the year 1 begins in a year that is none
    except (ValueError, OverflowError, OSError):
        return math.inf
    return seconds
