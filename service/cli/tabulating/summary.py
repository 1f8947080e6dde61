"""Results as means of systems on factors with intervals over users, and the differences of systems that hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from ...importing.entries import plain_name
from ...statistics.bootstrap import intervals, ratio_draws
from ...statistics.permutation import holm, paired_p, unpaired_p
from ..exits import CommandError
from ..records import Record
from ..scores import MEAN_OF_FACTORS, OVERALL, Run, load_run

ALPHA = 0.05
DRAWS = 2000
FEWEST_PAIRS = 2
PLACES = 3
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Measured:
    """One number that a conversation of a system came to. Conversations of one `user` belong together."""

    system: str
    factor: str
    user: str
    value: float


@dataclass(frozen=True)
class SummaryCell:
    """A system on a factor. `sd` is the sample's standard deviation over conversations; `low` and `high` are a
    95 % bootstrap interval that draws whole users. Both are None below two."""

    mean: float
    sd: float | None
    low: float | None
    high: float | None
    n: int
    users: int


@dataclass(frozen=True)
class SystemDifference:
    """Two systems on a factor: `first` minus `second` in means over users, those that both have where there are two
    or more (`paired`). `adjusted` is corrected over all pairs and factors of the table (Holm). `low` and `high` are a 95 %
    bootstrap interval over users, `effect` is Cohen's d of the paired differences: None where they are not paired, the effect
    also where they do not vary."""

    factor: str
    first: str
    second: str
    difference: float
    p: float
    adjusted: float
    paired: bool
    users: int
    low: float | None = None
    high: float | None = None
    effect: float | None = None


@dataclass(frozen=True)
class Summary:
    """A table: its systems, its factors, a cell for each pair that was measured."""

    title: str
    systems: tuple[str, ...]
    factors: tuple[str, ...]
    cells: Mapping[tuple[str, str], SummaryCell]
    """By system and factor."""
    differences: tuple[SystemDifference, ...]

    def podium(self, factor: str) -> list[str]:
        """Return up to three systems, best first, each better than all that follow by a difference that holds. The last has no place."""
        left = [system for system in self.systems if (system, factor) in self.cells]
        left.sort(key=lambda system: -self.cells[system, factor].mean)
        found: list[str] = []
        while len(left) > 1 and len(found) < PLACES:
            first, *left = left
            if not all(self._beats(first, other, factor) for other in left):
                break
            found.append(first)
        return found

    def _beats(self, system: str, other: str, factor: str) -> bool:
        for found in self.differences:
            if found.factor == factor and {found.first, found.second} == {system, other}:
                gain = found.difference if found.first == system else -found.difference
                return gain > 0 and found.adjusted < ALPHA
        return False


def summarise(
    title: str,
    measured: Iterable[Measured],
    systems: Sequence[str] | None = None,
    factors: Sequence[str] | None = None,
) -> Summary:
    """The table of these numbers; systems and factors in the order given, else in that in which they come."""
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for one in measured:
        values.setdefault((one.system, one.factor), {}).setdefault(one.user, []).append(one.value)
    rows = tuple(systems) if systems is not None else tuple(dict.fromkeys(system for system, _ in values))
    columns = tuple(factors) if factors is not None else tuple(dict.fromkeys(factor for _, factor in values))
    kept = {key: by_user for key, by_user in values.items() if key[0] in rows and key[1] in columns}
    cells = {key: _cell(by_user) for key, by_user in kept.items()}
    return Summary(title, rows, columns, cells, tuple(_differences(kept, rows, columns)))


def _cell(by_user: Mapping[str, Sequence[float]]) -> SummaryCell:
    # In the order of users, so that the order of the answers cannot show in the last digits.
    groups = [sorted(by_user[user]) for user in sorted(by_user)]
    scores = [score for group in groups for score in group]
    low, high = _bounds(groups)
    return SummaryCell(
        fmean(scores), stdev(scores) if len(scores) > 1 else None, low, high, len(scores), len(groups)
    )


def _bounds(groups: Sequence[Sequence[float]]) -> tuple[float | None, float | None]:
    """A 95 % interval of the mean that draws whole groups; none below two."""
    if len(groups) < 2:
        return None, None
    sums = np.array([[sum(group)] for group in groups], dtype=np.float64)
    sizes = np.array([[len(group)] for group in groups], dtype=np.float64)
    (bounds,) = intervals(ratio_draws(sums, sizes, draws=DRAWS))
    return (bounds.low, bounds.high) if bounds else (None, None)


def _differences(
    values: Mapping[tuple[str, str], Mapping[str, Sequence[float]]],
    systems: Sequence[str],
    factors: Sequence[str],
) -> list[SystemDifference]:
    means = {
        key: {user: fmean(sorted(scores)) for user, scores in sorted(by_user.items())}
        for key, by_user in values.items()
    }
    found = []
    for factor in factors:
        for first, second in combinations(systems, 2):
            if (first, factor) in means and (second, factor) in means:
                found.append(_tested(factor, first, second, means[first, factor], means[second, factor]))
    adjusted = holm([difference.p for difference in found])
    return [replace(one, adjusted=corrected) for one, corrected in zip(found, adjusted, strict=True)]


def _tested(
    factor: str, first: str, second: str, left: Mapping[str, float], right: Mapping[str, float]
) -> SystemDifference:
    shared = [user for user in left if user in right]
    if len(shared) >= FEWEST_PAIRS:
        apart = [left[user] - right[user] for user in shared]
        mean, spread = _plain(fmean(apart)), stdev(apart)
        low, high = _bounds([[one] for one in apart])
        effect = mean / spread if spread > _ROUNDING else None
        p = paired_p(apart)
        return SystemDifference(factor, first, second, mean, p, 1.0, True, len(shared), low, high, effect)
    p = unpaired_p(list(left.values()), list(right.values()))
    change = _plain(fmean(left.values()) - fmean(right.values()))
    return SystemDifference(factor, first, second, change, p, 1.0, False, len(left) + len(right))


def _plain(value: float) -> float:
    return 0.0 if abs(value) < _ROUNDING else value


def load(paths: Sequence[str]) -> list[Run]:
    """Load the systems in these files, one run each. Records without a system get the file's name, and so do those whose
    system and conversations are in another file too: both are then runs of one situation. Raises CommandError for anything but
    results, and for a conversation that comes twice in a file."""
    parts: dict[tuple[str, str], dict[str, Record]] = {}
    stems = [plain_name(Path(path)).stem for path in paths]
    files = {path: stem if stems.count(stem) == 1 else path for path, stem in zip(paths, stems, strict=True)}
    for path in paths:
        for record in load_run(path).records:
            known = parts.setdefault((record.system or files[path], path), {})
            if record.conversation in known:
                detail = f"{record.conversation!r} has several results; a table needs exactly one"
                raise CommandError(f"{path}: {detail}")
            known[record.conversation] = record
    held: dict[str, list[str]] = {}
    for (system, _), records in parts.items():
        held.setdefault(system, []).extend(records)
    runs: dict[str, list[Record]] = {}
    for (system, path), records in parts.items():
        twice = len({*held[system]}) < len(held[system])
        runs.setdefault(files[path] if twice else system, []).extend(records.values())
    return [Run(system, records) for system, records in runs.items()]


def measured(run: Run, users: Mapping[str, str]) -> Iterator[Measured]:
    """The numbers of one system's run, which is named as it is: its factors, their mean, and the overall score: the
    debates', or else that of the answers. `users` says by conversation whose it is, itself where it says nothing."""
    system = run.name
    for factor in run.factors.values():
        yield from _column(system, factor.factor, factor.scores, users)
    if len(run.factors) > 1:
        yield from _column(system, MEAN_OF_FACTORS, run.mean, users)
    yield from _column(system, OVERALL, run.debates.scores if run.debates else run.overall, users)


def _column(
    system: str, factor: str, scores: Mapping[str, float], users: Mapping[str, str]
) -> Iterator[Measured]:
    for conversation, score in scores.items():
        yield Measured(system, factor, users.get(conversation, conversation), score)
