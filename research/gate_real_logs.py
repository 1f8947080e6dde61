"""Measure the gate on real conversations: halves of unchanged sets, and conversations in which something is planted.

Few systems in the data have more than thirty conversations, and few of those are in the same
situations. So a set (one file, all its systems) stands for a system: it is split in halves at random, and
the halves are paired at random. Nothing changed between such halves, and every failure is false."""

import asyncio
import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.progress import Progress, track

from service.cli.configuration import GateSettings
from service.cli.gate.judgement import judge
from service.cli.gate.results import RuleState
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
SIZES = (50, 100, 200)
EVERY = (1, 5, 10)
"""A fault is planted in every conversation, in every fifth, in every tenth."""
MOST_PLANTED = max(SIZES)
CUT_WORDS = 3
AT_ONCE = 4
LOG_FIELDS = ("id", "system", "domain", "messages", "user", "outcome")
MESSAGE_FIELDS = ("role", "content", "recommendations")
LEAK = '{"tool": "search_items", "arguments": {"query": "top rated", "limit": 5}}'

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


def _shows_json(log: Log, _: Log) -> Log:
    *first, last = _replies(log) or [{}]
    return _with_replies(log, [*first, {**last, "content": LEAK}])


def _falls_silent(log: Log, _: Log) -> Log:
    first = next((i for i, message in enumerate(log["messages"]) if message["role"] == "assistant"), 0)
    kept = [m for i, m in enumerate(log["messages"]) if m["role"] == "user" or i <= first]
    rest = {name: value for name, value in log.items() if name != "outcome"}  # it points at a message
    return {**rest, "messages": kept, "complete": True}


WEAKNESSES: Mapping[str, Callable[[Log, Log], Log]] = {
    "shows raw JSON": _shows_json,
    "falls silent after a reply": _falls_silent,
    "repeats its first reply": _repeats_itself,
    "answers somebody else": _answers_another,
    f"stops after {CUT_WORDS} words": _is_cut_short,
}


@dataclass(frozen=True)
class Judged:
    """A set as it is, and what becomes of some of its conversations, by their place, where something is planted."""

    name: str
    unchanged: Run
    weak: Mapping[str, Mapping[int, Record]]


def logs_of(path: Path) -> Iterator[dict[str, Any]]:
    """The file's logs without labels, in the contract's fields alone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        log = {name: row[name] for name in LOG_FIELDS if name in row}
        log["messages"] = [
            {name: message[name] for name in MESSAGE_FIELDS if name in message} for message in row["messages"]
        ]
        yield log


@contextlib.contextmanager
def catalogues_only(folder: Path) -> Iterator[Path]:
    """A folder that holds the data's catalogues and no conversations, as the service wants it."""
    with tempfile.TemporaryDirectory() as place:
        for path in folder.glob("catalog.*.jsonl"):
            (Path(place) / path.name).symlink_to(path.resolve())
        yield Path(place)


def judged_sets(folder: Path) -> list[Judged]:
    """All sets of the folder, judged by the embedded judge over HTTP."""
    with catalogues_only(folder) as catalogues, running_service({"CATALOGS": str(catalogues)}) as url:
        return [_judged(url, folder, name, catalogue) for name, catalogue in SETS.items()]


def _judged(url: str, folder: Path, name: str, catalogue: str | None) -> Judged:
    logs = list(logs_of(folder / f"{name}.jsonl"))
    changed = {
        weakness: {i: plant(logs[i], logs[(i + 1) % len(logs)]) for i in range(min(len(logs), MOST_PLANTED))}
        for weakness, plant in WEAKNESSES.items()
    }
    return judged(url, name, logs, changed, catalogue)


def judged(
    url: str,
    name: str,
    logs: Sequence[Log],
    changed: Mapping[str, Mapping[int, Log]],
    catalogue: str | None = None,
) -> Judged:
    """Judge logs, and those that replace some of them, over HTTP."""
    every = [*logs, *(log for weak in changed.values() for log in weak.values())]
    with Progress() as shown:
        done = shown.add_task(name, total=len(every))
        records = iter(asyncio.run(_score(url, every, catalogue, lambda: shown.advance(done))))
    unchanged = [next(records) for _ in logs]
    weak = {weakness: {i: next(records) for i in at} for weakness, at in changed.items()}
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
            replies = sum(message["role"] == "assistant" for message in log["messages"])
            return Record(
                log["id"], log.get("system"), "/score", log["id"], answer.json(), None, replies=replies
            )

        return list(await asyncio.gather(*(score(log) for log in logs)))


