"""A results file as numbers: faults and scores by factor and conversation, and what could not be scored."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean

from ..domain.verdict import UNSUPPORTED_LANGUAGE, Severity
from ..faults import load_faults
from ..faults.fault import Detector
from ..faults.ladder import SEVERITY
from ..importing.entries import Fault
from .exits import CommandError
from .files import STDIN, without_collection
from .inputs import Json, entries, grouped
from .records import Record, parse_record
from .result_form import form_fault

NO_REPLY = "no-reply"
_LOOKED = frozenset({"no_occasion", "no_replies"})
"""Reasons of verdicts without a score whose judge has looked for faults nevertheless."""
OVERALL = "overall"
"""One score for a conversation, 0-4, as its answer gives it. A rule of the gate may name it like a factor."""
MEAN = "mean"
"""The mean of a conversation's factors, put on 0-4. A rule of the gate may name it like a factor."""
MEAN_OF_FACTORS = "mean of factors"
OVERALL_SPAN = 4.0
DEBATE_SPAN = 100.0
COHERENCE = "coherence"
BELONGING = "belonging"
"""The share of replies that belong to their conversation, 0 to 1, as the embedded judge counts it beside coherence. The gate
may watch it like a factor; it is part of no mean."""
ANSWERED = "answered"
"""The share of the user's requests that got a reply, 0 to 1, counted in the logs themselves. It is part of no mean."""
NO_SYSTEM = "no system"


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


