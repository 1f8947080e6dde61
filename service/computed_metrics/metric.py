"""A metric as its family declares it: its name, what it reads and says, how it is computed, and an example worked by hand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from .figures import Figure, Unit, View
from .log_index import Cuts, LogContext, LogIndex
from .reply_pairs import Comparison

Json = dict[str, Any]


class Need(StrEnum):
    """Input that a metric needs to have all of its values."""

    LISTS = "lists"
    TARGETS = "targets"
    ITEMS = "items"
    OUTCOME = "outcome"
    REPLY_PAIRS = "reply pairs"
    VERDICTS = "verdicts"
    USERS = "personas or age groups"
    TOOLS = "results of tools"


@dataclass(frozen=True)
class Worked:
    """One value of an example: the columns that tell its row from the metric's others, and what the row holds."""

    where: Mapping[str, object]
    value: float


@dataclass(frozen=True, kw_only=True)
class Example:
    """A request small enough to be computed by hand, and its values.

    `scores` hold, for each log, what judges gave for CONCEPT's factors; `cuts` are the request's `k` and `turns`."""

    logs: Sequence[Json]
    worked: str
    """The computation in words, as the docs tell it."""
    values: Sequence[Worked]
    scores: Sequence[Mapping[str, float]] = ()
    reply_pairs: Sequence[Json] = ()
    cuts: Mapping[str, Sequence[int]] | None = None


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A row of the registry. Of kinds of users there is one metric, `coordination`, which is an ability too."""

    name: str
    views: tuple[View, ...] = ()
    """The sides that its rows are seen from; none where a row has no view."""
    unit: Unit = Unit.SHARE
    needs: tuple[Need, ...] = ()
    """Inputs that it reads beside the messages: without one of these, some of its values are undefined."""
    says: str
    """Its definition in sentences, as the docs show it."""
    example: Example

    @classmethod
    def of(cls, compute: Callable[..., object], **about: Any) -> Self:
        """A metric that has the name of the function that computes it, and is defined by its docstring."""
        says = " ".join((compute.__doc__ or "").split())
        build: Callable[..., Self] = cls
        return build(name=compute.__name__, says=says, compute=compute, **about)


@dataclass(frozen=True, kw_only=True)
class LogMetric(Metric):
    """A metric of logs. `bad_without_targets`: an empty set of wanted items is bad input for it, not an unknown."""

    compute: Callable[[Sequence[LogContext], Cuts], Iterable[Figure]]
    reads: tuple[Callable[[LogIndex], object], ...] = ()
    """Functions whose results `compute` asks a context for by `LogContext.of`. It is worked out for one log after the other, so that the titles of
    all logs are never in memory together."""
    bad_without_targets: bool = False


@dataclass(frozen=True, kw_only=True)
class PairMetric(Metric):
    """A metric of reply pairs, computed in both views."""

    compute: Callable[[Sequence[Comparison | None], View], Figure]


@dataclass(frozen=True)
class Family:
    """The declaration of a module of `families`, as `FAMILY`. Tables show families by `place`, then by
    module."""

    place: int
    metrics: tuple[Metric, ...]


def conversation(*said: str | tuple[str, Sequence[str]], **fields: object) -> Json:
    """A log for an example: the user and the recommender speak in turn, the user first; a reply with a list is a pair."""
    return {"messages": [_message(place, words) for place, words in enumerate(said)], **fields}


def _message(place: int, words: str | tuple[str, Sequence[str]]) -> Json:
    message: Json = {"role": "user" if place % 2 == 0 else "assistant"}
    if isinstance(words, str):
        return {**message, "content": words}
    content, shown = words
    return {**message, "content": content, "recommendations": list(shown)}
