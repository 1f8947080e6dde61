"""Measure the embedded judge on data that its learned parts have not seen, and the worth of each group of
signals.

A whole family of systems, or a part of the conversations of people, is judged with weights learned from all others;
factors, debate and comparison are those of the product. Every figure is Pearson's r."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from research.labelled import Labelled, outputs, read_labelled
from research.rated_logs import Pairs
from research.train_judge.marked import (
    Records,
    families,
    marked_replies,
    marked_users,
    satisfaction_without,
)
from research.train_judge.replies import Marked, fit
from research.train_judge.talk import RATED
from service.debate.embedded import EmbeddedDebater
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Matter, Seat
from service.domain.completion import Call
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.embedded.rules import replies
from service.judges.embedded.rules.replies import NAMES, NEXT, Weighing
from service.judges.inquiry import Case, Inquiry

FACTORS = load_factors()
CORE = tuple(FACTORS.of(Protocol.CORE))
LEARNED_ACTS = frozenset({"satisfaction", *(name for name in NAMES if name.startswith(("then-", "not-")))})


@dataclass(frozen=True)
class Variant:
    """A way to judge: which signals the weighings may use, and whether the catalogue is given. Also how much the learned weighing
    and the mean of all replies count, where that is not as it ships."""

    name: str
    signals: Sequence[str] = NAMES
    given: bool = True
    settings: Mapping[str, float] | None = None


VARIANTS = (
    Variant("as it ships"),
    Variant("without the catalogue", given=False),
    Variant("without the user's next message", tuple(name for name in NAMES if name not in NEXT)),
    Variant(
        "without learned acts and satisfaction", tuple(name for name in NAMES if name not in LEARNED_ACTS)
    ),
    Variant("the rules alone", settings={"LEARNED": 0.0, "SHARED": 0.0}),
)


@dataclass(frozen=True)
class Marks:
    """Replies to learn from, by weighing; those of people are part of `relevance` alone."""

    relevance: Sequence[Marked]
    interest: Sequence[Marked]

    @classmethod
    async def read(cls, records: Records) -> "Marks":
        """All marked replies, read once."""
        users = await marked_users(records)
        return cls(
            [*await marked_replies(records, "relevance"), *users], await marked_replies(records, "interest")
        )

    def without(self, family: str, signals: Sequence[str]) -> dict[str, Weighing]:
        """Weighings learned from all families but one."""
        kinds = {"relevance": self.relevance, "interest": self.interest}
        return {
            kind: Weighing(**fit([one for one in marked if one.family != family], kind, signals))
            for kind, marked in kinds.items()
        }


async def answers(records: Records, marks: Marks, variant: Variant) -> dict[str, dict[str, Any]]:
    """The judge's answer to every log, each judged with what was learned without its family or part."""
    found: dict[str, dict[str, Any]] = {}
    family = families()
    judge = EmbeddedJudge()
    for left_out in sorted({family[record["system"]] for record in records.systems}):
        with _in_force(marks.without(left_out, variant.signals), variant):
            for record in records.systems:
                if family[record["system"]] == left_out:
                    found[record["id"]] = await _answer(judge, records.case(record, given=variant.given))
    for name, some in records.rated.items():
        known = marks.without(name, variant.signals)
        with _in_force(known, variant), satisfaction_without(name):
            for record in some:
                found[record["id"]] = await _answer(judge, records.case(record, given=variant.given))
    return found


@contextmanager
def _in_force(known: Mapping[str, Weighing], variant: Variant) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(patch.object(replies, "weighing", known.__getitem__))
        for name, value in (variant.settings or {}).items():
            stack.enter_context(patch.object(replies, name, value))
        yield


async def _answer(judge: EmbeddedJudge, case: Case) -> dict[str, Any]:
    verdicts = [verdict async for verdict in judge.ask(Inquiry(case, CORE), Call())]
    seats = [Seat(role, EmbeddedDebater()) for role in default_roles(load_roles(FACTORS))]
    debate = await settle(Matter.of(case, verdicts, FACTORS), seats, Terms(), Call())
    scored = [verdict for verdict in verdicts if isinstance(verdict, Scored)]
    return {
        "scores": {
            **{verdict.factor: verdict.score for verdict in scored},
            "mean": statistics.fmean(verdict.score for verdict in scored),
            "debate": debate.overall,
        },
        "turns": {
            verdict.factor: {str(turn.message): turn.score for turn in verdict.turns}
            for verdict in scored
            if verdict.turns
        },
    }


def members() -> dict[str, list[str]]:
    """The systems of each family."""
    found: dict[str, list[str]] = {}
    for system, family in families().items():
        found.setdefault(family, []).append(system)
    return found


def compare(
    labelled: Sequence[Labelled], found: Mapping[str, Mapping[str, Any]]
) -> dict[tuple[str, str], Pairs]:
    """Pairs by label and output."""
    pairs: dict[tuple[str, str], Pairs] = {}
    for one in labelled:
        for label, rater, turn, score in outputs(one, found[one.name]):
            given = one.dialogue.get(label) if turn is None else one.turns[label].get(turn)
            if given:
                key = (label if turn is None else f"turn {label}", rater)
                pairs.setdefault(key, Pairs()).add(statistics.fmean(given.values()), score, one.system)
    return pairs


def _plain(correlation: float | None) -> float | None:
    return None if correlation is None else round(correlation, 3)


async def measure(data: Path, variants: Sequence[Variant] = VARIANTS) -> dict[str, Any]:
    """All figures, by variant, label and output: both halves, within systems, by family, and people's talk."""
    records = Records.read(data)
    marks = await Marks.read(records)
    logs = read_labelled(data / "crsarena_eval.dev.jsonl")
    users = {name: read_labelled(data / file) for name, file in RATED.items() if (data / file).exists()}
    known = members()
    report: dict[str, Any] = {}
    for variant in variants:
        found = await answers(records, marks, variant)
        rows = []
        for (label, rater), pairs in compare(logs, found).items():
            by_family = {name: _plain(pairs.of(*systems).within) for name, systems in known.items()}
            rows.append({"label": label, "output": rater, "n": len(pairs.label), "redial": _plain(pairs.of("redial").pearson),
                         "opendialkg": _plain(pairs.of("opendialkg").pearson), "within": _plain(pairs.within),
                         "families": by_family})  # fmt: skip
        for name, some in users.items():
            for (label, rater), pairs in compare(some, found).items():
                rows.append(
                    {"label": label, "output": rater, "n": len(pairs.label), name: _plain(pairs.pearson)}
                )
        report[variant.name] = rows
    return report
