"""The question for faults: its instruction with the list of faults, what is asked after the log, and the form of the answer. The same
answer may hold lists of recommended items, from which code finds the levels of other factors."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ....domain.modes import Judging
from ....domain.rubric import Factor
from ....domain.verdict import Severity
from ....faults import Fault, load_faults
from ....prompts import prompt, render
from ..itemised.outline import NO_OUTLINE, Outline
from ..rubrics import rubric
from ..schemas import as_text, list_forms, object_schema

OCCASIONS = {
    "recoverability": ("errors_pointed_out", "judge/faults_pointed_out"),
    "explainability": ("recommending_replies", "judge/faults_recommending"),
}
"""Factors that concern only some replies: the list of their messages, and the prompt that asks for it."""


def faults_lowering(slugs: Sequence[str]) -> tuple[Fault, ...]:
    """Return the faults that lower any of these factors, in the order of the catalogue."""
    return tuple(fault for fault in load_faults().values() if not fault.costs.keys().isdisjoint(slugs))


def occasions(slugs: Sequence[str]) -> tuple[str, ...]:
    """Return the lists of messages that the answer holds beside the faults."""
    return tuple(name for factor, (name, _) in OCCASIONS.items() if factor in slugs)


def fault_instruction(slugs: tuple[str, ...], lists: Sequence[Factor] = ()) -> str:
    """Return the beginning of a prompt about these factors: the list of faults, and the rubrics of the `lists` of items."""
    rubrics = [prompt("judge/items"), *(rubric(one, Judging.ITEMISED) for one in lists)]
    return render(
        prompt("judge/instruction"),
        what="a list of faults, the rubrics of some factors" if lists else "a list of faults",
        rubrics="the list and the rubrics" if lists else "the list",
        task="\n\n".join([_listed_faults(slugs), *(rubrics if lists else ())]),
    )


@lru_cache(maxsize=64)
def _listed_faults(slugs: tuple[str, ...]) -> str:
    listed = [
        render(
            prompt("judge/fault"),
            slug=fault.slug,
            definition=fault.definition,
            excludes="; ".join(fault.excludes),
        )
        for fault in faults_lowering(slugs)
    ]
    return render(prompt("judge/faults"), faults="\n".join(listed))


def fault_task(slugs: tuple[str, ...]) -> str:
    """Return what is asked after the log."""
    asked = [(name, text) for factor, (name, text) in OCCASIONS.items() if factor in slugs]
    return render(
        prompt("judge/faults_asked"),
        lists="".join(f" {prompt(text)}" for _, text in asked),
        keys="".join(f'"{name}": [number, ...], ' for name, _ in asked),
    )


def fault_schema(slugs: tuple[str, ...], lists: Sequence[Factor] = (), outline: Outline = NO_OUTLINE) -> str:
    """Return the JSON schema of an answer about these factors, with the `lists` of items after the faults."""
    forms, definitions = list_forms(lists, outline)
    whole = object_schema({**dict(_properties(slugs)), **forms})
    return as_text(whole | ({"$defs": definitions} if lists else {}))


def _properties(slugs: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    numbers = {"type": "array", "items": {"type": "integer"}}
    yield from ((name, numbers) for name in occasions(slugs))
    entry = {
        "message": {"type": "integer"},
        "fault": {"type": "string", "enum": [fault.slug for fault in faults_lowering(slugs)]},
        "severity": {"type": "string", "enum": [severity.value for severity in Severity]},
        "quote": {"type": "string"},
    }
    yield "faults", {"type": "array", "items": object_schema(entry)}
    yield "replies_read", {"type": "integer"}
