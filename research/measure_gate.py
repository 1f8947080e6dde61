"""Measure how often `crs-eval gate` fails what did not change, and which faults it names: docs/gate-power.md.

    python -m research.measure_gate [DATA]

Few systems in the data have more than thirty conversations, and few of those are in the same situations. So a set (one file, all its
systems) stands for a system: it is split in halves at random, and the halves are paired at random. Nothing changed between such
halves, and every failure is false. Then conversations of the corpus that the detector has not learned from are the baseline. In the
new run some of them hold a swap: a reply with one fault."""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from research.corpus.check import NONE
from research.fit_overall import DATA
from research.measure_faults import held_out, plain, swapped
from service.cli.configuration import GateSettings
from service.cli.gate.judgement import judge
from service.cli.gate.results import RuleState
from service.cli.records import Record
from service.cli.scores import OVERALL, Run, load_run
from service.judges.embedded.judge import revision

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
EVERY = (5, 10)
"""A fault is planted in every fifth conversation, or in every tenth."""
HALVES, SAMPLES = 320, 25
CONVERSATIONS = 200
"""Conversations of the corpus that are judged, each also with every swap that it has."""
LOG_FIELDS = ("system", "domain", "messages", "items", "user", "outcome")
STATES = (RuleState.FAIL, RuleState.INCONCLUSIVE, RuleState.PASS)
GATE = GateSettings()
PAGE = Path("docs/gate-power.md")
Log = dict[str, Any]


def judged(logs: Iterable[Log], catalogue: Path | None = None) -> list[Record]:
    """Judge logs by `crs-eval score`, in the contract's fields alone."""
    with tempfile.TemporaryDirectory() as folder:
        given, results = Path(folder) / "logs.jsonl", Path(folder) / "results.jsonl"
        lines = [json.dumps({"id": str(number), **_plain(log)}) for number, log in enumerate(logs)]
        given.write_text("\n".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "service.cli.program", "score", str(given), "--out", str(results)]
        subprocess.run([*command, *(("--catalog", str(catalogue)) if catalogue else ())], check=True)
        return sorted(load_run(str(results)).records, key=lambda record: int(record.conversation))


def _plain(log: Log) -> Log:
    kept = {name: log[name] for name in LOG_FIELDS if log.get(name)}
    return {**kept, "messages": [plain(message) for message in log["messages"]]}


def halves(records: Sequence[Record], size: int) -> Iterator[tuple[Run, Run]]:
    """Yield pairs of halves of a set, paired at random."""
    chance = np.random.default_rng(size)
    for _ in range(HALVES):
        order = chance.permutation(len(records))
        yield _run(records[i] for i in order[:size]), _run(records[i] for i in order[size : 2 * size])


