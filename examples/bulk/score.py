"""Score a file of logs on as many replicas as there are, with Dask: restartable, each log once.

    python examples/bulk/score.py logs.jsonl scores/ --service http://127.0.0.1:8000 --service ...

`logs.jsonl` holds a body of /score a line (`{"log": {...}, "judge": "..."}`) or a bare log. They are cut
into parts; a part is one POST to /batch, and is done when its file stands in the output folder. Run again
after any interruption: parts that stand are not asked again, and what models answered before is in the
service's cache. `--scheduler tcp://host:8786` sends the parts to a Dask cluster (needs `distributed`)."""

import argparse
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import httpx2

PART = 100
"""Logs of one part; /batch asks for windows of at most 500 lines."""

ATTEMPTS = 8
RETRYABLE = frozenset({429, 502, 503, 504})

Line = dict[str, Any]


def parts(source: Path, size: int) -> Iterator[tuple[int, list[Line]]]:
    """The lines of the file in parts: the number of each, and its requests."""
    with source.open(encoding="utf-8") as lines:
        numbered = enumerate(line for line in lines if line.strip())
        for part in itertools.count():
            taken = list(itertools.islice(numbered, size))
            if not taken:
                return
            yield part, [_request(number, json.loads(line)) for number, line in taken]


def _request(number: int, body: Line) -> Line:
    body = body if "log" in body else {"log": body}
    return {"custom_id": f"{number}", "path": "/score", "body": body}


def score_part(requests: list[Line], services: list[str], target: Path) -> int:
    """Ask until every line has an answer that asking again would not mend, then write them all at
    once. Returns how many have no verdicts. Raises RuntimeError where no service answers."""
    answers: dict[str, Line] = {}
    left = requests
    for attempt in range(ATTEMPTS):
        # Another replica each time: one that is being restarted costs a second, not the part.
        url = services[(int(requests[0]["custom_id"]) // PART + attempt) % len(services)]
        for line in _ask(url, left):
            if line["status"] not in RETRYABLE:
                answers[line["custom_id"]] = line
        left = [request for request in requests if request["custom_id"] not in answers]
        if not left:
            break
        time.sleep(min(10.0, 0.2 * 2**attempt) * (0.5 + random.random()))
    if left:
        raise RuntimeError(f"{len(left)} of {len(requests)} logs got no answer from {', '.join(services)}")
    whole = "".join(json.dumps(answers[request["custom_id"]]) + "\n" for request in requests)
    unfinished = target.with_suffix(f".{os.getpid()}")
    unfinished.write_text(whole, encoding="utf-8")
    unfinished.rename(target)  # a file that stands is whole
    return sum(line["status"] != 200 for line in answers.values())


def _ask(url: str, requests: list[Line]) -> Iterator[Line]:
    """The answers that come; fewer than were asked where the service goes away."""
    body = "".join(json.dumps(request) + "\n" for request in requests)
    headers = {"Content-Type": "application/x-ndjson"}
    if key := os.environ.get("CRS_EVAL_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    try:
        with httpx2.stream("POST", f"{url}/batch", content=body, headers=headers, timeout=300) as response:
            if response.status_code == 200:
                for line in response.iter_lines():
                    answer = json.loads(line)
                    if answer["custom_id"] is not None:
                        yield answer
    except httpx2.TransportError as error:
        print(f"{url}: {type(error).__name__}; asking elsewhere", file=sys.stderr)


def main() -> int:
    """Score what is not scored yet. The exit code is 1 where a log has no verdicts."""
    parser = argparse.ArgumentParser(description="Score logs in bulk.")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--service", action="append", required=True, help="base URL; once for each replica")
    parser.add_argument("--part", type=int, default=PART, help="logs of one part (default: %(default)s)")
    parser.add_argument("--workers", type=int, help="parts at once (default: two for each service)")
    parser.add_argument("--scheduler", help="address of a Dask cluster; default: threads of this process")
    given = parser.parse_args()
    given.target.mkdir(parents=True, exist_ok=True)
    if given.scheduler:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]

        Client(given.scheduler)
        dask.config.set(scheduler="distributed")
    else:
        dask.config.set(scheduler="threads", num_workers=given.workers or 2 * len(given.service))
    waiting = []
    skipped = 0
    for number, requests in parts(given.source, given.part):
        target = given.target.resolve() / f"part-{number:06}.jsonl"
        if target.exists():
            skipped += 1
        else:
            waiting.append(dask.delayed(score_part)(requests, given.service, target))
    failed = sum(dask.compute(*waiting))
    print(f"{len(waiting)} parts scored, {skipped} stood already, {failed} logs without verdicts")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
