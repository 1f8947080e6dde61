"""Replies with what people said of them, as the judge reads them."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from research.rated_logs import HALVES, catalogue, read_lines, to_log
from research.train_judge.replies import HUMAN, TOP, Marked
from research.train_judge.talk import PARTS, part
from service.catalogue.catalogue import Catalogue
from service.judges.embedded.observations import reading
from service.judges.embedded.observations.acts.learned import SATISFACTION, Side, model, unpacked, weighted
from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.rules.replies import judge_replies
from service.judges.inquiry import Case

AGREEMENT = Path(__file__).resolve().parents[2] / "benchmarks" / "agreement"
FAMILIES = AGREEMENT / "families.json"
#: Satisfaction as it is learned without each part of people's conversations: a column a part.
BY_PART = AGREEMENT / "satisfaction-by-part.npz"
LABEL = {"relevance": "relevance", "interest": "interestingness"}
HUMANS = "human"
#: Lowest and highest mark for satisfaction.
CONTENT = (1.0, 5.0)


@dataclass(frozen=True)
class Records:
    """The labelled conversations with their halves' catalogues."""

    systems: Sequence[Mapping[str, Any]]
    humans: Sequence[Mapping[str, Any]]
    shelves: Mapping[str, Catalogue]

    @classmethod
    def read(cls, data: Path) -> "Records":
        """All that is learned from or measured on."""
        return cls(
            read_lines(data / "crsarena_eval.dev.jsonl"),
            read_lines(data / "uss_redial.dev.jsonl"),
            {half: catalogue(data / f"catalog.{half}.jsonl") for half in HALVES},
        )

    def case(self, record: Mapping[str, Any], *, given: bool = True) -> Case:
        """A record as the judge is asked about it."""
        half = str(record["system"]).partition("_")[2] or HALVES[0]
        return Case(to_log(record), self.shelves[half] if given else None)


def families() -> dict[str, str]:
    """The family of each system."""
    known = json.loads(FAMILIES.read_text(encoding="utf-8"))
    return {system: family for family, systems in known.items() for system in systems}


async def marked_replies(records: Records, kind: str) -> list[Marked]:
    """Every marked reply of a system."""
    family = families()
    found = []
    for record in records.systems:
        for each in judge_replies(await read_case(records.case(record))):
            mark = (record["human"]["turns"][each.exchange.reply[0].index] or {}).get(LABEL[kind])
            if mark is not None:
                system = record["system"]
                found.append(Marked(each.signals, mark / TOP[kind], system, family.get(system, system)))
    return found


async def marked_humans(records: Records) -> list[Marked]:
    """Every reply of a human recommender whose next message of the user was rated, each part a family of its own,
    read by a model of satisfaction that was learned from the other parts."""
    found = []
    for number in range(PARTS):
        with satisfaction_without(number):
            for index, record in enumerate(records.humans):
                if part(index) == number:
                    found += await _of_human(records.case(record), record, number)
    return found


async def _of_human(case: Case, record: Mapping[str, Any], number: int) -> list[Marked]:
    read = await read_case(case)
    found = []
    for index, each in enumerate(judge_replies(read)):
        rated = [
            rating for message in read.after(index) if (rating := record["human"]["turns"][message.index])
        ]
        if rated:
            low, high = CONTENT
            mark = (statistics.fmean(statistics.fmean(rating) for rating in rated) - low) / (high - low)
            found.append(Marked(each.signals, mark, HUMANS, f"{HUMANS} {number}", HUMAN))
    return found


@contextmanager
def satisfaction_without(number: int) -> Iterator[None]:
    """Read users with satisfaction learned from all conversations but those of one part."""
    side = model()["user"]
    column = side.labels.index(SATISFACTION)
    weights, bias = side.weights.copy(), side.bias.copy()
    with np.load(BY_PART, allow_pickle=False) as stored:
        weights[:, column] = weighted(unpacked(stored), side.rarity)[:, number]
        bias[column] = stored["bias"][number]
    known = {**model(), "user": Side(side.labels, side.rarity, weights, bias)}
    with patch.object(reading, "model", lambda: known):
        yield