def planted(
    records: Sequence[Record], swaps: Mapping[int, Record], size: int, every: int
) -> Iterator[tuple[Run, Run]]:
    """Yield pairs of runs of the same conversations, one of `every` of them with a swap in the second run."""
    chance = np.random.default_rng([size, every])
    for _ in range(SAMPLES):
        weak = chance.permutation(list(swaps))[: size // every].tolist()
        others = [i for i in chance.permutation(len(records)).tolist() if i not in weak][: size - len(weak)]
        before = [records[i] for i in (*weak, *others)]
        yield _run(before), _run([*(swaps[i] for i in weak), *before[len(weak) :]])


def _run(records: Iterable[Record]) -> Run:
    return Run("run", [replace(record, conversation=f"pair-{at}") for at, record in enumerate(records)])


def decided(pairs: Iterable[tuple[Run, Run]]) -> tuple[Counter[RuleState], Counter[str]]:
    """Return the gate's verdicts on pairs of runs, and in how many of them each rule failed."""
    states, failed = Counter[RuleState](), Counter[str]()
    for seed, (before, now) in enumerate(pairs):
        judgement = judge(now, before, GATE.model_copy(update={"seed": seed}))
        states[judgement.state] += 1
        failed.update({result.factor for result in judgement.results if result.state is RuleState.FAIL})
    return states, failed


def false_failures(data: Path) -> Iterator[str]:
    """Yield the rows of the unchanged sets, those of each set first, then over all sets."""
    total = {size: Counter[RuleState]() for size in SIZES}
    for name, catalogue in SETS.items():
        logs = [json.loads(line) for line in (data / f"{name}.jsonl").read_text("utf-8").splitlines()]
        records = judged(logs, data / f"{catalogue}.jsonl" if catalogue else None)
        found = {size: decided(halves(records, size))[0] for size in SIZES if len(records) >= 2 * size}
        for size, states in found.items():
            total[size] += states
        yield f"| {name} | {' | '.join(_shares(found.get(size)) for size in SIZES)} |"
    yield f"| all | {' | '.join(map(_shares, total.values()))} |"


def _shares(states: Counter[RuleState] | None) -> str:
    return " / ".join(f"{states[state] / states.total():.1%}" for state in STATES) if states else "-"


def named_faults() -> Iterator[str]:
    """Yield a row for each fault: the shares of samples in which the gate names it, and in which it fails at all."""
    corpus = random.Random(0).sample([one for one in held_out() if not one.get("faults")], CONVERSATIONS)
    changed = [
        (swap["fault"], at, {**one, "messages": swapped(one["messages"], swap)})
        for at, one in enumerate(corpus)
        for swap in one["swaps"]
        if swap["fault"] != NONE
    ]
    records = judged([*corpus, *(log for _, _, log in changed)])
    swaps: dict[str, dict[int, Record]] = {}
    for (fault, at, _), record in zip(changed, records[len(corpus) :], strict=True):
        swaps.setdefault(fault, {})[at] = record

    def cell(fault: str, size: int, every: int) -> str:
        if len(swaps[fault]) < size // every:
            return "-"
        states, failed = decided(planted(records[: len(corpus)], swaps[fault], size, every))
        return f"{failed[fault] / SAMPLES:.0%} / {states[RuleState.FAIL] / SAMPLES:.0%}"

    for fault in sorted(swaps):
        cells = [cell(fault, size, every) for every in EVERY for size in SIZES]
        if set(cells) != {"-"}:
            yield f"| `{fault}` | {' | '.join(cells)} |"


def _mostly_named(rows: Sequence[str]) -> str:
    """Return how many faults the first column says are named in half of the samples or more, and which are not."""
    shares = {
        fault: int(share)
        for fault, share in re.findall(r"^\| `(\S+)` \| (\d+)%", "\n".join(rows), re.MULTILINE)
    }
    missed = ", ".join(f"`{fault}`" for fault, share in shares.items() if share < 50)
    return f"{sum(share >= 50 for share in shares.values())} of {len(shares)} faults. It more often misses {missed}."


def page(data: Path) -> str:
    """Return the measurements as a page of documentation."""
    rows = [*named_faults()]
    columns = [f"1 of {every}, n = {size}" for every in EVERY for size in SIZES]
    return "\n".join([
        "# What the gate catches",
        "",
        "For teams that use the gate. At the end of this page you know what the gate catches, and how often it is wrong.",
        "",
        f"Written by `make -C research measure-gate`, with the embedded judge, revision {revision()}. The gate has its default settings: margin",
        f"{GATE.regression.margin:g} ({GATE.regression.margin_of(OVERALL):g} for `overall`), and alpha {GATE.alpha:g}, once over all factors and once over all faults.",
        "",
        "## Nothing changed: false failures on real conversations",
        "",
        f"The data are {len(SETS)} public sets of real conversations, with {HALVES} random splits of each. Few systems in them have more than 30 conversations, so",
        "each set counts as one system. Its halves are paired **at random**, so the two conversations of a pair are different situations. Sets with fewer than 2 n",
        "conversations are left out. Cells are shares of splits: fails / inconclusive / passes.",
        "",
        *_head("set", [f"n = {size}" for size in SIZES]),
        *false_failures(data),
        "",
        "## Which faults the gate names",
        "",
        f"The data are {CONVERSATIONS} conversations of `research/corpus` that the detector was not trained on. Both runs contain the same conversations. In the",
        f"new run, one of {EVERY[0]} or one of {EVERY[1]} has a reply with one fault. Cells are shares of {SAMPLES} samples of n conversations: the gate",
        "names this fault / fails for any reason. A dash marks faults with too few conversations.",
        "",
        f"With one of {EVERY[0]} and n = {SIZES[0]}, the gate names in half of the samples or more",
        _mostly_named(rows),
        "",
        *_head("fault, named / fails", columns),
        *rows,
        "",
    ])  # fmt: skip


def _head(first: str, others: Sequence[str]) -> list[str]:
    return [f"| {first} | {' | '.join(others)} |", f"| --- |{' ---: |' * len(others)}"]


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA), encoding="utf-8")
