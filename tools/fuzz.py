"""Coverage-guided search for bytes that break a parser: atheris (libFuzzer) over `tests/fuzz/harnesses.py`.

    python -m tools.fuzz [--seconds 60] [--only NAME] [--report docs/fuzzing.md]

Each harness runs in a process of its own, from the seeds in `tests/fuzz/corpus`, and goes on from what earlier runs
kept in `.cache/fuzz-corpus`. A find ends it, is written beside the seeds as `found-...`, and fails the run: mend the parser,
keep the file, and `make test` tries it from then on."""

import argparse
import datetime
import importlib
import importlib.metadata
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
KEPT = ROOT / ".cache" / "fuzz-corpus"
LONGEST = 4096
HANGS = 60
"""Seconds that one input may take, on a machine that others use too."""

FOUND = (
    "a backslash in the name of a recommender (`CRS_EVAL_CRS_ENDPOINTS`) ended the start in a traceback instead of a "
    "sentence: `environment/found-3106ae8660a9`",
    "a model's score with a separator of records behind it was a defect instead of a level: `model_answer/found-6af812de1089`",
)
"""Faults that searches found and that were mended."""

_EDGES = re.compile(r"cov: (\d+) ft: (\d+)")
_FINAL = re.compile(r"stat::(\w+):\s+(\d+)")


@dataclass(frozen=True)
class Run:
    """The result of a harness's search."""

    name: str
    executions: int
    edges: int
    features: int
    inputs: int
    seconds: int
    cpu: float
    found: Sequence[str]


def main() -> int:
    """Run the harnesses that are asked for; the exit code says whether one broke."""
    options = argparse.ArgumentParser(description="Search for bytes that break a parser.")
    options.add_argument("--seconds", type=int, default=60, help="for each harness")
    options.add_argument("--only", help="one harness")
    options.add_argument("--report", type=Path, help="a page to write")
    options.add_argument("--inside", help=argparse.SUPPRESS)
    given, rest = options.parse_known_args()
    if given.inside:
        _search(given.inside, rest)
        return 0
    names = [given.only] if given.only else sorted(path.name for path in SEEDS.iterdir())
    runs = [_run(name, given.seconds) for name in names]
    if given.report:
        given.report.write_text(page(runs), encoding="utf-8")
    return int(any(run.found for run in runs))


def _search(name: str, arguments: Sequence[str]) -> None:
    """In a process of its own: hand the harness over to libFuzzer, which ends the process."""
    atheris = importlib.import_module("atheris")  # only there where `make fuzz` put it

    with atheris.instrument_imports(include=["service"]):
        from tests.fuzz.harnesses import HARNESSES

        harness = HARNESSES[name]
        harness(b"")  # what is imported at first use is instrumented too
    atheris.Setup([sys.argv[0], *arguments], harness)
    atheris.Fuzz()


def _run(name: str, seconds: int) -> Run:
    kept, seeds = KEPT / name, SEEDS / name
    kept.mkdir(parents=True, exist_ok=True)
    finds = kept.parent / f"{name}-finds"
    shutil.rmtree(finds, ignore_errors=True)
    finds.mkdir()
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={HANGS}", "-rss_limit_mb=4096"]
    command = [sys.executable, "-m", "tools.fuzz", "--inside", name, *limits, "-print_final_stats=1"]
    command += [f"-artifact_prefix={finds}/", str(kept), str(seeds)]
    before = _cpu()
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
    final = {key: int(value) for key, value in _FINAL.findall(output)}
    run = Run(
        name,
        final.get("number_of_executed_units", 0),
        int(edges[-1][0]),
        int(edges[-1][1]),
        len(list(kept.iterdir())),
        seconds,
        _cpu() - before,
        found,
    )
    print(_row(run), flush=True)
    return run


def _cpu() -> float:
    """Seconds of CPU that ended child processes took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _row(run: Run) -> str:
    """A line of the report's table."""
    counts = f"{run.executions:,} | {run.edges:,} | {run.features:,} | {run.inputs:,} | {len(run.found)}"
    return f"| `{run.name}` | {run.seconds:,} s | {run.cpu:,.0f} s | {counts} |"


def page(runs: Sequence[Run]) -> str:
    """The report."""
    rows = "\n".join(map(_row, runs))
    found = "\n".join(f"- {find}." for find in FOUND)
    version = importlib.metadata.version("atheris")
    return f"""# Fuzzing

For operators and developers who ask what hostile bytes do.

`make fuzz` searches, guided by coverage (atheris {version} over libFuzzer), for bytes that break a parser. Parsers read models'
answers, callers' bodies, lines of a batch, files that are imported or judged, catalogues, settings, and the text of
strangers. It also looks for requests to any route of both contracts (`routes`) that end in a defect. `tests/fuzz/harnesses.py`
holds what must be true for any bytes. A parser answers or refuses in its own words, never hangs ({HANGS} s), and its answer keeps
its promises.

{datetime.datetime.now(datetime.UTC).date()}, Python {sys.version_info.major}.{sys.version_info.minor}, one core of a shared machine, inputs of up to {LONGEST} bytes:

| harness | time | of CPU | inputs tried | branches reached | features | inputs kept | finds |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

Branches are counted in `service` alone. `make fuzz FUZZ_SECONDS=3600` goes on from the inputs that earlier runs kept in
`.cache/fuzz-corpus`. A find is written beside the seeds in `tests/fuzz/corpus` and stays there once it is mended. `make test`
tries all of them, and searches from them for a moment.

Found and mended so far:

{found}
"""


if __name__ == "__main__":
    sys.exit(main())
