"""The compared runs: results are read, logs are scored. Pairing is checked before anything is asked and paid."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2

from ...computed_metrics.families import metrics as known_metrics
from ...computed_metrics.figures import Unit
from ...domain.plurals import counted
from ...domain.rubric import Protocol
from ...faults import load_faults
from ..configuration import NAME, Configuration, GateSettings, Rule, load_configuration
from ..conversations import IMPORT_LABELS, OTHER_FIELDS, run_request, scoring_request
from ..exits import CommandError, Exit
from ..inputs import Source, read_logs
from ..judge_commands import console, split
from ..names import check_names, factors_here
from ..options import GateOptions, PairBy, RunOptions
from ..records import Record
from ..remote import UNPROCESSABLE
from ..scores import ANSWERED, BELONGING, MEAN, OVERALL, OVERALL_SPAN, Run, is_results, load_run
from .paired import shared_names

Scales = Mapping[str, tuple[float, float]]
"""The lowest and the highest score of each factor, of `overall` and of `mean`."""


def own_scales(url: str | None = None, key: str | None = None) -> Scales:
    """Those of the factors of this version and of the operator, and of the service at `url` if it tells them: it refuses later
    what it does not know."""
    scales = {slug: (float(one.scale.min), float(one.scale.max)) for slug, one in factors_here().items()}
    if url is not None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with suppress(httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError):
            factors = httpx2.get(f"{url.rstrip('/')}/factors", headers=headers).json()["factors"]
            scales |= {one["slug"]: (one["scale"]["min"], one["scale"]["max"]) for one in factors}
    means = dict.fromkeys((OVERALL, MEAN), (0.0, OVERALL_SPAN))
    return {**scales, **means, BELONGING: (0.0, 1.0), ANSWERED: (0.0, 1.0)}


def run_scales(run: Run) -> Scales:
    """Scales of the factors that a run has verdicts on, and of `belonging`."""
    scales = {slug: (factor.low, factor.high) for slug, factor in run.factors.items()}
    return {**scales, BELONGING: (0.0, 1.0)} if run.belonging else scales


def check_rules(configuration: Configuration, scales: Scales) -> None:
    """Raise CommandError for an unknown factor, fault or metric in the configuration, or a number outside a factor's scale."""
    gate, known, faults = configuration.gate, list(scales), list(load_faults())
    scored = [*factors_here().protocols, *known]
    check_names("factor or protocol", configuration.score.factors or (), scored, " score.factors names it.")
    check_names("fault", gate.regression.faults or (), faults, " gate.regression.faults names it.")
    for number, rule in enumerate(gate.rules):
        place = f"gate.rules.{number}"
        if rule.factor is None:
            check_names("fault", filter(None, [rule.fault]), faults, f" {place}.fault names it.")
            if rule.metric is not None:
                _check_metric(rule.metric, rule, place)
            continue
        check_names("factor", [rule.factor], known, f" {place}.factor names it.")
        low, high = scales[rule.factor]
        for entry, value in (("mean", rule.mean), ("at_or_above", rule.at_or_above)):
            if value is not None and not low <= value <= high:
                message = (
                    f"{place}.{entry}: {value:g} is outside the scale of {rule.factor}, {low:g} to {high:g}"
                )
                raise CommandError(message)
    widest = max(high - low for low, high in scales.values())
    if gate.regression.margin > widest:
        message = f"gate.regression.margin: {gate.regression.margin:g} is more than the widest scale, {widest:g} points"
        raise CommandError(message)
    named = {"factors": gate.regression.factors or (), "margins": gate.regression.margins}
    for entry, names in named.items():
        check_names("factor", names, known, f" gate.regression.{entry} names it.")
    for factor, margin in gate.regression.margins.items():
        low, high = scales[factor]
        if margin > high - low:
            message = f"gate.regression.margins.{factor}: {margin:g} is more than its whole scale"
            raise CommandError(f"{message}, {low:g} to {high:g}")


