"""Score a file of logs on as many replicas as there are, with Dask: restartable, each log once.

    python examples/bulk/score.py logs.jsonl scores/ --service http://127.0.0.1:8000 --service ...

`logs.jsonl` (or its gzip) holds a body of /score a line (`{"log": {...}, "judge": "..."}`) or a bare log. They
are cut into parts; a part is one POST to /batch, and is done when its file stands in the output folder. The
files hold results as `crs-eval score` writes them: `crs-eval gate scores/` reads the folder.

Run again after any interruption: parts that stand are not asked again, and what models answered before is in
the service's cache. The name of a part carries a digest of the source and of the part size. So no part of another source is taken
for one of this. `--scheduler tcp://host:8786` sends the parts to a Dask cluster (needs `distributed`).

Exit codes are those of `crs-eval`: 2 for broken lines (named, before anything is asked) and refused logs, 4 where
a service fails."""

import argparse
import hashlib
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import dask
import httpx2
from crs_eval.cli.conversations import exit_of
from crs_eval.cli.exits import CommandError, Exit
from crs_eval.cli.files import read_lines
from crs_eval.cli.inputs import Source, source_of, told_faults
from crs_eval.cli.records import Record, write_records
from crs_eval.cli.run import Job
from crs_eval.importing.entries import Fault, line_entries

PART = 100
"""Logs of one part; /batch asks for windows of at most 500 lines."""

WAVE = 200
"""Parts that are read ahead and held in memory."""

ATTEMPTS = 8
RETRYABLE = frozenset({429, 502, 503, 504})

Line = dict[str, Any]


def logs(name: str, lines: Iterable[bytes], faults: list[Fault]) -> Iterator[tuple[Any, Source]]:
    """The value of each line and its log. Lines that hold none are added to `faults`."""
    for number, entry in enumerate(line_entries(name, lines, faults), 1):
        found = source_of(entry, number)
        if isinstance(found, Source):
            yield entry.value, found
        else:
            faults.append(found)


def check(source: Path, size: int) -> str:
    """Read the source once, before anything is asked. Returns a digest of it and of the part size. Raises
    CommandError that names every broken line, and every id that stands twice."""
    faults: list[Fault] = []
    digest = hashlib.sha256(f"{size}\n".encode())

    def lines() -> Iterator[bytes]:
        for line in read_lines(source):
            digest.update(line)
            yield line

    seen: dict[str, str] = {}
    for _, log in logs(str(source), lines(), faults):
        if log.conversation in seen:
            earlier = seen[log.conversation]
            faults.append(Fault(log.place, f"its id {log.conversation!r} is that of {earlier}"))
        seen[log.conversation] = log.place
    if faults:
        raise CommandError(f"{told_faults(faults)}\nMend them, or take these lines out.")
    if not seen:
        raise CommandError(f"There is no log in {source}.")
    return digest.hexdigest()[:12]


def jobs(source: Path) -> Iterator[Job]:
    """The request of each line."""
    for value, found in logs(str(source), read_lines(source), []):
        body = value if value.get("log") is found.log else {"log": found.log}
        system = found.log.get("system")
        name = system if isinstance(system, str) else None
        yield Job(found.conversation, name, "/score", body, found.position, found.digest)


def check_folder(target: Path, digest: str) -> None:
    """Raise CommandError where parts of another source or size stand in the folder: results would mix."""
    strangers = [part.name for part in sorted(target.glob("part-*.jsonl")) if not part.stem.endswith(digest)]
    if strangers:
        told = f"{target} holds {len(strangers)} parts of another source or part size ({strangers[0]})"
        raise CommandError(f"{told}. Name another folder, or empty this one.")


