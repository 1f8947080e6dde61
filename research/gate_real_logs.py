"""Measure the gate on real conversations: halves of unchanged sets, and sets with a weakness planted.

Few systems in the data have more than thirty conversations, and few of those are in the same
situations. So a set (one file, all its systems) stands for a system: it is split in halves at random, and
the halves are paired at random. Nothing changed between such halves, and every failure is false."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.progress import Progress, track

from research.judge_data import catalogues_only, logs_of
from service.cli.configuration import Gate
from service.cli.gate.judgement import judge
from service.cli.gate.results import State
from service.cli.records import Record
from service.cli.scores import Run
from tools.service_process import running_service

SETS: Mapping[str, str | None] = {
    "crsarena_eval.dev": None,
    "concept_redial.sample": "catalog.redial",
    "concept_opendialkg.sample": "catalog.opendialkg",
    "cosrec.dev": None,
    "uss_redial.dev": None,
    "uss_sgd.dev": None,
    "uss_ccpe.dev": None,
}
SIZES = (30, 60, 100)
EVERY = 3
"""A weakness is in every third conversation."""
CUT_WORDS = 3
AT_ONCE = 4

Log = dict[str, Any]
Message = dict[str, Any]


def _replies(log: Log) -> list[Message]:
    return [message for message in log["messages"] if message["role"] == "assistant"]


def _with_replies(log: Log, replies: Sequence[Message]) -> Log:
    rest = iter(replies)
    messages = [next(rest) if message["role"] == "assistant" else message for message in log["messages"]]
    return {**log, "messages": messages}


def _repeats_itself(log: Log, _: Log) -> Log:
    replies = _replies(log)
    return _with_replies(log, replies[:1] * len(replies))


def _answers_another(log: Log, other: Log) -> Log:
    others = _replies(other) or _replies(log)
    return _with_replies(log, [others[i % len(others)] for i in range(len(_replies(log)))])


def _is_cut_short(log: Log, _: Log) -> Log:
    cut = [{**reply, "content": " ".join(reply["content"].split()[:CUT_WORDS])} for reply in _replies(log)]
    return _with_replies(log, cut)


WEAKNESSES: Mapping[str, Callable[[Log, Log], Log]] = {
    "repeats its first reply": _repeats_itself,
    "answers somebody else": _answers_another,
    f"stops after {CUT_WORDS} words": _is_cut_short,
}


@dataclass(frozen=True)
class Judged:
    """A set as it is, and with each weakness."""

    name: str
    unchanged: Run
    weak: Mapping[str, Run]


def judged_sets(folder: Path) -> list[Judged]:
    """All sets of the folder, judged by the embedded judge over HTTP."""
    with catalogues_only(folder) as catalogues, running_service({"CATALOGS": str(catalogues)}) as url:
        return [_judged(url, folder, name, catalogue) for name, catalogue in SETS.items()]


def _judged(url: str, folder: Path, name: str, catalogue: str | None) -> Judged:
    logs = list(logs_of(folder / f"{name}.jsonl"))
    changed = {
        weakness: {i: plant(logs[i], logs[(i + 1) % len(logs)]) for i in range(0, len(logs), EVERY)}
        for weakness, plant in WEAKNESSES.items()
    }
    every = [*logs, *(log for weak in changed.values() for log in weak.values())]
    with Progress() as shown:
        done = shown.add_task(name, total=len(every))
        records = iter(asyncio.run(_score(url, every, catalogue, lambda: shown.advance(done))))
    unchanged = [next(records) for _ in logs]
    weak = {}
    for weakness, at in changed.items():
        found = {i: next(records) for i in at}
        weak[weakness] = Run(weakness, [found.get(i, record) for i, record in enumerate(unchanged)])
    return Judged(name, Run(name, unchanged), weak)


async def _score(
    url: str, logs: Sequence[Log], catalogue: str | None, done: Callable[[], None]
) -> list[Record]:
    places = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(base_url=url, timeout=300) as client:

        async def score(log: Log) -> Record:
            body = {"log": log, **({"catalog": catalogue} if catalogue else {})}
            async with places:
                answer = await client.post("/score", json=body)
            done()
            if answer.is_error:
                raise SystemExit(f"/score answered {answer.status_code}: {answer.text}")
            return Record(log["id"], log.get("system"), "/score", log["id"], answer.json(), None)

        return list(await asyncio.gather(*(score(log) for log in logs)))


@dataclass(frozen=True)
class Share:
    """The gate's verdicts on many pairs of runs of `n` conversations."""

    what: str
    paired: bool
    n: int
    states: Counter[State]
    by_set: Mapping[str, Counter[State]]

    @property
    def samples(self) -> int:
        """Return how many pairs of runs."""
        return self.states.total()

    def of(self, state: State) -> float:
        """The share of them with this verdict."""
        return self.states[state] / max(self.samples, 1)


UNCHANGED = "unchanged"


def shares(sets: Sequence[Judged], gate: Gate, *, halves: int, samples: int) -> list[Share]:
    """False failures of `halves` splits of each set, and failures found in `samples` of each weakness,
    for every size that a set allows."""
    questions = [(UNCHANGED, False), *((weak, paired) for paired in (False, True) for weak in WEAKNESSES)]
    found = []
    for number, (what, paired) in enumerate(questions):
        for size in SIZES:
            by_set: dict[str, Counter[State]] = {}
            large = [one for one in sets if len(one.unchanged.records) >= 2 * size]
            count = halves if what == UNCHANGED else samples
            for one in track(large, description=f"{what}, {size}"):
                rng = np.random.default_rng([number, size, *one.name.encode()])
                after = one.weak.get(what, one.unchanged)
                runs = _samples(one.unchanged, after, size, count, paired=paired, rng=rng)
                by_set[one.name] = Counter(
                    judge(now, before, gate.model_copy(update={"seed": seed})).state
                    for seed, (before, now) in enumerate(runs)
                )
            found.append(Share(what, paired, size, sum(by_set.values(), Counter()), by_set))
    return found


def _samples(
    before: Run, after: Run, size: int, count: int, *, paired: bool, rng: np.random.Generator
) -> Iterator[tuple[Run, Run]]:
    """Pairs of runs: of the same conversations, or of the halves of a sample that are paired at random."""
    for _ in range(count):
        order = rng.permutation(len(before.records))
        first, second = order[:size], order[:size] if paired else order[size : 2 * size]
        yield _named(before, first), _named(after, second)


def _named(run: Run, chosen: Sequence[int] | np.ndarray[Any, Any]) -> Run:
    records = [replace(run.records[i], conversation=f"pair-{place}") for place, i in enumerate(chosen)]
    return Run(run.name, records)
