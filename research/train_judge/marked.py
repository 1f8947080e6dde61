"""Replies with what people said of them, as the judge reads them."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from research.rated_logs import HALVES, catalogue, read_lines, to_log
from research.train_judge.acts import rating
from research.train_judge.replies import COUNTS, TOP, Marked
from research.train_judge.talk import RATED, RATED_FAMILIES, family
from service.catalogue.catalogue import Catalogue
from service.judges.embedded.observations.acts import acts
from service.judges.embedded.observations.acts.acts import SATISFACTION, model
from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.rules.replies import judge_replies
from service.judges.inquiry import Case

AGREEMENT = Path(__file__).resolve().parents[2] / "benchmarks" / "agreement"
FAMILIES = AGREEMENT / "families.json"
#: The head of satisfaction as it is learned without each family of rated conversations.
BY_FAMILY = AGREEMENT / "satisfaction-by-family.npz"
LABEL = {"relevance": "relevance", "interest": "interestingness"}
HUMANS, TASKS, INTERVIEWS = RATED
#: Lowest and highest mark for satisfaction.
CONTENT = (1.0, 5.0)


@dataclass(frozen=True)
class Records:
    """The labelled conversations of systems with their halves' catalogues, and those whose users' messages are rated, by the
    family that is left out together."""

    systems: Sequence[Mapping[str, Any]]
    rated: Mapping[str, Sequence[Mapping[str, Any]]]
    shelves: Mapping[str, Catalogue]

    @classmethod
    def read(cls, data: Path) -> "Records":
        """All that is learned from or measured on."""
        rated: dict[str, list[Mapping[str, Any]]] = {name: [] for name in RATED_FAMILIES}
        for name, file in RATED.items():
            for index, record in enumerate(read_lines(data / file) if (data / file).exists() else ()):
                rated[family(name, index)].append(record)
        return cls(
            read_lines(data / "crsarena_eval.dev.jsonl"),
            rated,
            {half: catalogue(data / f"catalog.{half}.jsonl") for half in HALVES},
        )

    def case(self, record: Mapping[str, Any], *, given: bool = True) -> Case:
        """A record as the judge is asked about it; the catalogues are of films."""
        half = str(record["system"]).partition("_")[2] or HALVES[0]
        known = given and half in self.shelves and record.get("domain", "movie") == "movie"
        return Case(to_log(record), self.shelves[half] if known else None)


def families() -> dict[str, str]:
    """The family of each system."""
    known = json.loads(FAMILIES.read_text(encoding="utf-8"))
    return {system: name for name, systems in known.items() for system in systems}


async def marked_replies(records: Records, kind: str) -> list[Marked]:
    """Every marked reply of a system."""
    known = families()
    found = []
    for record in records.systems:
        for each in judge_replies(await read_case(records.case(record))):
            mark = (record["human"]["turns"][each.exchange.reply[0].index] or {}).get(LABEL[kind])
            if mark is not None:
                system = record["system"]
                found.append(Marked(each.signals, mark / TOP[kind], system, known.get(system, system)))
    return found


async def marked_users(records: Records) -> list[Marked]:
    """Every reply after which a user's message was rated, in conversations that count. A head of satisfaction that was learned
    without the family reads it."""
    found = []
    for name, some in records.rated.items():
        if name.partition(" ")[0] not in COUNTS:
            continue
        with satisfaction_without(name):
            for record in some:
                found += await _of_user(records.case(record), record, name)
    return found


async def _of_user(case: Case, record: Mapping[str, Any], name: str) -> list[Marked]:
    read = await read_case(case)
    ratings = record["human"]["turns"]
    low, high = CONTENT
    found = []
    for index, each in enumerate(judge_replies(read)):
        rated = [given for message in read.after(index) if (given := rating(ratings[message.index]))]
        if rated:
            mark = (statistics.fmean(rated) - low) / (high - low)
            system = name.partition(" ")[0]
            found.append(Marked(each.signals, mark, system, name, COUNTS[system]))
    return found


@contextmanager
def satisfaction_without(name: str) -> Iterator[None]:
    """Read users with satisfaction learned from all conversations but those of one family."""
    side = model()["user"]
    column = side.labels.index(SATISFACTION)
    own, seen, bias = side.own.copy(), side.seen.copy(), side.bias.copy()
    with np.load(BY_FAMILY, allow_pickle=False) as stored:
        for key, part in (("own", own), ("seen", seen), ("bias", bias)):
            part[:, column] = stored[f"{name} {key}"]
    known = {**model(), "user": replace(side, own=own, seen=seen, bias=bias)}
    with patch.object(acts, "model", lambda: known):
        yield
