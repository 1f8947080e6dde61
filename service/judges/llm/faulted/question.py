"""The question for faults: its instruction with the list of faults, what is asked after the log, and the form of the answer."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ....domain.completion import ChatMessage
from ....domain.rubric import Factor
from ....domain.verdict import Severity
from ....faults import Fault, load_faults
from ....prompts import prompt, render
from ...inquiry import Case
from ..items import mentioned_items, source_lines
from ..log_text import DESCRIBED, sees_tools

OCCASIONS = {
    "recoverability": ("errors_pointed_out", "judge/faults_pointed_out"),
    "explainability": ("recommending_replies", "judge/faults_recommending"),
}
"""Factors that only some replies are at stake for: the list of messages that says which, and the prompt that asks for it."""


def faults_lowering(slugs: Sequence[str]) -> tuple[Fault, ...]:
    """Return the faults that lower any of these factors, in the order of the catalogue."""
    return tuple(fault for fault in load_faults().values() if not fault.costs.keys().isdisjoint(slugs))


def occasions(slugs: Sequence[str]) -> tuple[str, ...]:
    """Return the lists of messages that the answer holds beside the faults."""
    return tuple(name for factor, (name, _) in OCCASIONS.items() if factor in slugs)


def fault_messages(log_text: str, material: str, group: Sequence[Factor]) -> tuple[ChatMessage, ...]:
    """Return the prompt about these factors. What is the same for every log comes first, for the caches of providers."""
    slugs = tuple(factor.slug for factor in group)
    log = "\n\n".join(filter(None, (log_text, material)))
    return (
        ChatMessage("system", fault_instruction(slugs), prefix_ends=True),
        ChatMessage("user", log),
        ChatMessage("user", fault_task(slugs)),
    )


@lru_cache(maxsize=64)
def fault_instruction(slugs: tuple[str, ...]) -> str:
    """Return the beginning of a prompt about these factors, with the list of faults."""
    listed = [
        render(
            prompt("judge/fault"),
            slug=fault.slug,
            definition=fault.definition,
            excludes="; ".join(fault.excludes),
        )
        for fault in faults_lowering(slugs)
    ]
    return render(
        prompt("judge/instruction"),
        what="a list of faults",
        rubrics="the list",
        task=render(prompt("judge/faults"), faults="\n".join(listed)),
    )


@lru_cache(maxsize=64)
def fault_task(slugs: tuple[str, ...]) -> str:
    """Return what is asked after the log."""
    asked = [(name, text) for factor, (name, text) in OCCASIONS.items() if factor in slugs]
    return render(
        prompt("judge/faults_asked"),
        lists="".join(f" {prompt(text)}" for _, text in asked),
        keys="".join(f'"{name}": [number, ...], ' for name, _ in asked),
    )


def fault_material(case: Case, group: Sequence[Factor]) -> str:
    """Return what is known of the items and the sources of replies, empty where no factor of the group asks for it."""
    described = any(factor.slug in DESCRIBED for factor in group)
    lines = [
        *(mentioned_items(case) if described else ()),
        *(source_lines(case) if sees_tools(group) else ()),
    ]
    return "\n".join(["<material>", *lines, "</material>"]) if lines else ""


@lru_cache(maxsize=64)
def fault_schema(slugs: tuple[str, ...]) -> str:
    """Return the JSON schema of an answer about these factors."""
    return json.dumps(_object(dict(_properties(slugs))), separators=(",", ":"))


def _properties(slugs: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    numbers = {"type": "array", "items": {"type": "integer"}}
    yield from ((name, numbers) for name in occasions(slugs))
    entry = {
        "message": {"type": "integer"},
        "fault": {"type": "string", "enum": [fault.slug for fault in faults_lowering(slugs)]},
        "severity": {"type": "string", "enum": [severity.value for severity in Severity]},
        "quote": {"type": "string"},
    }
    yield "faults", {"type": "array", "items": _object(entry)}
    yield "replies_read", {"type": "integer"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
