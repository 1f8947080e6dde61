"""What a model takes: known by its family, and learnt from what it refuses."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from ..domain.completion import AnswerFormat

SCHEMA_PARAMETER = "response schema"
TOOL_PARAMETER = "tool"
PREFIX_PARAMETER = "prefix"
"""Names for what the protocols spell differently; other parameters go by their own names."""

_FALLBACKS = {
    AnswerFormat.SCHEMA: (SCHEMA_PARAMETER, AnswerFormat.TOOL),
    AnswerFormat.TOOL: (TOOL_PARAMETER, AnswerFormat.TEXT),
}
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens"}


class WireProtocol(StrEnum):
    """The protocols that adapters speak."""

    CHAT = "chat"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True)
class Capability:
    """What one model takes. `limit` names the parameter that bounds an answer, None for none;
    `prefix_tokens` is the shortest prefix that its provider keeps, None where it keeps none."""

    temperature: bool = False
    seed: bool = False
    limit: str | None = None
    format: AnswerFormat = AnswerFormat.SCHEMA
    reasoning: bool = False
    prefix_tokens: int | None = None

    def without(self, parameter: str) -> "Capability":
        """The same model without a parameter that it refused; unchanged if it was not sent."""
        steps = {
            "temperature": replace(self, temperature=False),
            "seed": replace(self, seed=False),
            PREFIX_PARAMETER: replace(self, prefix_tokens=None),
        }
        if self.format is not AnswerFormat.TEXT:
            sent, instead = _FALLBACKS[self.format]
            steps[sent] = replace(self, format=instead)
        if self.limit is not None:
            steps[self.limit] = replace(self, limit=_OTHER_LIMIT.get(self.limit))
        return steps.get(parameter, self)


UNKNOWN_MODEL = Capability()


@cache
def _families() -> tuple[tuple[WireProtocol, tuple[str, ...], Capability], ...]:
    text = files(__package__).joinpath("capabilities.toml").read_text("utf-8")
    return tuple(_family(row) for row in tomllib.loads(text)["family"])


def _family(row: Mapping[str, Any]) -> tuple[WireProtocol, tuple[str, ...], Capability]:
    known = {"protocol", "models", "temperature", "seed", "limit", "format", "reasoning", "prefix_tokens"}
    if unknown := row.keys() - known:
        raise ValueError(f"capabilities.toml: unknown field {min(unknown)!r} for {row['models']}")
    capability = Capability(
        temperature=row.get("temperature", False),
        seed=row.get("seed", False),
        limit=row.get("limit") or None,
        format=AnswerFormat(row.get("format", "schema")),
        reasoning=row.get("reasoning", False),
        prefix_tokens=row.get("prefix_tokens") or None,
    )
    return WireProtocol(row["protocol"]), tuple(row["models"]), capability


def known_capability(protocol: WireProtocol, model: str) -> Capability:
    """What the table says of a model, `UNKNOWN_MODEL` where it says nothing."""
    name = model.lower()
    for spoken, patterns, capability in _families():
        if spoken is protocol and any(fnmatchcase(name, pattern) for pattern in patterns):
            return capability
    return UNKNOWN_MODEL


class Capabilities:
    """What the models of one process take: the table, less what they were found to refuse."""

    def __init__(self) -> None:
        self._learnt: dict[tuple[str, str], Capability] = {}

    def of(self, upstream: str, protocol: WireProtocol, model: str) -> Capability:
        """What to send to a model of an upstream."""
        return self._learnt.get((upstream, model)) or known_capability(protocol, model)

    def learn(self, upstream: str, model: str, capability: Capability) -> None:
        """Remember what a model was found to take."""
        self._learnt[upstream, model] = capability

    def refused(self, upstream: str, protocol: WireProtocol, model: str, parameter: str) -> bool:
        """Remember that a model refuses a parameter; whether that leaves another way to ask."""
        before = self.of(upstream, protocol, model)
        after = before.without(parameter)
        self.learn(upstream, model, after)
        return after != before
