"""Measure whether coherence tells a reply from one of another conversation with the same system.

    python -m research.measure_exchanged

In every second conversation of a family (those that training held out) one reply is exchanged. Prints, and writes to
research/exchanged.json, the area under the curve of the replies' own coherence scores, real against exchanged."""

import asyncio
import json
import random
import zlib
from pathlib import Path
from typing import Any

from sklearn.metrics import roc_auc_score

from research.fit_overall import DATA, log_of, verdicts_of
from service.domain.verdict import Scored

MOST = 60
"""Conversations of a family that are judged, twice each."""
FAMILIES = {
    "ChatGPT on films": ("crsarena_eval.dev", "chatgpt"),
    "other film systems": ("crsarena_eval.dev", "kbrd barcor unicrs crbcrs"),
    "tasks": ("uss_sgd.dev", ""),
    "products": ("cosrec.dev", ""),
    "people on films": ("uss_redial.dev", ""),
}
REPORT = Path(__file__).parent / "exchanged.json"
SHORTEST = 20
"""Characters of a reply that is exchanged."""


def talks(file: str, systems: str) -> list[dict[str, Any]]:
    """Return the conversations of a family that are held out."""
    rows = [json.loads(line) for line in (DATA / f"{file}.jsonl").read_text("utf-8").splitlines()]
    chosen = [row for row in rows if not systems or row["system"].split("_")[0] in systems.split()]
    return [row for row in chosen if zlib.crc32(row["id"].encode()) % 2 == 0]


def replies(row: dict[str, Any]) -> list[int]:
    """Return the indices of the replies that follow a message of the user and are long enough."""
    messages = row["messages"]
    return [
        at for at in range(1, len(messages))
        if messages[at]["role"] == "assistant" and messages[at - 1]["role"] == "user"
        and len(messages[at]["content"]) >= SHORTEST
    ]  # fmt: skip


async def points(row: dict[str, Any], at: int) -> list[float]:
    """Return the coherence score of one reply, if there is one."""
    verdicts = await verdicts_of(log_of(row))
    scored = [one for one in verdicts if one.factor == "coherence" and isinstance(one, Scored)]
    return [turn.score for one in scored for turn in one.turns or () if turn.message == at]


async def measure() -> dict[str, Any]:
    """Return the areas by family."""
    found = {}
    for name, (file, systems) in FAMILIES.items():
        rows, chance = talks(file, systems), random.Random(1)
        real, other = list[float](), list[float]()
        for row in chance.sample(rows, min(MOST, len(rows))):
            others = [
                one for one in rows if one["system"] == row["system"] and one is not row and replies(one)
            ]
            if not (places := replies(row)) or not others:
                continue
            at, one = chance.choice(places), chance.choice(others)
            foreign, messages = one["messages"][chance.choice(replies(one))], row["messages"]
            real += await points(row, at)
            other += await points({**row, "messages": [*messages[:at], foreign, *messages[at + 1 :]]}, at)
        area = roc_auc_score([1] * len(real) + [0] * len(other), real + other)
        found[name] = {"replies": len(real), "area": round(float(area), 3)}
        print(name, found[name], flush=True)
    return found


if __name__ == "__main__":
    REPORT.write_text(json.dumps(asyncio.run(measure()), indent=1) + "\n", encoding="utf-8")
