"""Coverage-guided search for bytes that break a parser: atheris (libFuzzer) over `tests/fuzz/harnesses.py`.

    python -m tools.fuzz [--seconds 60] [--only NAME]

Each harness runs in a process of its own, from the seeds in `tests/fuzz/corpus`, and goes on from what earlier runs
kept in `.cache/fuzz-corpus`. A find ends it, is written beside the seeds as `found-...`, and fails the run: mend the parser,
keep the file, and `make test` tries it from then on."""

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
KEPT = ROOT / ".cache" / "fuzz-corpus"
LONGEST = 4096
HANGS = 60
"""Seconds that one input may take, on a machine that others use too."""

_EDGES = re.compile(r"cov: (\d+) ft: ")
_FINAL = re.compile(r"stat::(\w+):\s+(\d+)")


def main() -> int:
    """Run the harnesses that are asked for; the exit code says whether one broke."""
    options = argparse.ArgumentParser(description="Search for bytes that break a parser.")
    options.add_argument("--seconds", type=int, default=60, help="for each harness")
    options.add_argument("--only", help="one harness")
    options.add_argument("--inside", help=argparse.SUPPRESS)
    given, rest = options.parse_known_args()
    if given.inside:
        _search(given.inside, rest)
        return 0
    names = [given.only] if given.only else sorted(path.name for path in SEEDS.iterdir())
    broken = [name for name in names if _run(name, given.seconds)]
    return 1 if broken else 0


def _search(name: str, arguments: Sequence[str]) -> None:
    """In a process of its own: hand the harness over to libFuzzer, which ends the process."""
    atheris = importlib.import_module("atheris")  # only there where `make fuzz` put it

    with atheris.instrument_imports(include=["service"]):
        from tests.fuzz.harnesses import HARNESSES

        harness = HARNESSES[name]
        harness(b"")  # what is imported at first use is instrumented too
    atheris.Setup([sys.argv[0], *arguments], harness)
    atheris.Fuzz()


def _run(name: str, seconds: int) -> bool:
    """Return whether the harness broke. Its finds are copied beside the seeds."""
    kept, seeds = KEPT / name, SEEDS / name
    kept.mkdir(parents=True, exist_ok=True)
    finds = kept.parent / f"{name}-finds"
    shutil.rmtree(finds, ignore_errors=True)
    finds.mkdir()
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={HANGS}", "-rss_limit_mb=4096"]
    command = [sys.executable, "-m", "tools.fuzz", "--inside", name, *limits, "-print_final_stats=1"]
    command += [f"-artifact_prefix={finds}/", str(kept), str(seeds)]
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": folder},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    output = done.stdout + done.stderr
    found = []
    for path in sorted(finds.iterdir()):
        shutil.copy(path, seeds / f"found-{path.name.rpartition('-')[2][:12]}")
        found.append(path.name)
    edges = _EDGES.findall(output)
    if not edges or (done.returncode and not found):
        raise SystemExit(f"{name} ended with {done.returncode}:\n{output[-4000:]}")
    if found:
        print(output[-4000:])
    executions = dict(_FINAL.findall(output)).get("number_of_executed_units", "0")
    print(f"{name}: {executions} inputs tried, {edges[-1]} branches reached, {len(found)} finds", flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