@dataclass
class FactorScores:
    """One factor over a run: its scale, its scores by conversation as means of `repeats`, and why others have none."""

    factor: str
    low: float
    high: float
    scores: dict[str, float] = field(default_factory=dict)
    repeats: dict[str, list[float]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    """By code of the reason: not assessable."""
    failures: Counter[str] = field(default_factory=Counter)
    """By code of the reason: failed."""

    def on_four(self, score: float) -> float:
        return OVERALL_SPAN * (score - self.low) / (self.high - self.low)


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
                factor, scale = _add(found, record.conversation, verdict), verdict["scale"]
                low, high = scale["min"], scale["max"]
                if (factor.low, factor.high) != (low, high):
                    raise CommandError(
                        f"{self.name} has scores of {factor.factor} from {factor.low:g} to {factor.high:g}, and from {low:g} to "
                        f"{high:g} ({record.conversation}): score all logs again with one of the two rubrics."
                    )
        return found

    @cached_property
    def debates(self) -> FactorScores | None:
        """The overall scores of debates, 0-100; None where none was asked for."""
        asked = [record for record in self.records if record.debate or record.debate_failure]
        scores = _means((r.conversation, float(r.debate["overall"])) for r in asked if r.debate)
        failures = Counter(str(r.debate_failure["code"]) for r in asked if r.debate_failure)
        return FactorScores(OVERALL, 0.0, DEBATE_SPAN, scores, failures=failures) if asked else None

    @cached_property
    def by_system(self) -> dict[str, "Run"]:
        parts = grouped((record.system or NO_SYSTEM, record) for record in self.records)
        return {system: Run(system, records) for system, records in parts.items()}

    @cached_property
    def belonging(self) -> dict[str, float]:
        """The mean probability that a reply has no fault, for each conversation in which a judge counted it."""
        counted = ((r.conversation, v.get("counts") or {}) for r in self.records for v in r.verdicts)
        return _means((name, float(counts[BELONGING])) for name, counts in counted if BELONGING in counts)

    @cached_property
    def overall(self) -> dict[str, float]:
        """Each conversation's overall score as its answers give it, 0-4; the mean where it was held several times."""
        scores = ((record.conversation, answered_overall(record)) for record in self.records)
        return _means((conversation, score) for conversation, score in scores if score is not None)

    @cached_property
    def mean(self) -> dict[str, float]:
        """Each conversation's mean over the factors that it has a score for, put on 0-4."""
        factors = self.factors.values()
        return _means((name, one.on_four(score)) for one in factors for name, score in one.scores.items())

    @cached_property
    def answered(self) -> dict[str, float]:
        """The share of each conversation's requests that got a reply, where the user asks for anything."""
        return _means((r.conversation, r.answered) for r in self.records if r.answered is not None)

    @cached_property
    def faults(self) -> dict[str, list[FoundFault]]:
        """The reported faults by slug, in the order of the conversations."""
        return grouped((one.fault, one) for _, found, _ in self._searched for one in found)

    def showing(self, fault: str) -> dict[str, float]:
        """The share of each conversation's repeats that show a fault, where a judge looked for it: 0 or 1 without repeats."""
        return _means((name, float(replies > 0)) for name, replies, _ in self.replies_showing(fault))

    def replies_showing(self, fault: str) -> Iterator[tuple[str, int, int]]:
        """Yield conversations that were searched for a fault, with counts of replies that show it, and of all, missing ones too."""
        lowered, known = lowered_factors(fault), load_faults().get(fault)
        learned = known is not None and Detector.COMPUTED not in known.found_by
        for record, found, judged in self._searched:
            showing = sum(one.fault == fault for one in found)
            if showing or not (judged.isdisjoint(lowered) or (learned and _is_unread(record))):
                missing = sum(one.fault == NO_REPLY for one in found)
                yield record.conversation, showing, (record.replies or 0) + missing

    @cached_property
    def _searched(self) -> list[tuple[Record, list[FoundFault], frozenset[str]]]:
        return [(record, faults_of(record), frozenset(judged_for(record))) for record in self.records]

    @cached_property
    def silent(self) -> set[str]:
        """The conversations in which the recommender says nothing."""
        return set(self.conversations) - {r.conversation for r in self.records if r.replies != 0}

    @cached_property
    def conversations(self) -> list[str]:
        """All that were to be judged, each once."""
        return list(dict.fromkeys(record.conversation for record in self.records))

    @cached_property
    def keys(self) -> dict[str, str]:
        """The comparison key of each conversation that was answered."""
        return {r.conversation: r.comparison_key for r in self.records if r.comparison_key is not None}

    def verdict(self, conversation: str, factor: str) -> Json | None:
        return self._verdicts.get((conversation, factor))

    @cached_property
    def _verdicts(self) -> dict[tuple[str, str], Json]:
        """Of several verdicts on one conversation, the one with the lowest score."""
        found = [((r.conversation, v["factor"]), v) for r in self.records for v in r.verdicts]
        return dict(sorted(found, key=lambda one: -math.inf if (s := one[1]["score"]) is None else -s))


def _means(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    return {name: fmean(repeats) for name, repeats in grouped(values).items()}


def _is_unread(record: Record) -> bool:
    """Return whether the judge does not read the language: code may find faults there, and the detector none."""
    return any((v.get("reason") or {}).get("code") == UNSUPPORTED_LANGUAGE for v in record.verdicts)


def _add(found: dict[str, FactorScores], conversation: str, verdict: Json) -> FactorScores:
    slug, scale = verdict["factor"], verdict["scale"]
    factor = found.setdefault(slug, FactorScores(slug, scale["min"], scale["max"]))
    if verdict["status"] == "scored":
        repeats = factor.repeats.setdefault(conversation, [])
        repeats.append(verdict["score"])
        factor.scores[conversation] = fmean(repeats)
    elif verdict["status"] == "failed":
        factor.failures[verdict["reason"]["code"]] += 1
    else:
        factor.reasons[verdict["reason"]["code"]] += 1
    return factor


def answered_overall(record: Record) -> float | None:
    """The overall score that an answer's summaries give."""
    summaries = (record.answer or {}).get("summaries") or ()
    return next((float(one["overall"]) for one in summaries if one.get("overall") is not None), None)


def repeated(run: Run, factor: str) -> dict[str, list[float]]:
    """Every score of a factor, of `overall` or of `mean` by conversation, one for each time that it was held."""
    if factor not in (OVERALL, MEAN):
        return run.factors[factor].repeats if factor in run.factors else {}
    each = (Run(run.name, [record]) for record in run.records)
    return grouped(one for own in each for one in (own.overall if factor == OVERALL else own.mean).items())


def is_results(path: str) -> bool:
    """Return whether a path holds results of `crs-eval score`. Sessions of `crs-eval simulate` without verdicts are logs."""
    if path != STDIN and not Path(path).exists():
        return False
    first = next(entries([path], []), None)
    record = parse_record(first.value) if first is not None else None
    return record is not None and (record.path != "/simulate" or bool(record.verdicts))


def load_run(path: str) -> Run:
    """Load a results file, or a folder of them. Raises CommandError for anything else in it."""
    faults: list[Fault] = []
    records = []
    with without_collection():
        for entry in entries([path], faults):
            record = parse_record(entry.value)
            if record is None:
                detail = (
                    "no result of `crs-eval score`. Score the logs first: crs-eval score LOGS --out RESULTS"
                )
                faults.append(Fault(entry.place, detail))
            elif (wrong := form_fault(entry.value)) is not None:
                detail = f"in another form than `crs-eval score` writes: {wrong}; score its logs again"
                faults.append(Fault(entry.place, detail))
            else:
                records.append(record)
    if faults:
        raise CommandError(str(faults[0]))
    return Run(path, records)
