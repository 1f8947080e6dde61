"""Bodies of requests, the same for both clients."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from typing_extensions import TypedDict


class Model(Protocol):
    """A generated model."""

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON has it."""
        ...


Json = Mapping[str, Any] | Model
"""A generated model, or a mapping of the same form."""


class Options(TypedDict, total=False):
    """Options of judging: the fields of a request beside its log. The service decides what is left out."""

    judge: str
    panel: Sequence[str]
    aggregate: str
    samples: int
    variant: str
    judging: str
    factor_judging: Mapping[str, str]
    expected: bool
    anchors: bool
    layout: str
    list_cutoff: int
    list_source: str
    examples: Sequence[Json]
    cache: str
    catalog: str
    calibration: Json


class ManyOptions(Options, total=False):
    """The same, for several factors."""

    factors: Sequence[str]
    factor_judges: Mapping[str, str]
    factor_panels: Mapping[str, Sequence[str]]
    mixture: Json
    rubrics: Sequence[Json]
    grouping: str
    verdicts: Sequence[Json]


class DebateOptions(ManyOptions, total=False):
    """The same, for a debate."""

    judges: Mapping[str, str]
    roles: Sequence[Json]
    max_rounds: int
    to_the_end: bool
    evidence: str
    seed: int
    budget: Json


class EvaluateOptions(DebateOptions, total=False):
    """The same, with or without a debate."""

    debate: bool


def plain(value: Any) -> Any:
    """The value as JSON has it, models and all."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return plain(value.to_dict()) if hasattr(value, "to_dict") else value


def quoted(name: str) -> str:
    """A name as one segment of a path."""
    return quote(name, safe="")


def body(log: Json, options: Mapping[str, Any]) -> dict[str, Any]:
    """A request about a log."""
    return {"log": plain(log), **plain(options)}


def batch_lines(logs: Iterable[Json], path: str, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One line for each log, named by its place."""
    for index, log in enumerate(logs):
        yield {"custom_id": str(index), "path": path, "body": body(log, options)}
