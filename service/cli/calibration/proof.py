"""Cross-validation of anchors: the judge is asked about each labelled conversation beside anchors from others, and without any."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import typer

from ..conversations import ask_jobs
from ..exits import CommandError
from ..inputs import Json
from ..judge_commands import console, say
from ..options import LoadOptions
from ..records import Record
from ..run import Job
from .examples import FOLDS, AnchorExample, Gain, example_row, gain, held_out

_CHANCE = 0.05
"""A smaller p-value is no chance."""


@dataclass(frozen=True)
class Trial:
    """A labelled conversation, and the anchors from other conversations that it is judged beside, or none."""

    example: AnchorExample
    anchors: Sequence[AnchorExample]

    def job(self, judge: str) -> Job:
        """The request."""
        body: Json = {"log": self.example.log, "factors": [self.example.factor], "judge": judge}
        if self.anchors:
            body["examples"] = [example_row(anchor) for anchor in self.anchors]
        return Job(self.example.conversation, None, "/score", body)


@dataclass(frozen=True)
class Proof:
    """The judge that is asked, through which service, and what it may cost. `yes`: nobody has to agree first."""

    judge: str
    running: LoadOptions
    yes: bool

    def gains(self, found: Mapping[str, Sequence[AnchorExample]], shots: int) -> dict[str, Gain]:
        """Return what anchors bring for each factor with conversations enough; empty where nobody agrees to the calls, or none
        is possible. Raises CommandError where the service cannot be asked."""
        trials = [
            Trial(example, beside)
            for examples in found.values()
            if len(examples) >= FOLDS
            for example, anchors in held_out(examples, shots)
            for beside in ((), anchors)
        ]
        if not trials or not self._agreed(len(trials)):
            return {}
        scores = [_share(record) for record in self._asked(trials)]
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for trial, before, after in zip(trials[::2], scores[::2], scores[1::2], strict=True):
            if before is not None and after is not None:
                rows.setdefault(trial.example.factor, []).append((trial.example.people, before, after))
        return {factor: gain(some) for factor, some in rows.items()}

    def _agreed(self, calls: int) -> bool:
        if self.judge == "builtin":
            say("The embedded judge reads no anchors, so there is nothing to cross-validate.")
            return False
        say(
            f"Cross-validation asks {self.judge} {calls} times: about {calls // 2} labelled conversations, with anchors "
            "from other conversations and without."
        )
        if self.yes:
            return True
        if sys.stdin.isatty():
            return typer.confirm("Ask?", err=True)
        say("--yes asks; --max-cost sets a limit.")
        return False

    def _asked(self, trials: Sequence[Trial]) -> Sequence[Record]:
        jobs = [trial.job(self.judge) for trial in trials]
        outcome = ask_jobs(lambda _: jobs, self.running, console(), "cross-validation", judge=self.judge)
        if outcome.halt is not None:
            raise CommandError(f"The cross-validation was stopped: {outcome.halt.value}.")
        return outcome.records


def told(
    gains: Mapping[str, Gain], found: Mapping[str, Sequence[AnchorExample]], judge: str
) -> Iterator[str]:
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


def _share(record: Record) -> float | None:
    """The score as a share of its scale; None where there is none."""
    (verdict,) = record.verdicts or ({"status": "failed"},)
    if verdict["status"] != "scored":
        return None
    low, high = verdict["scale"]["min"], verdict["scale"]["max"]
    return float(verdict["score"] - low) / float(high - low)