def score_part(requests: Sequence[Job], services: Sequence[str], first: int, target: Path) -> list[Record]:
    """Ask until every line has an answer that asking again would not mend, then write them all at once.
    `first` says which service is asked first. Returns the records without verdicts. Raises CommandError where
    no service answers."""
    lines = {
        f"{number}": {"custom_id": f"{number}", "path": job.path, "body": job.body}
        for number, job in enumerate(requests)
    }
    answers: dict[str, Line] = {}
    refused = ""
    for attempt in range(ATTEMPTS):
        # Another replica each time: one that is being restarted costs a second, not the part.
        url = services[(first + attempt) % len(services)]
        left = [line for number, line in lines.items() if number not in answers]
        try:
            for line in _ask(url, left):
                if line["status"] not in RETRYABLE:
                    answers[line["custom_id"]] = line
        except httpx2.TransportError as error:
            refused = f": {type(error).__name__}"
            print(f"{url}: {type(error).__name__}; asking elsewhere", file=sys.stderr)
        except httpx2.HTTPStatusError as error:
            refused = f": {error.response.status_code} {error.response.text[:300]}"
            if error.response.status_code not in RETRYABLE:
                break
        if len(answers) == len(lines):
            break
        time.sleep(min(10.0, 0.2 * 2**attempt) * (0.5 + random.random()))
    if len(answers) < len(lines):
        told = f"{len(lines) - len(answers)} of {len(lines)} logs got no answer from {', '.join(services)}"
        raise CommandError(told + refused, Exit.FAILED)
    records = [_record(job, answers[number]) for number, job in zip(lines, requests, strict=True)]
    write_records(target, records)  # at once: a file that stands is whole
    return [record for record in records if record.answer is None]


def _record(job: Job, line: Line) -> Record:
    """An answer as `crs-eval score` writes it."""
    body, fine = line["body"], line["status"] == 200
    failure = None if fine else {"status": line["status"], "detail": body["detail"]}
    return job.named(Record("", None, job.path, job.digest, body if fine else None, failure))


def _ask(url: str, requests: Sequence[Line]) -> Iterator[Line]:
    """The answers that come; fewer than were asked where the service goes away."""
    body = "".join(json.dumps(request) + "\n" for request in requests)
    headers = {"Content-Type": "application/x-ndjson"}
    if key := os.environ.get("CRS_EVAL_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    with httpx2.stream("POST", f"{url}/batch", content=body, headers=headers, timeout=300) as response:
        if response.status_code != 200:
            response.read()
            response.raise_for_status()
        for line in response.iter_lines():
            answer = json.loads(line)
            if answer["custom_id"] is not None:
                yield answer


def score(given: argparse.Namespace) -> int:
    """Score what is not scored yet, a wave of parts at a time. Returns the exit code."""
    digest = check(given.source, given.part)
    given.target.mkdir(parents=True, exist_ok=True)
    check_folder(given.target, digest)
    scored = stood = 0
    failed: list[Record] = []
    stream = jobs(given.source)
    parts = enumerate(iter(lambda: list(itertools.islice(stream, given.part)), []))
    while wave := list(itertools.islice(parts, WAVE)):
        waiting = []
        for number, requests in wave:
            target = given.target.resolve() / f"part-{number:06}-{digest}.jsonl"
            if target.exists():
                stood += 1
            else:
                waiting.append(dask.delayed(score_part)(requests, given.service, number, target))
        scored += len(waiting)
        failed += itertools.chain.from_iterable(dask.compute(*waiting))
    print(f"{scored} parts scored, {stood} stood already, {len(failed)} logs without verdicts")
    return exit_of(failed)


def main() -> int:
    """Read the options, and end in one line whatever happens."""
    parser = argparse.ArgumentParser(description="Score logs in bulk.")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--service", action="append", required=True, help="base URL; once for each replica")
    parser.add_argument("--part", type=int, default=PART, help="logs of one part (default: %(default)s)")
    parser.add_argument("--workers", type=int, help="parts at once (default: two for each service)")
    parser.add_argument("--scheduler", help="address of a Dask cluster; default: threads of this process")
    given = parser.parse_args()
    if given.scheduler:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]

        Client(given.scheduler)
        dask.config.set(scheduler="distributed")
    else:
        dask.config.set(scheduler="threads", num_workers=given.workers or 2 * len(given.service))
    try:
        return score(given)
    except CommandError as error:
        print(f"score.py: {error}", file=sys.stderr)
        return error.code


if __name__ == "__main__":
    sys.exit(main())
