"""Conversations as a shop exports them, in a CSV file with columns of its own: `python -m tests.pages.export LOGS CSV`."""

import csv
import json
import sys
from pathlib import Path

if __name__ == "__main__":
    logs, table = map(Path, sys.argv[1:])
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("chat", "who", "said"))
        for line in logs.read_text(encoding="utf-8").splitlines():
            log = json.loads(line)
            rows.writerows((log["id"], one["role"], one["content"]) for one in log["messages"])