def _check_metric(metric: str, rule: Rule, place: str) -> None:
    """Raise CommandError for an unknown metric, and for a limit that is none: 5 for 5 %, say."""
    check_names("metric", [metric], list(known_metrics()), f" {place}.metric names it.")
    share = known_metrics()[metric].unit is Unit.SHARE
    for entry, value in (("maximum", rule.maximum), ("minimum", rule.minimum)):
        if value is not None and (value < 0 or (share and value > 1)):
            bounds = "is a share, 0 to 1, as 0.01 for 1 %" if share else "is never negative"
            raise CommandError(f"{place}.{entry}: {value:g}, but {metric} {bounds}")


_OF_LOGS = ("judge", "samples", "rubric", "catalog", "cache", "max_cost")
"""Options that say how logs are judged."""


@dataclass(frozen=True)
class ComparedRun:
    """One run before it is judged: its results if given, and what it holds."""

    path: str
    run: Run | None
    held: Sequence[Record | Source]

    @classmethod
    def of(cls, path: str) -> "ComparedRun":
        """Read logs or results at `path`. Raises CommandError for anything else."""
        run = load_run(path) if is_results(path) else None
        return cls(path, run, run.records if run else read_logs([path], repeats=True)[0])

    def judged(self, asked: GateOptions, out: Path) -> Run:
        """Return the results, scoring logs first. Raises CommandError for an unfinished run."""
        if self.run is not None:
            return restricted(self.run, split(asked.factors))
        running = RunOptions(asked.url, asked.api_key, asked.at_once, asked.max_cost, asked.workers)
        request = scoring_request("/score", [self.path], asked, running, out=[out], config=asked.config)
        outcome = run_request(request, console())
        if outcome.halt is not None:
            message = f"Not all of {self.path} was judged: {outcome.halt.value}. So there is no verdict."
            raise CommandError(message, Exit.INCONCLUSIVE)
        refused = [r for r in outcome.records if r.failure and r.failure.get("status") in UNPROCESSABLE]
        if refused:
            first = refused[0]
            refusal = f"Refused: {counted(len(refused), 'log', of=len(outcome.records))}"
            detail = (first.failure or {})["detail"]
            remedy = f"\n{IMPORT_LABELS}" if OTHER_FIELDS in detail else ""
            raise CommandError(f"{refusal}: {first.conversation}: {detail}{remedy}")
        return Run(self.path, outcome.records)


@dataclass(frozen=True)
class Preparation:
    """Everything that is ready to be judged: the sides, the baseline first, how to score logs, and the file for their scores."""

    sides: Sequence[ComparedRun]
    options: GateOptions
    configuration: Configuration
    out: Path

    @property
    def asked(self) -> Sequence[str]:
        """The factors that the options name, or else the configuration."""
        return split(self.options.factors) or self.configuration.score.factors or ()

    @property
    def gate(self) -> GateSettings:
        return self.configuration.gate

    def runs(self) -> tuple[Run | None, Run]:
        """The baseline, None where there is none, and the candidate; logs are scored."""
        places = (self.out.with_name(f"{self.out.stem}.baseline{self.out.suffix}"), self.out)
        found = [
            side.judged(self.options, place)
            for side, place in zip(self.sides, places[-len(self.sides) :], strict=True)
        ]
        if len(found) == 1:
            return None, found[0]
        before, now = (paired(run, self.options.pair_by) for run in found)
        return before, now


def check_options(sides: Sequence[ComparedRun], asked: GateOptions) -> None:
    """Raise CommandError for options that only apply to logs, if all sides are results."""
    if any(side.run is None for side in sides):
        return
    if vain := [name for name in _OF_LOGS if getattr(asked, name) is not None]:
        paths = " and ".join(side.path for side in sides)
        raise CommandError(
            f"--{vain[0].replace('_', '-')} has no effect: {paths} already contain{'s' * (len(sides) == 1)} verdicts. Leave it "
            "out, or pass the logs."
        )


