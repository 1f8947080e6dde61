"""A results file as numbers: scores by factor and conversation, and what could not be scored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..importing.entries import Fault
from .exits import CommandError
from .files import STDIN
from .inputs import Json, entries
from .reading import without_collection
from .records import Record, parse_record

OVERALL = "overall"
"""A conversation's mean over factors, each put on 0-4: what a rule may name like a factor."""
OVERALL_SPAN = 4.0
MEAN_OF_FACTORS = "mean of factors"
"""What that mean goes by where a debate came to an overall score of its own."""
DEBATE_SPAN = 100.0
BELONGING = "belonging"
"""The share of replies that belong to their conversation, 0 to 1, as the embedded judge counts it beside coherence. The gate
may watch it like a factor; it is part of no mean."""
NO_SYSTEM = "no system"
"""What the logs go by that name none."""


@dataclass
class FactorScores:
    """One factor over a run: its scale, a score a conversation, and why others have none."""

    factor: str
    low: float
    high: float
    scores: dict[str, float] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    """By code of the reason: not assessable."""
    failures: Counter[str] = field(default_factory=Counter)
    """By code of the reason: failed."""


@dataclass(frozen=True)
class Run:
    """The records of one run under a name for people."""

    name: str
    records: Sequence[Record]

    @cached_property
    def factors(self) -> dict[str, FactorScores]:
        """By slug, in the order they were judged."""
        found: dict[str, FactorScores] = {}
        for record in self.records:
            for verdict in record.verdicts:
                _add(found, record.conversation, verdict)
        return found

    @cached_property
    def debates(self) -> FactorScores | None:
        """The overall scores of debates, 0-100; None where none was asked for."""
        asked = [record for record in self.records if record.debate or record.debate_failure]
        scores = {r.conversation: float(r.debate["overall"]) for r in asked if r.debate}
        failures = Counter(str(r.debate_failure["code"]) for r in asked if r.debate_failure)
        return FactorScores(OVERALL, 0.0, DEBATE_SPAN, scores, failures=failures) if asked else None

    @cached_property
    def by_system(self) -> dict[str, "Run"]:
        """A run for each system, in the order in which they come."""
        parts: dict[str, list[Record]] = {}
        for record in self.records:
            parts.setdefault(record.system or NO_SYSTEM, []).append(record)
        return {system: Run(system, records) for system, records in parts.items()}

    @cached_property
    def belonging(self) -> dict[str, float]:
        """The share of belonging replies of each conversation in which a judge counted them."""
        counted = ((r.conversation, v.get("counts") or {}) for r in self.records for v in r.verdicts)
        return {name: float(counts[BELONGING]) for name, counts in counted if BELONGING in counts}

    @property
    def conversations(self) -> list[str]:
        """All that were to be judged."""
        return [record.conversation for record in self.records]

    @property
    def unanswered(self) -> list[Record]:
        """Those for which the service gave no answer at all."""
        return [record for record in self.records if record.answer is None]

    @cached_property
    def keys(self) -> dict[str, str]:
        """The comparison key of each conversation that was answered."""
        return {r.conversation: r.comparison_key for r in self.records if r.comparison_key is not None}

    def verdict(self, conversation: str, factor: str) -> Json | None:
        """The verdict of a factor on a conversation."""
        return self._verdicts.get((conversation, factor))

    @cached_property
    def _verdicts(self) -> dict[tuple[str, str], Json]:
        return {(r.conversation, v["factor"]): v for r in self.records for v in r.verdicts}


def _add(found: dict[str, FactorScores], conversation: str, verdict: Json) -> None:
    slug, scale = verdict["factor"], verdict["scale"]
    factor = found.setdefault(slug, FactorScores(slug, scale["min"], scale["max"]))
    if verdict["status"] == "scored":
        factor.scores[conversation] = verdict["score"]
    elif verdict["status"] == "failed":
        factor.failures[verdict["reason"]["code"]] += 1
    else:
        factor.reasons[verdict["reason"]["code"]] += 1


def overall(run: Run, among: Sequence[str]) -> dict[str, float]:
    """Each conversation's mean over those of the factors that it has a score for, put on 0-4."""
    parts: dict[str, list[float]] = {}
    for slug in among:
        factor = run.factors[slug]
        for conversation, score in factor.scores.items():
            share = (score - factor.low) / (factor.high - factor.low)
            parts.setdefault(conversation, []).append(share * OVERALL_SPAN)
    return {conversation: sum(shares) / len(shares) for conversation, shares in parts.items()}


def is_results(path: str) -> bool:
    """Return whether a file, or a folder of them, holds results of `crs-eval score` rather than logs."""
    if path == STDIN or not Path(path).exists():
        return False
    first = next(entries([path], []), None)
    return first is not None and parse_record(first.value) is not None


def load_run(path: str) -> Run:
    """A results file, or a folder of them. Raises CommandError for anything else in it."""
    faults: list[Fault] = []
    records = []
    with without_collection():
        for entry in entries([path], faults):
            record = parse_record(entry.value)
            if record is None:
                told = (
                    "no result of `crs-eval score`. Score the logs first: crs-eval score LOGS --out RESULTS"
                )
                faults.append(Fault(entry.place, told))
            else:
                records.append(record)
    if faults:
        raise CommandError(str(faults[0]))
    return Run(path, records)
