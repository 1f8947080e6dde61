"""Results of `crs-eval score`, `evaluate`, `debate` and `simulate --factors` as numbers of systems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...importing.entries import plain_name
from ..exits import CommandError
from ..inputs import Source
from ..records import Record
from ..scores import MEAN_OF_FACTORS, OVERALL, Run, load_run
from .summary import Measured


def load(paths: Sequence[str]) -> list[Run]:
    """The systems in these files, a run for each. A file's name is the system of records that name none, and of those whose
    system and conversations are in another file too: both are then runs of one situation. Raises CommandError for what is no
    result, and for a conversation that comes twice in a file."""
    parts: dict[tuple[str, str], dict[str, Record]] = {}
    stems = [plain_name(Path(path)).stem for path in paths]
    files = {path: stem if stems.count(stem) == 1 else path for path, stem in zip(paths, stems, strict=True)}
    for path in paths:
        for record in load_run(path).records:
            known = parts.setdefault((record.system or files[path], path), {})
            if record.conversation in known:
                told = f"{record.conversation!r} has several results; a table takes one of each"
                raise CommandError(f"{path}: {told}")
            known[record.conversation] = record
    held: dict[str, list[str]] = {}
    for (system, _), records in parts.items():
        held.setdefault(system, []).extend(records)
    runs: dict[str, list[Record]] = {}
    for (system, path), records in parts.items():
        twice = len({*held[system]}) < len(held[system])
        runs.setdefault(files[path] if twice else system, []).extend(records.values())
    return [Run(system, records) for system, records in runs.items()]


def users_of(sources: Iterable[Source]) -> dict[str, str]:
    """Return whose each conversation is, by `metadata.user` of the logs that say so."""
    return {source.conversation: source.user for source in sources if source.user is not None}


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
