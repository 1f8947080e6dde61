"""A whole pipeline: plant faults into a recommender, let users talk to it, have a scripted model judge, and let the gate name them."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.forked import crs_eval, exits
from tests.provider.behaviours import Answer
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of, schema_of
from tests.registries import CORE
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service

sys.path.insert(0, str(ROOT / "examples" / "crs"))
from planting import (  # type: ignore[import-not-found]
    Situation,
    load_situations,
    situations_by_talk,
    talk,
)

LISTED = ("diversity", "novelty")
"""Factors whose faults code alone can see, from the data of items."""
SCORING = f"""[score]
judge = "local:m"
factor_judging = {{ {", ".join(f'{slug} = "faults"' for slug in CORE if slug not in LISTED)} }}
factor_judges = {{ {", ".join(f'{slug} = "builtin"' for slug in LISTED)} }}
"""
REPLIES = re.compile(r"^\[(\d+)\] recommender: (.*?)(?=^\[\d+\] |\Z)", re.MULTILINE | re.DOTALL)


LISTS = frozenset({"near-duplicates", "only-obvious", "contradicts-data", "invented-item"})
"""Faults that only a list of items or a tool's answer shows, which the examples lack."""


def examples() -> list[Situation]:
    """One situation of every fault: its example where that suffices."""
    return [next(filter(_suffices, reversed(situations))) for situations in load_situations().values()]


def _suffices(one: Situation) -> bool:
    if (
        len(situations_by_talk()[talk(one.log["messages"])]) > 1
    ):  # of several faults, the recommender shows the first
        return False
    if (
        one.fault == "no-reply"
    ):  # of a log without any reply no model is asked, and only a request at its end is owed one
        *before, last = one.log["messages"]
        return last["content"].endswith("?") and any(message["role"] == "assistant" for message in before)
    return one.fault not in LISTS or bool(one.log.get("items"))


def model(situations: list[Situation]) -> Callable[[dict[str, Any]], str]:
    """A model that knows the planted replies, and finds nothing else."""

    marks = {mark: one.fault for one in situations if (mark := _mark(one))}

    def answer(payload: dict[str, Any]) -> str:
        properties = (schema_of(payload) or {})["properties"]
        read = REPLIES.findall(prompt_of(payload))
        faults = [
            {"message": int(number), "fault": fault, "severity": "plain", "quote": mark}
            for number, text in read
            for mark, fault in marks.items()
            if mark in text
        ]
        asked = {"errors_pointed_out": [], "recommending_replies": [int(number) for number, _ in read]}
        lists = {name: asked[name] for name in asked if name in properties}
        return json.dumps({**lists, "faults": faults, "replies_read": len(read)})

    return answer


def _mark(one: Situation) -> str | None:
    """The first sentence of the faulty reply that the good one lacks."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", one.bad["content"])
    return next((part for part in sentences if part and part not in one.good["content"]), None)


def report_of(folder: Path, situations: list[Situation], rules: str) -> dict[str, Any]:
    """Simulate the situations with a sound recommender and a faulty one, and return the gate's report."""
    with (
        ProviderServer(Answer(model(situations))) as provider,
        running_crs() as sound,
        running_crs([one.fault for one in situations]) as faulty,
        running_service(
            {
                "CRS_ENDPOINTS": f"sound={sound}/reply,faulty={faulty}/reply",
                "UPSTREAM_LOCAL": provider.openai_url,
                "JUDGES": "builtin,local:m",
            }
        ) as url,
    ):
        (folder / "users.json").write_text(json.dumps([one.log for one in situations]), encoding="utf-8")
        (folder / "crs-eval.toml").write_text(SCORING + rules, encoding="utf-8")
        for name in ("sound", "faulty"):
            asked = ("simulate", "users.json", "--crs", name, "--max-rounds", "1", "--url", url)
            done = crs_eval(*asked, "-o", f"{name}.jsonl", cwd=folder)
            assert (folder / f"{name}.jsonl").exists(), done.stderr
        gated = ("gate", "faulty.jsonl", "--baseline", "sound.jsonl", "--url", url)
        done = exits(1, *gated, "--report", "gate.json", cwd=folder)
        return dict(json.loads((folder / "gate.json").read_text()))


@pytest.mark.slow
def test_the_gate_names_every_fault_of_the_list(tmp_path: Path) -> None:
    faults = [one.fault for one in examples()]
    rules = "".join(f'[[gate.rules]]\nfault = "{fault}"\nmaximum = 0\nminimum_n = 1\n' for fault in faults)
    report = report_of(tmp_path, examples(), rules)
    failed = [one for one in report["results"] if one["verdict"] == "fail" and one["fault"]]
    assert {one["fault"] for one in failed} == set(faults)
    ids = {one.fault: one.log["id"] for one in examples()}
    for one in failed:
        assert ids[one["fault"]] in {case["conversation"] for case in one["worst"]}
        assert all(case["quotes"] for case in one["worst"])
