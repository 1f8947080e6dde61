"""What importers make, and what they share: a log, labels beside it, and what could not be read."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..inputs import Entry, Fault, Json, entries

ROLES = {
    **dict.fromkeys(("user", "human", "seeker", "customer", "client", "initiator"), "user"),
    **dict.fromkeys(
        (
            "assistant",
            "asst",
            "agent",
            "bot",
            "gpt",
            "ai",
            "model",
            "recommender",
            "system",
            "crs",
            "respondent",
        ),
        "assistant",
    ),
}
"""Whom other formats call what. A chat's `system` may be its instruction: that importer looks at who talks."""


@dataclass(frozen=True)
class Wanted:
    """What the caller says of the data: what all logs are labelled with, names of entities, columns."""

    system: str | None = None
    domain: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Titles by the number that a data set gives an item."""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Imported:
    """A log, and its labels: lines that `crs-eval agreement` takes, or strategies of messages. `left` counts
    what the data holds and the log does not, by the name of the field."""

    place: str
    log: Json
    labels: Sequence[Json] = ()
    left: Mapping[str, int] = field(default_factory=dict)


class UnreadableError(ValueError):
    """One entry that is not in the format; the message says why."""


Importer = Callable[[Sequence[str], Wanted, list[Fault]], Iterator[Imported]]


def per_entry(read: Callable[[Entry, Wanted], Imported]) -> Importer:
    """An importer of files in which each JSON value is a conversation."""

    def importer(paths: Sequence[str], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        for entry in entries(paths, faults):
            try:
                yield read(entry, wanted)
            except UnreadableError as error:
                faults.append(Fault(entry.place, str(error)))

    return importer


def need(value: Any, name: str, kind: type) -> Any:
    """A field of this type. Raises UnreadableError where it is missing or of another."""
    if not isinstance(value, dict) or name not in value:
        raise UnreadableError(f"no {name}")
    if not isinstance(value[name], kind):
        raise UnreadableError(f"{name} is no {kind.__name__}")
    return value[name]


def unread(value: Mapping[str, Any], read: Collection[str], prefix: str = "") -> Counter[str]:
    """The fields of a value that hold something and are not among those that are read."""
    empty: tuple[Any, ...] = (None, "", [], {})
    return Counter(
        f"{prefix}{name}" for name, part in value.items() if name not in read and part not in empty
    )


def unread_messages(said: Iterable[Any], read: Collection[str]) -> Counter[str]:
    """The same over messages."""
    return sum((unread(m, read, "messages.") for m in said if isinstance(m, dict)), Counter())


def role_of(name: object) -> str:
    """`user` or `assistant`. Raises UnreadableError for whom nobody knows."""
    role = ROLES.get(str(name).strip().casefold())
    if role is None:
        raise UnreadableError(f"no such role: {str(name)[:40]!r}")
    return role


def log_of(wanted: Wanted, **fields: Any) -> Json:
    """A log of these fields, without what is None, with what the caller says of all logs."""
    if not fields["messages"]:
        raise UnreadableError("no messages")
    given = {
        **fields,
        "system": wanted.system or fields.get("system"),
        "domain": wanted.domain or fields.get("domain"),
    }
    return {name: value for name, value in given.items() if value is not None}


def rating(conversation: str, factor: str, score: float, rater: str, **more: Any) -> Json:
    """A person's label as `crs-eval agreement` reads it."""
    made = {
        "conversation": conversation,
        "factor": factor,
        "rater": rater,
        "kind": "human",
        "score": score,
        **more,
    }
    return {name: value for name, value in made.items() if value is not None}
