"""The cost of a study before anything is asked."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console

from ...errors import ConfigurationError
from ...llm.known_models import MILLION, Price, Prices, load_prices
from ..exits import CommandError, Exit
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
"""Input and output tokens of a call. Input: our prompts on sessions of three rounds with the example recommender, four
characters a token. Output: CoRE's tables 20 and 21 for verdicts and statements."""


def estimate(components: Sequence[Component], console: Console) -> float | None:
    """Show what the run may cost, component by component; its sum, None where the price of a model is unknown."""
    paid = [one for whole in components for one in _single(whole) if one.judge != BUILTIN and one.calls]
    if not paid:
        console.print("No language model is asked: this run costs nothing.")
        return 0.0
    prices = known_prices()
    costs = [_cost(one, prices.of(one.judge)) for one in paid]
    rows = []
    for one, cost in zip(paid, costs, strict=True):
        counts = [one.calls, one.calls * one.input_tokens, one.calls * one.output_tokens]
        told = "" if cost is None else f"{cost:.4g}"
        rows.append([f"{one.name}, {one.judge}", *(f"{round(count):,}" for count in counts), told])
    columns = ("component, model", "calls", "input tokens", "output tokens", "cost")
    console.print(figures_table("Estimated before anything is asked", columns, rows))
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    told = "unknown: CRS_EVAL_PRICES names no price of a model" if total is None else f"about {total:.4g}"
    console.print(f"Cost: {told}. What the recommenders themselves cost is not in it.", highlight=False)
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


def known_prices() -> Prices:
    """The prices that CRS_EVAL_PRICES names. Raises CommandError where they cannot be read."""
    path = os.environ.get("CRS_EVAL_PRICES")
    try:
        return load_prices(Path(path)) if path else Prices({})
    except ConfigurationError as error:
        raise CommandError(str(error)) from None


def _cost(one: Component, price: Price | None) -> float | None:
    if price is None:
        return None
    return one.calls * (one.input_tokens * price.input + one.output_tokens * price.output) / MILLION
