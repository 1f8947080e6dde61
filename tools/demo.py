"""`make demo`: a good and an awful conversation, and what `crs-eval score` says of each."""

import json
import subprocess
import sys

from tools.service_process import ROOT

STORY = {
    "good": "A good conversation. The recommender listens, asks and explains.",
    "broken": "An awful one. The user wants a western, and gets the same horror film again and again.",
}
"""Files of `examples/logs`."""
SPEAKERS = {"user": "user", "assistant": "recommender"}
SCORE = (sys.executable, "-m", "service.cli.program", "score", "--judge", "builtin", "--format", "table")


def main() -> None:
    """Show both conversations, each with its score, its faults and its factors."""
    print("crs-eval judges two conversations with the embedded judge: no key, no network.")
    for name, lead in STORY.items():
        file = f"examples/logs/{name}.json"
        print(f"\n{lead}\n")
        for number, message in enumerate(json.loads((ROOT / file).read_text())["log"]["messages"]):
            print(f"{number:>2} {SPEAKERS[message['role']]:<11} {message['content']}")
        print(f"\n$ crs-eval score {file}", flush=True)
        subprocess.run([*SCORE, file], cwd=ROOT, check=True)
    print(
        "\nA score near 4 means that the judge found no fault, not that there is none.\n\n"
        "Now judge your own: save a chat as lines of `User: ...` and `Bot: ...`, then run\n"
        "  .venv/bin/crs-eval score chat.txt\n"
        "`make serve` starts the service with its page at http://127.0.0.1:8000/."
    )


if __name__ == "__main__":
    main()