@dataclass(frozen=True)
class Share:
    """The gate's verdicts on many pairs of runs of `n` conversations. `failed` counts the samples in which each rule failed, and
    those in which any rule on faults (`FAULTS`) or on means (`MEANS`) did."""

    what: str
    every: int
    n: int
    states: Counter[RuleState]
    failed: Counter[str]
    by_set: Mapping[str, Counter[RuleState]]

    @property
    def samples(self) -> int:
        """Return how many pairs of runs."""
        return self.states.total()

    def of(self, state: RuleState) -> float:
        """The share of them with this verdict."""
        return self.states[state] / max(self.samples, 1)

    def by(self, rule: str) -> float:
        """The share of them in which a rule failed."""
        return self.failed[rule] / max(self.samples, 1)


UNCHANGED = "unchanged"
FAULTS = "faults"
MEANS = "means"


def false_failures(sets: Sequence[Judged], gate: GateSettings, *, halves: int) -> list[Share]:
    """The verdicts on `halves` splits of each set into halves that are paired at random, for every size that a set allows."""
    return [
        _share(UNCHANGED, 1, size, gate, {
            one.name: _halves(one, size, halves) for one in sets if len(one.unchanged.records) >= 2 * size
        })
        for size in SIZES
    ]  # fmt: skip


def found(sets: Sequence[Judged], gate: GateSettings, *, samples: int) -> list[Share]:
    """The verdicts on `samples` of each set with something planted in one of `EVERY` conversations. The baseline holds the same
    conversations without it. Sizes that a set does not allow are left out."""
    weaknesses = dict.fromkeys(weakness for one in sets for weakness in one.weak)
    return [
        _share(weakness, every, size, gate, {
            one.name: _planted(one, weakness, every, size, samples)
            for one in sets
            if len(one.weak.get(weakness, ())) >= size // every and len(one.unchanged.records) >= size
        })
        for weakness in track(weaknesses, description="planted") for every in EVERY for size in SIZES
    ]  # fmt: skip


def _share(
    what: str, every: int, size: int, gate: GateSettings, pairs: Mapping[str, Iterable[tuple[Run, Run]]]
) -> Share:
    by_set: dict[str, Counter[RuleState]] = {}
    failed: Counter[str] = Counter()
    for name, runs in pairs.items():
        states = by_set.setdefault(name, Counter())
        for seed, (before, now) in enumerate(runs):
            judgement = judge(now, before, gate.model_copy(update={"seed": seed}))
            states[judgement.state] += 1
            rules = [result for result in judgement.results if result.state is RuleState.FAIL]
            kinds = {FAULTS if result.fault else MEANS for result in rules}
            failed.update({*(result.factor for result in rules), *kinds})
    return Share(what, every, size, sum(by_set.values(), Counter()), failed, by_set)


def _halves(one: Judged, size: int, count: int) -> Iterator[tuple[Run, Run]]:
    rng = np.random.default_rng([size, *one.name.encode()])
    records = one.unchanged.records
    for _ in range(count):
        order = rng.permutation(len(records))
        yield (
            _named("before", [records[i] for i in order[:size]]),
            _named("now", [records[i] for i in order[size : 2 * size]]),
        )


def _planted(one: Judged, weakness: str, every: int, size: int, count: int) -> Iterator[tuple[Run, Run]]:
    rng = np.random.default_rng([size, every, *one.name.encode()])
    records, planted = one.unchanged.records, one.weak[weakness]
    for _ in range(count):
        weak = rng.permutation(list(planted))[: size // every].tolist()
        others = [i for i in rng.permutation(len(records)).tolist() if i not in weak][: size - len(weak)]
        before = [records[i] for i in (*weak, *others)]
        yield _named("before", before), _named("now", [*(planted[i] for i in weak), *before[len(weak) :]])


def _named(name: str, records: Sequence[Record]) -> Run:
    return Run(name, [replace(record, conversation=f"pair-{at}") for at, record in enumerate(records)])
