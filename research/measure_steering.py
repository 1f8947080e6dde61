"""Count how often talk between real people and recommenders is taken for an attempt to steer a judge.

    python -m research.measure_steering [FOLDER]

Reads every log of FOLDER (`../shared/data`): files of JSON lines with `messages` or `utterances`. Real logs hold
no attempts, so every find is a false alarm; more than one log in a hundred fails."""

import json
import sys
from pathlib import Path

from research.fit_overall import DATA
from service.prompt_injection.detection import find_steering

MOST = 0.01


def main() -> int:
    """Print the alarms of each file and of all; the exit code says whether they are few enough."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    logs = messages = alarmed = 0
    for path in sorted(folder.glob("*.jsonl")):
        rows = map(json.loads, path.read_text("utf-8").splitlines())
        talks = [said for row in rows if (said := row.get("messages") or row.get("utterances"))]
        found = sum(any(find_steering(message["content"]) for message in talk) for talk in talks)
        print(f"{path.name}: {found} of {len(talks)} logs raise an alarm")
        logs, messages, alarmed = logs + len(talks), messages + sum(map(len, talks)), alarmed + found
    print(f"{alarmed} of {logs} logs with {messages} messages raise an alarm (at most {MOST:.0%}).")
    return 0 if alarmed <= MOST * logs else 1


if __name__ == "__main__":
    sys.exit(main())
