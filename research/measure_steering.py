"""Count how often talk between real people and recommenders is taken for an attempt to steer a judge.

    python -m research.measure_steering FOLDER

Reads every log of FOLDER (`../shared/data`): files of JSON lines with `messages` or `utterances`. Real logs hold
no attempts, so that every find is a false alarm; more than one log in a hundred fails."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from service.steering.detection import find_steering

MOST = 0.01


def logs_of(path: Path) -> Iterator[list[str]]:
    """The texts of each log of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        said = row.get("messages") or row.get("utterances") or []
        if texts := [message["content"] for message in said]:
            yield texts


def main() -> int:
    """Measure what is at hand; the exit code says whether the alarms are few enough."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    console = Console()
    table = Table(title="False alarms of the steering detector on real logs")
    for column in ("file", "logs", "with an alarm", "messages", "with an alarm", "µs a message"):
        table.add_column(column)
    logs = alarmed = 0
    for path in sorted(folder.glob("*.jsonl")):
        read = list(logs_of(path))
        if not read:
            continue
        began = time.process_time()
        finds = [[bool(find_steering(text)) for text in texts] for texts in read]
        seconds = time.process_time() - began
        messages = sum(map(len, finds))
        hit = sum(map(any, finds))
        row = (len(read), hit, messages, sum(map(sum, finds)), round(seconds / messages * 1e6))
        table.add_row(path.name, *map(str, row))
        logs += len(read)
        alarmed += hit
    if not logs:
        console.print(f"No conversations in {folder}: nothing was measured. Name their folder.")
        return 0
    console.print(table)
    console.print(f"{alarmed} of {logs} logs raise an alarm ({alarmed / logs:.2%}; at most {MOST:.0%}).")
    return 0 if alarmed <= MOST * logs else 1


if __name__ == "__main__":
    sys.exit(main())
