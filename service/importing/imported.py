"""Results of importers: a log, labels beside it, and what could not be read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .entries import Json


@dataclass(frozen=True)
class Wanted:
    """The caller's options: labels for all logs, and names of entities, of fields and of speakers."""

    system: str | None = None
    domain: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Titles by the number that a data set gives an item."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Theirs by ours, as in `role=speaker`."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """`user` or `assistant` by the name of a speaker, as in `buyer=user`."""
    encoding: str | None = None
    whole_files: bool = False
    """True where each file is one conversation, whatever its entries say."""

    def listed(self, names: Iterable[str]) -> str:
        """Return the first names of these fields, as the data has them."""
        return ", ".join(self.fields.get(name, str(name)) for name in list(names)[:12]) or "none"


@dataclass(frozen=True)
class Imported:
    """A log, and its labels: lines that `crs-eval agreement` takes, or strategies of messages. `left` counts
    what the data holds and the log does not, by the name of the field."""

    place: str
    log: Json
    labels: Sequence[Json] = ()
    left: Mapping[str, int] = field(default_factory=dict)


class OptionError(ValueError):
    """A reading option that cannot be met. `option` names it: `map`, `roles` or `encoding`."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class UnreadableError(ValueError):
    """One entry that is not in the format; the message says why."""

    names: Sequence[str] = ()
    """The speakers of the entry, where nobody knows who one of them is."""


class SpeakerError(UnreadableError):
    """A speaker who may be the user or the recommender."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"no such role: {', '.join(repr(name[:40]) for name in names)}")
        self.names = tuple(names)


def need(value: Any, name: str, kind: type) -> Any:
    """A field of this type. Raises UnreadableError where it is missing or of another."""
    if not isinstance(value, Mapping) or name not in value:
        raise UnreadableError(f"no {name}")
    if not isinstance(value[name], kind):
        raise UnreadableError(f"{name} is no {kind.__name__}")
    return value[name]


def objects(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects of a list; none for nothing. Raises UnreadableError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise UnreadableError(f"{name} is no list of objects")
    return value
