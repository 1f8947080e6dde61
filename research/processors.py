"""Compare three kinds of processor in what the embedded judge and the encoder say of the same logs.

    python -m research.processors [--logs 500]

Judges the same logs in three processes, each with other routines of linear algebra (`OPENBLAS_CORETYPE`). Prints the greatest
difference of scores of factors and of probabilities of belonging. Prints also the levels that differ although no score is within
.001 of a bound. Ends with status 1 where a score differs by more than .001, or a level does."""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence

from research.fit_overall import log_of, rated, verdicts_of
from service.domain.conversation import ConversationLog
from service.domain.verdict import Scored, nearest_level

KINDS = ("SkylakeX", "Haswell", "Nehalem")
TOLERANCE = 0.001
#: Scores and probabilities by log and factor or message.
Told = Mapping[str, float]


def logs_of(count: int) -> list[ConversationLog]:
    """Return so many rated logs, drawn from all sets."""
    every = [raw for _, raw, _ in rated()]
    return list(map(log_of, random.Random(5).sample(every, min(count, len(every)))))


async def told(logs: Sequence[ConversationLog]) -> dict[str, float]:
    """Return what this process says of the logs."""
    found: dict[str, float] = {}
    for number, log in enumerate(logs):
        for verdict in await verdicts_of(log):
            if isinstance(verdict, Scored):
                found[f"{number} {verdict.factor}"] = verdict.score
                found[f"{number} belonging"] = (verdict.counts or {}).get("belonging", 0.0)
    return found


def differences(first: Told, second: Told) -> tuple[float, float, int]:
    """Return the greatest difference of scores, that of probabilities, and the number of other levels away from a
    bound. Raises ValueError where one side says what the other does not."""
    if first.keys() != second.keys():
        raise ValueError("one process scored what the other did not")
    scores = [name for name in first if not name.endswith(" belonging")]
    chances = first.keys() - set(scores)
    levels = sum(
        nearest_level(first[name]) != nearest_level(second[name]) and not _near_bound(first[name])
        for name in scores
    )
    far = [max((abs(first[n] - second[n]) for n in part), default=0.0) for part in (scores, chances)]
    return far[0], far[1], levels


def _near_bound(score: float) -> bool:
    return abs(score % 1 - 0.5) <= TOLERANCE


def main() -> int:
    """Compare, print, and say by the status whether they agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument(
        "--here", action="store_true", help="print what this process says, and compare nothing"
    )
    asked = parser.parse_args()
    if asked.here:
        print(json.dumps(asyncio.run(told(logs_of(asked.logs)))))
        return 0
    found = [_in_process(kind, asked.logs) for kind in KINDS]
    agree = True
    for kind, other in zip(KINDS[1:], found[1:], strict=True):
        score, chance, levels = differences(found[0], other)
        agree = agree and max(score, chance) <= TOLERANCE and not levels
        print(
            f"{KINDS[0]} and {kind}: {len(other)} numbers of {asked.logs} logs; scores differ by {score:.1e} at most, "
            f"probabilities by {chance:.1e}; {levels} other levels"
        )
    return 0 if agree else 1


def _in_process(kind: str, count: int) -> dict[str, float]:
    command = [
        sys.executable,
        "-m",
        "research.processors",
        "--logs",
        str(count),
        "--here",
    ]
    ran = subprocess.run(
        command, env={**os.environ, "OPENBLAS_CORETYPE": kind}, check=True, capture_output=True, text=True
    )
    given: dict[str, float] = json.loads(ran.stdout)
    return given


if __name__ == "__main__":
    sys.exit(main())
