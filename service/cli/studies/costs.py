"""The cost of a study: estimated before anything is asked, and paid over all stops of a run."""

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ...domain.completion import Usage
from ...errors import ConfigurationError
from ...llm.known_models import MILLION, Prices, load_prices
from ..exits import CommandError, Exit
from ..records import Record
from ..tables import figures_table
from .options import BUILTIN, MIXTURE, members
from .study import Component

TOKENS: dict[str, tuple[float, float]] = {
    "target": (450, 40),
    "persona": (600, 80),
    "paraphrase": (300, 60),
    "ability": (1250, 380),
    "factor": (1250, 380),
    "statement": (2200, 150),
    "strategy": (1800, 200),
    "review": (300, 60),
}
"""Input and output tokens of a call, by its kind. Input: our prompts on sessions of three rounds with the example recommender, four
characters a token. Output: CoRE's tables 20 and 21 for verdicts and statements."""
TOKEN_COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens")


def estimate(components: Sequence[Component], console: Console) -> float | None:
    """Show what the run may cost, component by component; its sum, None where the price of a model is unknown."""
    asked = [one for whole in components for one in _single(whole) if one.judge != BUILTIN and one.calls]
    if not asked:
        console.print("No language model is asked: this run costs nothing.")
        return 0.0
    prices = known_prices()
    costs: list[float | None] = []
    rows = []
    for one in asked:
        read, written = (one.calls * tokens for tokens in TOKENS[one.kind])
        price = prices.of(one.judge)
        costs.append(None if price is None else (read * price.input + written * price.output) / MILLION)
        cost = "" if costs[-1] is None else f"{costs[-1]:.4g}"
        counts = (f"{round(count):,}" for count in (one.calls, read, written))
        rows.append([f"{one.name}, {one.judge}", *counts, cost])
    columns = ("component, model", "calls", "input tokens", "output tokens", "cost")
    console.print(figures_table("Estimated before anything is asked", columns, rows))
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    amount = "unknown: CRS_EVAL_PRICES names no price of a model" if total is None else f"about {total:.4g}"
    console.print(f"Cost: {amount}. What the recommenders themselves cost is not in it.", highlight=False)
    return total


def _single(component: Component) -> Iterator[Component]:
    """Yield the calls of each member of a panel, or those of a mixture in equal parts."""
    asked = members([component.judge])
    share = len(asked) if component.judge.startswith(MIXTURE) else 1
    for name in asked:
        yield replace(component, judge=name, calls=component.calls / share)


def check_budget(cost: float | None, budget: float | None, *, yes: bool) -> None:
    """Ask before a run whose estimate is above the budget. Raises CommandError where nobody can be asked, or says no."""
    if budget is None or yes or (cost is not None and cost <= budget):
        return
    above = "is unknown" if cost is None else f"of {cost:.4g} is above the budget of {budget:.4g}"
    if not sys.stdin.isatty():
        raise CommandError(f"The estimated cost {above}. --yes begins all the same, and stops at the budget.")
    if not typer.confirm(f"The estimated cost {above}. Begin, and stop at the budget?", err=True):
        raise CommandError("Nothing was asked.", Exit.INCONCLUSIVE)


def paid(answers: Path, records: Sequence[Record], judges: Sequence[str]) -> dict[str, Any]:
    """Calls, tokens and cost by model. From the kept answers where a private service kept them; else what the
    records say, which leaves out what a stop lost. `judges` are those that the run names: their prices hold."""
    if answers.is_file() and (found := _of_answers(answers, judges)):
        return {"counted": "answers of models that are kept in this folder", "models": found}
    usages = [record.usage for record in records]
    tokens = {name: sum(usage.get(name) or 0 for usage in usages) for name in TOKEN_COUNTS[:2]}
    costs = [usage["cost"] for usage in usages if usage.get("cost") is not None]
    return {"counted": "answers of the service", **tokens, "cost": sum(costs) if costs else None}


def _of_answers(answers: Path, judges: Sequence[str]) -> dict[str, Any]:
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for line in answers.read_bytes().splitlines():
        key, text = json.loads(line)
        if key.startswith("reply:"):
            continue
        try:
            answer = json.loads(text)
        except ValueError:  # signed: CRS_EVAL_CACHE_KEY
            return {}
        tokens = {name: answer["usage"][name] for name in TOKEN_COUNTS}
        totals[answer["model"]].update({"calls": 1, **tokens})
    usages = {model: Usage(*(found[name] for name in TOKEN_COUNTS)) for model, found in totals.items()}
    return {model: {**totals[model], "cost": _cost(model, usage, judges)} for model, usage in usages.items()}


def _cost(model: str, usage: Usage, judges: Sequence[str]) -> float | None:
    """The cost by the price of the judge that has this model, or of the only judge there is: providers report names
    of their own."""
    named = [judge for judge in judges if judge.partition(":")[2] == model] or list(judges)
    price = known_prices().of(named[0]) if len(set(named)) == 1 else None
    return None if price is None else price.of(usage)


def known_prices() -> Prices:
    """The prices that CRS_EVAL_PRICES names. Raises CommandError where they cannot be read."""
    path = os.environ.get("CRS_EVAL_PRICES")
    try:
        return load_prices(Path(path)) if path else Prices({})
    except ConfigurationError as error:
        raise CommandError(str(error)) from None
