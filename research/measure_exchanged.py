"""Measure how often the gate notices that some of the replies answer somebody else, where it watches belonging
and where it does not.

    python -m research.measure_exchanged --data FOLDER [--write]

In each set a share of all replies is exchanged for replies of other conversations with the same system; the same
conversations are compared before and after. What the encoder's head learned knows nothing of the set's family. `--write`
puts the table into `docs/embedded-judge.md`. Takes some ten minutes."""

import argparse
import asyncio
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.progress import track

from research.encoder.conversations import FAMILY_OF_FILE
from research.encoder.fitting import Reading, Trials, read
from research.gate_real_logs import SETS
from research.rated_logs import catalogue, read_lines, to_log
from service.catalogue.catalogue import Catalogue
from service.cli.configuration import Gate
from service.cli.gate.judgement import judge
from service.cli.gate.results import State
from service.cli.records import Record
from service.cli.scores import OVERALL, Run
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.encoder import belonging
from service.encoder.encoder import Encoder, meaning
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.inquiry import Case, Inquiry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "embedded-judge.md"
BEGIN, END = "<!-- exchanged: begin -->", "<!-- exchanged: end -->"
SHARES = (0.1, 0.25, 0.5)
#: Conversations of a set, those of a sample, and samples of each set.
MOST, SIZE, SAMPLES = 100, 60, 40
CORE = tuple(load_factors().of(Protocol.CORE))
#: A set's runs by the share of exchanged replies.
Runs = dict[float, Run]


class Known:
    """The encoder, asked once for each text."""

    def __init__(self, reading: Reading) -> None:
        self._inner: Encoder = meaning()
        self._vectors = reading.vectors()

    def pieces(self, text: str) -> list[int]:
        """The numbers of the text's word pieces."""
        return self._inner.pieces(text)

    def encode(self, texts: Sequence[str]) -> Any:
        """A row a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors.update(zip(new, self._inner.encode(new), strict=True) if new else ())
        return np.array([self._vectors[text] for text in texts], np.float32)


def exchanged(logs: Sequence[ConversationLog], share: float, rng: random.Random) -> list[ConversationLog]:
    """The logs, with that share of the replies from other conversations with the same system."""
    replies: dict[str | None, list[tuple[int, Message]]] = {}
    for place, log in enumerate(logs):
        for index in log.replies:
            replies.setdefault(log.system, []).append((place, log.messages[index]))

    def drawn(place: int, message: Message, others: Sequence[tuple[int, Message]]) -> Message:
        if message.role is Role.ASSISTANT and rng.random() < share:
            foreign = [one for where, one in others if where != place and one.content != message.content]
            return replace(message, content=rng.choice(foreign).content) if foreign else message
        return message

    return [
        replace(log, messages=tuple(drawn(place, each, replies[log.system]) for each in log.messages))
        for place, log in enumerate(logs)
    ]


def judged(name: str, logs: Sequence[ConversationLog], items: Catalogue | None) -> Run:
    """Return what the embedded judge says of the logs, as a run of the gate."""
    judging = EmbeddedJudge()

    async def ask(log: ConversationLog) -> list[dict[str, Any]]:
        inquiry = Inquiry(Case(log, items), CORE)
        return [
            {"factor": each.factor, "scale": {"min": 0, "max": 4}, "evaluator_revision": "",
             "judge": {"name": "builtin", "model": None},
             **({"status": "scored", "score": each.score, "counts": each.counts} if isinstance(each, Scored)
                else {"status": "not_assessable", "reason": {"code": "gap"}})}
            async for each in judging.ask(inquiry, Call())
        ]  # fmt: skip

    records = [
        Record(
            str(log.id),
            log.system,
            "/score",
            str(log.id),
            {"verdicts": asyncio.run(ask(log)), "comparison_key": "one judge"},
            None,
        )
        for log in track(logs, description=name, disable=True)
    ]
    return Run(name, records)


@contextmanager
def _held_out(heads: Mapping[str, Any], family: str, known: Known) -> Iterator[None]:
    """Belonging is read by the head that does not know the family."""
    head, shared = heads[family]
    with (
        patch.object(belonging, "shipped", lambda: head),
        patch.object(belonging, "common", lambda: shared),
        patch.object(belonging, "meaning", lambda: known),
    ):
        yield


def runs(data: Path, name: str, shelf: str | None, heads: Mapping[str, Any], known: Known) -> Runs:
    """A set as it is, and with exchanged replies."""
    rows = read_lines(data / f"{name}.jsonl")
    if (
        name == "crsarena_eval.dev"
    ):  # families are distinguished by system, of which the head knows one or the other
        rows = [row for row in rows if "chatgpt" not in row["system"]]
    logs = [to_log(row) for row in rows[:MOST]]
    items = catalogue(data / f"{shelf}.jsonl") if shelf else None
    family = FAMILY_OF_FILE.get(f"{name}.jsonl", "weak systems")
    versions = {0.0: logs} | {share: exchanged(logs, share, random.Random(11)) for share in SHARES}
    with _held_out(heads, family, known):
        return {share: judged(f"{name} {share:.0%}", version, items) for share, version in versions.items()}


def power(found: Runs, share: float, *, watched: bool) -> float:
    """The share of samples in which the gate fails; `watched` says whether it looks at belonging."""
    rng = np.random.default_rng(3)
    before, after = found[0.0], found[share]
    factors = () if watched else (*before.factors, OVERALL)
    rules = Gate.model_validate({"regression": {"factors": factors or None}})
    fails = 0
    for seed in range(SAMPLES):
        chosen = rng.permutation(len(before.records))[:SIZE]
        first, second = (Run(run.name, [run.records[i] for i in chosen]) for run in (before, after))
        results = judge(second, first, rules.model_copy(update={"seed": seed})).results
        if not any(result.difference for result in results):
            raise ValueError(f"{second.name}: the gate compared nothing")
        fails += any(result.state is State.FAIL for result in results)
    return fails / SAMPLES


def loss(found: Runs, share: float) -> float:
    """Share of belonging replies that the exchanged set loses."""
    before, after = (found[at].belonging for at in (0.0, share))
    return float(np.mean([before[name] - after[name] for name in before if name in after]))


def main() -> None:
    """Measure, print, and store where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    reading = read(asked.data)
    known = Known(reading)
    names = {FAMILY_OF_FILE.get(f"{name}.jsonl", "weak systems") for name in SETS}
    heads = {}
    for family in sorted(names):
        shared = reading.common(left_out=family)
        heads[family] = Trials(reading.exchanges(shared)).fit(family), shared
    cells = " | ".join(f"{share:.0%}, {when}" for share in SHARES for when in ("without", "with"))
    lines = [f"| set | n | {cells} |", f"| --- | ---: |{' ---: |' * 2 * len(SHARES)}"]
    for name, shelf in SETS.items():
        found = runs(asked.data, name, shelf, heads, known)
        size = min(SIZE, len(found[0.0].records))
        told = " | ".join(
            f"{power(found, share, watched=False):.0%} | "
            f"{power(found, share, watched=True):.0%} ({loss(found, share):.2f})"
            for share in SHARES
        )  # fmt: skip
        lines.append(f"| {name} | {size} | {told} |")
        print(lines[-1], flush=True)
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        new = f"{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}"
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: new, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
