"""Situations in which a reply can have a fault of the list, with the reply as it should be and with the fault.

They come from the example of each fault (`service/faults/*.toml`) and from the corpus of planted faults (`research/corpus`)."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROLES = {"U": "user", "A": "assistant", "T": "tool"}
FIELDS = ("role", "content", "recommendations", "parts")
Message = Mapping[str, Any]


@dataclass(frozen=True)
class Situation:
    """The log so far, which ends with the user, and the next reply `good` or `bad`: `content`, `recommendations`, `parts`."""

    fault: str
    log: dict[str, Any]
    good: Message
    bad: Message


@cache
def load_situations() -> Mapping[str, Sequence[Situation]]:
    """The situations of every fault, its own example last."""
    found: dict[str, list[Situation]] = {}
    for path in sorted((ROOT / "research" / "corpus").glob("?.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for one in _of_conversation(json.loads(line)):
                found.setdefault(one.fault, []).append(one)
    for path in sorted((ROOT / "service" / "faults").glob("*.toml")):
        one = _of_example(tomllib.loads(path.read_text(encoding="utf-8")))
        found.setdefault(one.fault, []).append(one)
    return found


@cache
def situations_by_talk() -> Mapping[tuple[str, ...], Mapping[str, Situation]]:
    """The situations by what was said so far, then by fault."""
    found: dict[tuple[str, ...], dict[str, Situation]] = {}
    for situations in load_situations().values():
        for one in situations:
            found.setdefault(talk(one.log["messages"]), {})[one.fault] = one
    return found


def talk(messages: Sequence[Message]) -> tuple[str, ...]:
    """The user's words so far, by which a situation is known: cards and tools may change the text of other messages."""
    return tuple(message.get("content") or "" for message in messages if message["role"] == "user")


def _of_conversation(one: Mapping[str, Any]) -> Iterator[Situation]:
    messages = [{name: message[name] for name in FIELDS if name in message} for message in one["messages"]]
    for number, swap in enumerate(one["swaps"]):
        at, fault = swap["message"], swap["fault"]
        if fault != "none" and at and messages[at - 1]["role"] != "assistant":
            log = {"id": f"{one['id']}-{number}", "messages": messages[:at]}
            log |= {"items": one["items"]} if one.get("items") else {}
            own = fault == "no-reply" or {"recommendations", "parts"} & swap.keys()
            kept = {} if own else messages[at]
            yield Situation(fault, log, _reply(messages[at]), _reply({**kept, **swap}))


def _of_example(document: Mapping[str, Any]) -> Situation:
    slug, example = document["slug"], document["example"]
    before = [{"role": ROLES[line[0]], "content": line[3:]} for line in example["before"]]
    log = {"id": f"{slug}-example", "messages": before}
    return Situation(slug, log, {"content": example["good"]}, {"content": example["bad"]})


def _reply(message: Message) -> Message:
    return {"content": message.get("content") or "", **{n: message[n] for n in FIELDS[2:] if message.get(n)}}
