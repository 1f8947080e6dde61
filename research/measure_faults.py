"""Measure what the embedded judge reports on held-out conversations of the corpus: sensitivity and false alarms by fault.

    python -m research.measure_faults   # writes service/faults/measured.json

Held out is what the detector's training held out: a whole writer, and other domains (`research.detector.split`). A
conversation is judged up to the labelled reply. Good replies are the originals and the good swaps."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from research.corpus.check import FOLDER, NONE, fault_of
from research.detector.split import holds
from service.catalogue.catalogue import Catalogue
from service.faults import load_faults
from service.faults.ladder import is_reported
from service.faults.measured import FEWEST, FILE
from service.judges.embedded.features import read_features
from service.judges.evaluation import JudgeInput
from service.statistics.permutation import wilson
from service.usecases.wire.log import Log

Json = dict[str, Any]
FIELDS = ("role", "content", "recommendations", "parts")


def held_out() -> Iterator[Json]:
    """Yield the conversations that are held out."""
    for file in sorted(FOLDER.glob("*.jsonl")):
        rows = map(json.loads, file.read_text("utf-8").splitlines())
        yield from (row for row in rows if "swaps" in row and holds(file.stem, row))


def swapped(messages: list[Json], swap: Json) -> list[Json]:
    """Return the messages with a swap in the place of the reply. One without items shows those of the reply."""
    at = swap["message"]
    if swap["fault"] == "no-reply":
        return [*messages[:at], *messages[at + 1 :]]
    given = plain(swap)
    kept = {} if {"recommendations", "parts"} & given.keys() else messages[at]
    return [*messages[:at], {**kept, **given, "role": "assistant"}, *messages[at + 1 :]]


def plain(message: Json) -> Json:
    """Return a message or a swap in the contract's fields alone."""
    return {key: message[key] for key in FIELDS if key in message}


def labelled(one: Json) -> Iterator[tuple[list[Json], int, str]]:
    """Yield the messages up to a labelled reply, the reply's index, and its fault or `none`. Twins, which are rare in production, are
    left out."""
    messages = [plain(message) for message in one["messages"]]
    for at, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("content"):
            yield messages[: at + 1], at, fault_of(one, at)
    for swap in one["swaps"]:
        if swap["fault"] == "no-reply":
            yield swapped(messages, swap), swap["message"] - 1, "no-reply"
        else:
            yield swapped(messages, swap)[: swap["message"] + 1], swap["message"], swap["fault"]
    for swap in one["context_swaps"]:
        for index, fault in swap["faults"].items() if "swap" not in swap else ():
            changed = [*messages[: int(index) + 1]]
            changed[swap["message"]] = {**changed[swap["message"]], "content": swap["content"]}
            yield changed, int(index), fault


def reported(one: Json, messages: list[Json], at: int, fault: str) -> set[str]:
    """Return the faults that are reported for a labelled reply."""
    raw = {"messages": messages, "items": one.get("items"), "complete": fault == "no-reply"}
    log = Log.model_validate(raw).value()
    features = asyncio.run(read_features(JudgeInput(log, Catalogue.of_log(log, None))))
    found = [one for one in features.faults if is_reported(one)]
    return {each.fault for each in found if each.message == at or fault == "no-reply"}


def measured(on: str, n: int, figures: tuple[float, float, float] | None, alarms: float, good: int) -> Json:
    """Return a fault's row of service/faults/measured.json: the sensitivity and its interval, unknown under `FEWEST` pairs."""
    rounded = [round(figure, 3) for figure in figures] if figures and n >= FEWEST else [None] * 3
    sensitivity = dict(zip(("sensitivity", "low", "high"), rounded, strict=True))
    return {"on": on, "n": n, **sensitivity, "false_alarms": round(alarms, 4), "good_replies": good}


def replace_measured(on: str, rows: dict[str, Json]) -> None:
    """Replace the rows of one set of pairs in service/faults/measured.json; those of other sets stay."""
    path = Path(FILE)
    stored = json.loads(path.read_text("utf-8"))["faults"]
    kept = {slug: [row for row in stored.get(slug, ()) if row["on"] != on] for slug in load_faults()}
    faults = {slug: [*others, *([rows[slug]] if slug in rows else [])] for slug, others in kept.items()}
    path.write_text(json.dumps({"faults": faults}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print and write the figures."""
    planted, seen, alarms = Counter[str](), Counter[str](), Counter[str]()
    good = 0
    for one in held_out():
        for messages, at, fault in labelled(one):
            found = reported(one, messages, at, fault)
            if fault == NONE:
                good += 1
                alarms.update(found)
            else:
                planted[fault] += 1
                seen[fault] += fault in found
    rows = {}
    for slug in load_faults():
        n, hits = planted[slug], seen[slug]
        bounds = wilson(hits, n) if n else None
        figures = (hits / n, bounds.low, bounds.high) if bounds else None
        row = rows[slug] = measured("corpus", n, figures, alarms[slug] / good, good)
        print(f"{slug:24}{row['n']:5} {row['sensitivity']} alarms {row['false_alarms']:.2%}")
    print(f"{planted.total()} planted faults: {seen.total() / planted.total():.3f} reported by name")
    replace_measured("corpus", rows)


if __name__ == "__main__":
    main()
