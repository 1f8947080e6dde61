"""Faults that results report: each once per message, with the quotes that show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..domain.verdict import Severity
from ..faults import load_faults
from ..faults.ladder import SEVERITY
from .inputs import Json
from .records import Record

NO_REPLY = "no-reply"
_LOOKED = frozenset({"no_occasion", "no_replies"})
"""Reasons of verdicts without a score whose judge has looked for faults nevertheless."""


@dataclass(frozen=True)
class FoundFault:
    """A reported fault. `message` indexes the log's messages; `cost` is the most that it is expected to cost, in points of 4."""

    conversation: str
    fault: str
    message: int | None
    probability: float
    certain: bool
    quotes: Sequence[str]
    cost: float

    @property
    def text(self) -> str:
        """The message, the fault in words, and its quotes."""
        known = load_faults().get(self.fault)
        where = "The conversation" if self.message is None else f"Message {self.message}"
        quotes = " / ".join(f"“{quote}”" for quote in self.quotes)
        doubt = "" if self.certain else f" (probability {self.probability:.2f})"
        return f"{where} {known.wording if known else self.fault}{doubt}{f': {quotes}' if quotes else '.'}"


def faults_of(record: Record) -> list[FoundFault]:
    """Return the faults of one result, the costliest first."""
    found: dict[tuple[str, int | None], FoundFault] = {}
    for verdict in record.verdicts:
        for one in verdict.get("faults") or ():
            made = _found(record.conversation, one)
            known = found.setdefault((made.fault, made.message), made)
            if (made.certain, made.probability) > (known.certain, known.probability):
                found[made.fault, made.message] = made
    return sorted(found.values(), key=lambda one: (-one.cost, not one.certain, one.message or 0))


def _found(conversation: str, one: Json) -> FoundFault:
    known = load_faults().get(one["fault"])
    weight = SEVERITY[Severity(one["severity"])] if one.get("severity") else 1.0
    cost = min(4.0, max(known.costs.values()) * weight) * one["probability"] if known else 0.0
    quotes = tuple(one.get("quotes") or ())
    return FoundFault(
        conversation, one["fault"], one["message"], one["probability"], one["certain"], quotes, cost
    )


def judged_for(record: Record) -> Iterator[str]:
    """Yield the factors of a result whose judge looked for the faults that lower them."""
    for verdict in record.verdicts:
        looked = verdict["status"] == "scored" or (verdict.get("reason") or {}).get("code") in _LOOKED
        if looked and "faults" in verdict:
            yield verdict["factor"]


def lowered_factors(fault: str) -> tuple[str, ...]:
    """Return the factors that a fault lowers, the home factor first; empty for a fault that this version does not know."""
    known = load_faults().get(fault)
    return tuple(known.costs) if known else ()
