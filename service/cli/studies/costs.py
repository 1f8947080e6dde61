"""The payments of a run, over all its stops: the answers in its folder, counted once each."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...domain.completion import Usage
from ..records import Record
from .estimate import known_prices


def paid(answers: Path, records: Sequence[Record], judges: Sequence[str]) -> dict[str, Any]:
    """Calls, tokens and cost by model. From the kept answers where a private service kept them; else what the
    records say, which leaves out what a stop lost. `judges` are those that the run names: their prices hold."""
    if answers.is_file() and (found := _of_answers(answers, judges)):
        return {"counted": "answers of models that are kept in this folder", "models": found}
    usages = [record.usage for record in records]
    names = ("input_tokens", "output_tokens")
    tokens = {name: sum(usage.get(name) or 0 for usage in usages) for name in names}
    costs = [usage["cost"] for usage in usages if usage.get("cost") is not None]
    return {"counted": "answers of the service", **tokens, "cost": sum(costs) if costs else None}


def _of_answers(answers: Path, judges: Sequence[str]) -> dict[str, Any]:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for line in answers.read_bytes().splitlines():
        key, text = json.loads(line)
        if key.startswith("reply:"):
            continue
        try:
            answer = json.loads(text)
        except ValueError:  # signed: CRS_EVAL_CACHE_KEY
            return {}
        usage = answer["usage"]
        parts = (1, usage["input_tokens"], usage["output_tokens"], usage["cached_input_tokens"])
        totals[answer["model"]] = [a + b for a, b in zip(totals[answer["model"]], parts, strict=True)]
    return {
        model: {
            "calls": calls,
            "input_tokens": read,
            "output_tokens": written,
            "cached_input_tokens": cached,
            "cost": _cost(model, Usage(read, written, cached), judges),
        }
        for model, (calls, read, written, cached) in sorted(totals.items())
    }


def _cost(model: str, usage: Usage, judges: Sequence[str]) -> float | None:
    """The cost by the price of the judge that has this model, or of the only judge there is: providers report names
    of their own."""
    named = [judge for judge in judges if judge.partition(":")[2] == model] or list(judges)
    price = known_prices().of(named[0]) if len(set(named)) == 1 else None
    return None if price is None else price.of(usage)
