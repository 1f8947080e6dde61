"""Cross-validation of anchors: the judge is asked about each labelled conversation beside anchors from others, and without any."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import typer
from rich.console import Console

from ..connection import connected
from ..exits import CommandError
from ..inputs import Json
from ..names import check_request
from ..records import Record
from ..remote import Remote
from ..run import Job, Runner
from .examples import FOLDS, Example, Gain, example_row, gain, held_out

_CHANCE = 0.05
"""A smaller p-value is no chance."""

Scores = Mapping[tuple[int, bool], float | None]
"""The score of each trial, without anchors and with them, as a share of its scale."""


@dataclass(frozen=True)
class Asking:
    """The judge that is asked, through which service, and what it may cost. `yes`: nobody has to agree first."""

    judge: str
    url: str | None
    key: str | None
    at_once: int
    max_cost: float | None
    yes: bool


@dataclass(frozen=True)
class Trial:
    """A labelled conversation, and the anchors from other conversations that it is judged beside."""

    example: Example
    anchors: Sequence[Example]

    def job(self, judge: str, *, shown: bool) -> Job:
        """The request, with the anchors or without."""
        body: Json = {"log": self.example.log, "factors": [self.example.factor], "judge": judge}
        if shown:
            body["examples"] = [example_row(anchor) for anchor in self.anchors]
        return Job(self.example.conversation, None, "/score", body)


def prove(
    found: Mapping[str, Sequence[Example]], shots: int, asking: Asking, console: Console
) -> dict[str, Gain]:
    """Return what anchors bring for each factor with conversations enough; empty where nobody agrees to the calls, or none is
    possible. Raises CommandError where the service cannot be asked."""
    trials = [
        Trial(example, anchors)
        for examples in found.values()
        if len(examples) >= FOLDS
        for example, anchors in held_out(examples, shots)
    ]
    if not trials or not _agreed(trials, asking, console):
        return {}
    scores = _asked(trials, asking, console)
    return {
        factor: made
        for factor in dict.fromkeys(trial.example.factor for trial in trials)
        if (made := _gain(factor, trials, scores)) is not None
    }


def told(gains: Mapping[str, Gain], found: Mapping[str, Sequence[Example]], judge: str) -> Iterator[str]:
    """Say what anchors bring, in points of people's scale."""
    for factor, made in gains.items():
        span = found[factor][0].span
        yield (
            f"{factor}: {_finding(made, judge)} Over {made.n} conversations it misses people's mean by "
            f"{made.after * span:.2f} points with anchors from other conversations, and by {made.before * span:.2f} without "
            f"(root mean square). It is nearer with anchors on {made.nearer} of them, and farther on {made.farther}."
        )


def _finding(made: Gain, judge: str) -> str:
    if made.p_value > _CHANCE:
        return (
            f"these conversations do not tell whether showing anchors helps {judge} (p = {made.p_value:.2f})."
        )
    return f"showing anchors {'helps' if made.after < made.before else 'makes errors larger for'} {judge}."


def _agreed(trials: Sequence[Trial], asking: Asking, console: Console) -> bool:
    if asking.judge == "builtin":
        console.print("The embedded judge reads no anchors, so there is nothing to cross-validate.")
        return False
    calls = (
        f"Cross-validation asks {asking.judge} {2 * len(trials)} times: about {len(trials)} labelled conversations, with anchors "
        "from other conversations and without."
    )
    console.print(calls, highlight=False, markup=False, soft_wrap=True)
    if asking.yes:
        return True
    if sys.stdin.isatty():
        return typer.confirm("Ask?", err=True)
    console.print("--yes asks; --max-cost sets a limit.", highlight=False, markup=False)
    return False


def _asked(trials: Sequence[Trial], asking: Asking, console: Console) -> Scores:
    places = [(trial, shown) for trial in trials for shown in (False, True)]
    jobs = [trial.job(asking.judge, shown=shown) for trial, shown in places]

    with connected(asking.url, asking.key, judge=asking.judge) as connection:

        async def ask() -> list[Record]:
            async with Remote(connection.url, connection.key) as remote:
                await check_request(remote, jobs[0].body, {})
                runner = Runner(remote, None, asking.at_once, console, "cross-validation", asking.max_cost)
                outcome = await runner.run(jobs)
                if outcome.halt is not None:
                    raise CommandError(f"The cross-validation was stopped: {outcome.halt.value}.")
                return outcome.records

        records = asyncio.run(ask())
    return {
        (id(trial), shown): _share(record) for (trial, shown), record in zip(places, records, strict=True)
    }


def _gain(factor: str, trials: Sequence[Trial], scores: Scores) -> Gain | None:
    """The gain over the conversations that have both scores."""
    rows = [
        (trial.example.people, before, after)
        for trial in trials
        if trial.example.factor == factor
        and (before := scores[id(trial), False]) is not None
        and (after := scores[id(trial), True]) is not None
    ]
    return gain(rows) if rows else None


def _share(record: Record) -> float | None:
    """The score as a share of its scale; None where there is none."""
    (verdict,) = record.verdicts or ({"status": "failed"},)
    if verdict["status"] != "scored":
        return None
    low, high = verdict["scale"]["min"], verdict["scale"]["max"]
    return float(verdict["score"] - low) / float(high - low)
