"""Measure how soon the pair classifier is ready, and how many pairs a core reads in a second.

    python -m benchmarks.alignment [--pairs 1000]

Pairs are made up, no text twice, so that nothing comes from memory. Times are CPU time. A product of
two matrices of the encoder's size, with numpy on the same core in the same run, is the reference:
figures of two machines compare as ratios to it. Fails under 60 pairs a second or over 2 s."""

import argparse
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence

# One core, whatever the machine has.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

OPENINGS = (
    "Have you ever seen",
    "I really love",
    "My favourite scene is in",
    "What do you think of",
    "You should try",
    "It won a prize, that",
    "So you would rather watch",
    "I am looking for something like",
)
NOUNS = (
    "harbour",
    "mirror",
    "orchard",
    "station",
    "lantern",
    "voyage",
    "garden",
    "castle",
    "river",
    "signal",
)
ENDINGS = ("with the whole family", "on a rainy evening", "if you like slow stories", "?", "for the music")
LEAST_PAIRS, MOST_SECONDS = 60.0, 2.0


def sentence(number: int, chance: random.Random) -> str:
    """Some ten words: INSPIRED's replies have eight on average."""
    title = f"{chance.choice(NOUNS)} {chance.choice(NOUNS)} {number}"
    return f"{chance.choice(OPENINGS)} {title} {chance.choice(ENDINGS)}"


def spent(work: Callable[[], object]) -> float:
    """Seconds of this process's CPU."""
    start = time.process_time()
    work()
    return time.process_time() - start


def reference() -> float:
    """Seconds of twenty products of a (128, 384) and a (384, 1536) matrix: the encoder's largest step."""
    import numpy as np

    left, right = np.ones((128, 384), dtype=np.float32), np.ones((384, 1536), dtype=np.float32)
    left @ right
    return min(spent(lambda: [left @ right for _ in range(20)]) for _ in range(20))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and fail where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000)
    asked = parser.parse_args(arguments)
    imported = time.process_time()
    from service.alignment.implicit import PairClassifier
    from service.alignment.pair import Pair, Reply

    classifier = PairClassifier()
    classifier.judge([Pair(Reply(("Hello",)), Reply(("Hi",)))])
    ready = time.process_time() - imported
    chance = random.Random(7)
    pairs = [
        Pair(Reply((sentence(2 * n, chance),)), Reply((sentence(2 * n + 1, chance),)))
        for n in range(asked.pairs)
    ]
    step = reference()
    # The best of ten parts: what else the machine does costs this process time too.
    part = max(1, len(pairs) // 10)
    seconds = min(
        spent(lambda at=at: classifier.judge(pairs[at : at + part]))  # type: ignore[misc]
        for at in range(0, len(pairs) - part + 1, part)
    )
    rate = part / seconds
    print(f"ready after {ready:.2f} s, imports included")
    print(
        f"{rate:.0f} pairs a second: a pair takes {seconds / part / step:.2f} x the reference ({step * 1e3:.2f} ms)"
    )
    print(f"highest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return 0 if rate >= LEAST_PAIRS and ready <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
