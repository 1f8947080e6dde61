"""How well the embedded debate agrees with people, beside the plain mean of its factors.

    python -m tools.measure_debate LOGS.jsonl [CATALOGUES]

Each line of LOGS is a log with `human.dialogue.dialogue_overall`; in the folder CATALOGUES, `<half>.jsonl`
or `catalog.<half>.jsonl` holds the items of a half. Prints, for each half (the part of
`system` after its underscore) and for all: Pearson and Spearman of the debate's overall score and
of the mean of the twelve factors, Pearson within systems, and how many debates converged.
"""

import argparse
import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from service.debate.builtin import BuiltinDebater
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Debate, Matter, Seat
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Protocol
from service.domain.verdict import Verdict
from service.factors import load_factors
from service.judges.builtin.judge import BuiltinJudge
from service.judges.inquiry import Case, Inquiry
from service.text.catalogue import Catalogue, load_catalogues


@dataclass(frozen=True)
class Rated:
    """A log with its people's score and its debate."""

    system: str
    human: float
    verdicts: tuple[Verdict, ...]
    debate: Debate

    @property
    def half(self) -> str:
        """The data set that the log's system was trained on."""
        return half_of(self.system)


def half_of(system: str) -> str:
    """What follows the underscore in a system's name."""
    return system.partition("_")[2] or "all"


def read_log(row: dict[str, Any]) -> ConversationLog:
    """A line of the data as a log; what people said of it stays out."""
    messages = tuple(
        Message(
            Role(m["role"]),
            m["content"],
            tuple(m["recommendations"]) if m.get("recommendations") is not None else None,
        )
        for m in row["messages"]
    )
    return ConversationLog(messages, row.get("id"), row.get("system"), row.get("domain") or "movie")


async def rate(rows: Iterable[dict[str, Any]], catalogues: Mapping[str, Catalogue]) -> list[Rated]:
    """Judge and debate every log with the embedded parts."""
    factors = load_factors()
    core = factors.of(Protocol.CORE)
    seats = [Seat(role, BuiltinDebater()) for role in default_roles(load_roles(factors))]
    judge, rated = BuiltinJudge(), []
    for row in rows:
        case = Case(read_log(row), catalogues.get(half_of(str(row["system"]))))
        verdicts = tuple([v async for v in judge.ask(Inquiry(case, core), Call())])
        debate = await settle(Matter.of(case, verdicts, factors), seats, Terms(), Call())
        human = float(row["human"]["dialogue"]["dialogue_overall"])
        rated.append(Rated(str(row["system"]), human, verdicts, debate))
    return rated


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's r."""
    return float(np.corrcoef(a, b)[0, 1])


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks, ties sharing their mean."""
    array = np.asarray(values)
    return [float((array < v).sum() + (array == v).sum() / 2) for v in values]


def within(rated: Sequence[Rated], scores: Sequence[float]) -> float:
    """Pearson after taking each system's means away."""
    systems = np.array([r.system for r in rated])
    human, score = np.array([r.human for r in rated]), np.asarray(scores, dtype=float)
    for system in set(systems):
        here = systems == system
        human[here] -= human[here].mean()
        score[here] -= score[here].mean()
    return pearson(human.tolist(), score.tolist())


def report(name: str, rated: Sequence[Rated]) -> None:
    """One block of the table."""
    human = [r.human for r in rated]
    kinds = {
        "debate": [r.debate.overall for r in rated],
        "mean of factors": [r.debate.factor_mean or 0.0 for r in rated],
    }
    for kind, scores in kinds.items():
        print(
            f"{name:12} {kind:16} n {len(rated):4}  pearson {pearson(human, scores):.4f}  "
            f"spearman {pearson(ranks(human), ranks(scores)):.4f}  within systems {within(rated, scores):.3f}"
        )


def main() -> None:
    """Read, rate, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("logs", type=Path)
    parser.add_argument("catalogues", type=Path, nargs="?")
    given = parser.parse_args()
    lines = given.logs.read_text(encoding="utf-8").splitlines()
    loaded = load_catalogues(given.catalogues) if given.catalogues else {}
    catalogues = {name.removeprefix("catalog."): catalogue for name, catalogue in loaded.items()}
    rated = asyncio.run(rate((json.loads(line) for line in lines if line), catalogues))
    for half in sorted({r.half for r in rated}):
        report(half, [r for r in rated if r.half == half])
    report("all", rated)
    rounds = [len(r.debate.rounds) for r in rated]
    print(
        f"converged {sum(r.debate.converged for r in rated)} of {len(rated)}, rounds {np.bincount(rounds)[1:]}"
    )


if __name__ == "__main__":
    main()
