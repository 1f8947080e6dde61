"""The runs that are compared: results are read, logs are scored. That they can be paired is found out
before anything is asked and paid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..configuration import Configuration, Gate
from ..conversations import UNPROCESSABLE, run_request
from ..exits import CommandError, Exit
from ..files import STDIN, read_content
from ..inputs import read_logs
from ..judge_commands import console, scoring_request
from ..options import PairBy
from ..scores import Run, is_results, load_run
from .comparable import shared_names


@dataclass(frozen=True)
class Side:
    """One run before it is judged: its results where they were given, the names of its conversations,
    and how many of those have no id."""

    path: str
    file: str
    run: Run | None
    names: Sequence[str]
    without_id: int

    @classmethod
    def of(cls, path: str, folder: Path) -> "Side":
        """Read what is at `path`; standard input is kept in `folder`. Raises CommandError for what is
        neither logs nor results."""
        file = path
        if path == STDIN:
            file = str(folder / "stdin")
            Path(file).write_bytes(read_content(STDIN))
        if is_results(file):
            run = replace(load_run(file), name=path)
            _check(run)
            return cls(path, file, run, run.conversations, sum(r.position is not None for r in run.records))
        sources, _ = read_logs([file])
        without_id = sum(source.position is not None for source in sources)
        return cls(path, file, None, [source.conversation for source in sources], without_id)

    def judged(self, given: Mapping[str, Any], defaults: Any, out: Path, *, past_cache: bool = False) -> Run:
        """The results; logs are scored first. Raises CommandError for a run without its end."""
        if self.run is not None:
            return self.run
        options = {
            **given, "logs": [self.file], "out": out, "also": None, "fresh": False, "skip_unreadable": False,
            "max_cost": given.get("max_cost"),
        }  # fmt: skip
        extra = {"cache": "off"} if past_cache else {}
        outcome = run_request(scoring_request("/score", options, extra, defaults), console())
        if outcome.halt is not None:
            told = f"Not all of {self.path} was judged: {outcome.halt.value}. There is no verdict."
            raise CommandError(told, Exit.INCONCLUSIVE)
        refused = [r for r in outcome.records if r.failure and r.failure.get("status") in UNPROCESSABLE]
        if refused:
            first = refused[0]
            told = f"{len(refused)} of {len(outcome.records)} logs were refused"
            raise CommandError(f"{told}: {first.conversation}: {(first.failure or {})['detail']}")
        return Run(self.path, outcome.records)


@dataclass(frozen=True)
class Preparation:
    """Everything that is ready to be judged: the sides, the baseline first where there is one, and how to
    score logs."""

    sides: Sequence[Side]
    given: Mapping[str, Any]
    configuration: Configuration
    folder: Path
    past_cache: bool = False

    @property
    def gate(self) -> Gate:
        """The rules."""
        return self.configuration.gate

    def runs(self) -> tuple[Run | None, Run]:
        """The baseline, None where there is none, and the candidate; logs are scored."""
        out: Path | None = self.given["out"]
        target = out or self.folder / "results.jsonl"
        places = (target.with_name(f"{target.stem}.baseline{target.suffix}"), target)
        found = [
            side.judged(self.given, self.configuration.score, place, past_cache=self.past_cache)
            for side, place in zip(self.sides, places[-len(self.sides) :], strict=True)
        ]
        if len(found) == 1:
            return None, found[0]
        before, now = (paired(run, self.given["pair_by"]) for run in found)
        return before, now


def _check(run: Run) -> None:
    """Raise CommandError for results that cannot be a run's: an id twice, verdicts in another form."""
    names = set()
    for record in run.records:
        if record.conversation in names:
            raise CommandError(f"{run.name} has two results of {record.conversation!r}; ids must differ.")
        names.add(record.conversation)
    try:
        _ = run.factors, run.keys
    except (KeyError, TypeError, AttributeError):
        raise CommandError(
            f"{run.name} holds verdicts in another form than `crs-eval score` writes; score its logs again."
        ) from None


def check_pairs(baseline: Side, candidate: Side, pair_by: PairBy) -> None:
    """Raise CommandError where the two sides cannot be paired."""
    if pair_by is PairBy.LINE:
        return
    for side in (baseline, candidate):
        if side.without_id:
            raise CommandError(
                f"{side.without_id} of {len(side.names)} logs in {side.path} have no `id` to be paired by. Give a "
                "situation the same id in both runs; or pair the logs by their place in the file with --pair-by line."
            )
    shared_names((baseline.path, baseline.names), (candidate.path, candidate.names))


def paired(run: Run, pair_by: PairBy) -> Run:
    """The run with its conversations under the names that they are paired by."""
    if pair_by is PairBy.ID:
        return run
    return Run(run.name, [replace(r, conversation=f"line-{n}") for n, r in enumerate(run.records, 1)])
