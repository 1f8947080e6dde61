"""Measure for which faults the gate finds the swaps of the corpus, fault by fault.

The conversations of the corpus are the baseline. In the new run some of them hold a swap: a reply with one fault."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from research.corpus.check import FOLDER, NONE
from research.detector.split import Split
from research.gate_real_logs import Judged, judged
from research.measure_faults import FIELDS
from tools.service_process import running_service

Log = dict[str, Any]


def held_out(split: str) -> Iterator[Log]:
    """Yield the conversations that a split of the detector holds out; all of them for `none`."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for one in map(json.loads, path.read_text("utf-8").splitlines()):
            if "swaps" in one and (split == "none" or Split(split).holds(path.stem, one)):
                yield one


def judged_swaps(split: str, faults: Sequence[str] | None = None, most: int | None = None) -> Judged:
    """Judge at most so many held-out conversations, and those with a swap of each of these faults (None: all), over HTTP."""
    corpus = list(held_out(split))[:most]
    logs = [_log(one, one["messages"]) for one in corpus]
    changed: dict[str, dict[int, Log]] = {}
    for place, one in enumerate(corpus):
        for fault, messages in swapped(one):
            if faults is None or fault in faults:
                changed.setdefault(fault, {})[place] = _log(one, messages)
    with running_service({}) as url:
        return judged(url, "corpus", logs, changed)


def swapped(one: Mapping[str, Any]) -> Iterator[tuple[str, list[Log]]]:
    """Yield each fault that a conversation has a swap for, with the messages that hold it."""
    messages = list(one["messages"])
    for swap in one["swaps"]:
        at, fault = swap["message"], swap["fault"]
        if fault == "no-reply":
            yield fault, [*messages[:at], *messages[at + 1 :]]
        elif fault != NONE:
            kept = {} if {"recommendations", "parts"} & swap.keys() else messages[at]
            yield fault, [*messages[:at], {**kept, **swap, "role": "assistant"}, *messages[at + 1 :]]


def _log(one: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> Log:
    plain = [{key: message[key] for key in FIELDS if key in message} for message in messages]
    return {"id": one["id"], "messages": plain, **({"items": one["items"]} if one.get("items") else {})}
