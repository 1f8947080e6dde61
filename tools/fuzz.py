"""Coverage-guided search for bytes that break a parser: atheris (libFuzzer) over `tests/fuzz/harnesses.py`.

    python -m tools.fuzz [--seconds 60] [--only NAME]

Each harness runs in its own process, from the seeds in `tests/fuzz/corpus`, and goes on from what earlier runs
kept in `.cache/fuzz-corpus`. A find ends it, is written beside the seeds as `found-...`, and fails the run: mend the parser,
keep the file, and `make test` tries it from then on."""

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
KEPT = ROOT / ".cache" / "fuzz-corpus"
#: An input may take a minute, on a machine that others use too.
LIMITS = ("-max_len=4096", "-timeout=60", "-rss_limit_mb=4096", "-verbosity=0", "-print_final_stats=1")


def main() -> int:
    """Run the harnesses that are asked for; the exit code says whether one broke."""
    options = argparse.ArgumentParser(description="Search for bytes that break a parser.")
    options.add_argument("--seconds", type=int, default=60, help="for each harness")
    options.add_argument("--only", help="one harness")
    options.add_argument("--inside", help=argparse.SUPPRESS)
    given, rest = options.parse_known_args()
    if given.inside:
        _search(given.inside, rest)
    names = [given.only] if given.only else sorted(path.name for path in SEEDS.iterdir())
    return 1 if sum(_run(name, given.seconds) for name in names) else 0


def _search(name: str, arguments: Sequence[str]) -> None:
    """In its own process: hand the harness over to libFuzzer, which ends the process."""
    atheris = importlib.import_module("atheris")  # only there where `make fuzz` put it

    with atheris.instrument_imports(include=["service"]):
        from tests.fuzz.harnesses import HARNESSES

        harness = HARNESSES[name]
        harness(b"")  # what is imported at first use is instrumented too
    atheris.Setup([sys.argv[0], *arguments], harness)
    atheris.Fuzz()


def _run(name: str, seconds: int) -> bool:
    """Return whether the harness broke."""
    print(f"== {name}", flush=True)
    kept, seeds = KEPT / name, SEEDS / name
    kept.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tools.fuzz", "--inside", name, f"-max_total_time={seconds}", *LIMITS]
    command += [f"-artifact_prefix={seeds}/found-", str(kept), str(seeds)]
    # Harnesses write files: in memory they are quick.
    done = subprocess.run(command, cwd=ROOT, env={"TMPDIR": "/dev/shm", **os.environ}, check=False)
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
