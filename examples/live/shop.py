"""A shop that talks to itself: starts `crs-eval live`, and has made-up customers ask a small recommender for films.

Every conversation is posted message by message, as a shop would. Some customers never say goodbye: these conversations
end by going quiet. After a while a new version of the recommender repeats itself."""

import argparse
import itertools
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

FILMS = {
    "slow drama": ("Paper Lanterns", "it is quiet and warm, and takes its time with two sisters"),
    "playful mystery": ("The Clockmaker's Parrot", "the riddle is light, and the parrot is very funny"),
    "gentle comedy": ("The Lemon Year", "nobody is made fun of, and it ends well"),
    "bleak thriller": ("North of Silence", "it stays tense to the last minute"),
}
Message = dict[str, str]


def conversation(source: random.Random, *, worse: bool) -> Iterator[Message]:
    """Yield what a customer and the shop say in turn."""
    kind, (title, reason) = source.choice(list(FILMS.items()))
    other, because = FILMS[source.choice([one for one in FILMS if one != kind])]
    yield {"role": "user", "content": f"Hi, I am looking for a {kind}."}
    yield {"role": "assistant", "content": f"How about {title}? I think it suits you, because {reason}."}
    if source.random() < 0.5:
        yield {"role": "user", "content": "I have seen that one already. Anything else?"}
        again = f"How about {title}? I think it suits you, because {reason}."
        fresh = f"Then try {other}: {because}. Do you like to watch in the evening?"
        yield {"role": "assistant", "content": again if worse else fresh}
    yield {
        "role": "user",
        "content": "No, you said that before." if worse else "That sounds good, I will watch it.",
    }
    yield {"role": "assistant", "content": "How about it?" if worse else "Enjoy it, and come back any time!"}


def post(url: str, name: str, body: object) -> None:
    """Send messages, again while the application does not take them: with an index, a repeat changes nothing."""
    address = f"{url}/live/conversations/{name}/messages"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    while True:
        try:
            urllib.request.urlopen(request, timeout=10).close()
            return
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            time.sleep(1)


def talk(url: str, pause: float, conversations: int | None, good: int) -> None:
    """Have one conversation after the other."""
    source = random.Random(1)
    for number in itertools.count() if conversations is None else range(conversations):
        worse = number >= good
        system = "shop-2.0" if worse else "shop-1.9"
        for index, message in enumerate(conversation(source, worse=worse)):
            body = {"system": system, "domain": "movie", "messages": [{"index": index, **message}]}
            post(url, f"customer-{number}", body)
        if source.random() < 0.7:
            post(url, f"customer-{number}", {"complete": True})
        time.sleep(pause)


def wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the application takes messages."""
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/readyz", timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    sys.exit("crs-eval live does not start")


def main() -> None:
    """Start everything, and talk until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two conversations")
    parser.add_argument("--conversations", type=int, help="so many, and stop; unset: on and on")
    parser.add_argument("--good", type=int, default=60, help="so many before the shop gets worse")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    url = f"http://127.0.0.1:{options.port}"
    with tempfile.TemporaryDirectory() as folder:
        live = [
            sys.executable,
            "-m",
            "crs_eval.cli.program",
            "live",
            "--port",
            str(options.port),
            "--keep-text",
        ]
        files = ["--out", f"{folder}/results.ndjson", "--state", f"{folder}/open.db"]
        process = subprocess.Popen([*live, "--idle", "20s", *files])
        try:
            wait(url, process)
            print(f"The page with the conversations: {url}/", flush=True)
            talk(url, options.pause, options.conversations, options.good)
            if options.conversations is not None:
                print_means(Path(folder) / "results.ndjson", options.conversations)
        except KeyboardInterrupt:
            pass
        finally:
            process.terminate()
            process.wait()


def print_means(results: Path, conversations: int) -> None:
    """Wait until all are judged, and print the mean of each version."""
    while (
        len(found := [json.loads(line)["event"] for line in results.read_text().splitlines()]) < conversations
    ):
        time.sleep(0.5)
    for system in sorted({one["system"] for one in found}):
        means = [one["mean"] for one in found if one["system"] == system and one["mean"] is not None]
        print(f"{system}: {len(means)} conversations, mean {sum(means) / len(means):.2f}")


if __name__ == "__main__":
    main()