def restricted(run: Run, named: Sequence[str] | None) -> Run:
    """Return the run with these factors and protocols alone; all for None. Raises CommandError for one without verdicts."""
    if named is None:
        return run
    here = factors_here()
    slugs = [
        slug
        for name in named
        for slug in ([f.slug for f in here.of(Protocol(name))] if name in here.protocols else [name])
    ]
    judged = [*run.factors, *dict.fromkeys(here[slug].protocol for slug in run.factors if slug in here)]
    check_names(
        "factor", named, judged, f" {run.name} has no scores of it: score its logs again with --factors."
    )
    # An answer's overall score rests on all of its factors.
    left_out: dict[str, Any] = {} if set(run.factors) <= set(slugs) else {"summaries": []}
    records = []
    for one in run.records:
        kept = {**left_out, "verdicts": [verdict for verdict in one.verdicts if verdict["factor"] in slugs]}
        records.append(one if one.answer is None else replace(one, answer={**one.answer, **kept}))
    return Run(run.name, records)


def check_pairs(baseline: ComparedRun, candidate: ComparedRun, pair_by: PairBy) -> None:
    """Raise CommandError if the two sides cannot be paired."""
    if pair_by == "line":
        return
    field, remedy = "metadata.user", ""
    if pair_by == "id":
        field = "id"
        remedy = " Give a situation the same id in both runs; or pair the logs by their place in the file with --pair-by line."
    sides = []
    for side in (baseline, candidate):
        ids = [one.conversation if one.position is None else None for one in side.held]
        names = ids if pair_by == "id" else [one.user for one in side.held]
        if unnamed := names.count(None):
            count = counted(unnamed, "log", of=len(names))
            raise CommandError(f"No `{field}` to pair by: {count} in {side.path}.{remedy}")
        sides.append((side.path, [name for name in names if name is not None]))
    shared_names(*sides)


def paired(run: Run, pair_by: PairBy) -> Run:
    """The run with its conversations under the names that they are paired by."""
    if pair_by == "id":
        return run
    if pair_by == "user":
        return Run(run.name, [replace(r, conversation=r.user or r.conversation) for r in run.records])
    return Run(run.name, [replace(r, conversation=f"line-{n}") for n, r in enumerate(run.records, 1)])


def systems_of(run: Run, pair_by: PairBy) -> tuple[Run, Run]:
    """Return a run's two systems, paired by user if all are known. Raises CommandError for another number of systems."""
    parts = list(run.by_system.values())
    if len(parts) != 2:
        raise CommandError(
            f"{run.name} contains {counted(len(parts), 'system')}, but two are needed. Name a second run, or compare all systems with "
            "crs-eval table."
        )
    by: PairBy = "user" if all(record.user is not None for record in run.records) else pair_by
    return paired(parts[0], by), paired(parts[1], by)


@contextmanager
def prepared(
    run: str, baseline: str | None, asked: GateOptions, out: Path | None = None
) -> Iterator[Preparation]:
    """Check everything before a conversation is judged. Raises CommandError."""
    configuration = load_configuration(asked.config)
    with tempfile.TemporaryDirectory() as folder:
        sides = [ComparedRun.of(path) for path in (baseline, run) if path is not None]
        scales = dict(own_scales(asked.url, asked.api_key))
        for side in sides:
            scales |= run_scales(side.run) if side.run else {}
        try:
            check_rules(configuration, scales)
        except CommandError as error:
            raise CommandError(f"{asked.config or NAME}: {error}") from None
        if baseline is not None and baseline != run:  # a log is always its own pair
            check_pairs(sides[0], sides[-1], asked.pair_by)
        check_options(sides, asked)
        if out is not None and sides[-1].run is not None:
            console().print(f"{out} is not written: {run} already contains verdicts.", markup=False)
        yield Preparation(sides, asked, configuration, out or Path(folder) / "results.jsonl")
