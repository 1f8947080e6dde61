"""Files of other formats as logs, for `crs-eval import` and for commands that judge."""

from collections.abc import Iterator, Sequence

from ...api.plans.importing import sound
from ...domain.plurals import counted
from ...importing.entries import Entry, Fault
from ...importing.formats import AUTO
from ...importing.imported import Imported, OptionError, Wanted
from ...importing.importer import Import
from ..exits import CommandError
from ..files import IMPORTED_SUFFIXES, contents

_GUESSED = Wanted()


def imported(
    paths: Sequence[str], faults: list[Fault], source: str = AUTO, wanted: Wanted = _GUESSED
) -> tuple[list[Imported], Import]:
    """Return the logs of files and folders, and the import that made them. Raises CommandError for a path that is not there,
    and OptionError for what is wanted and cannot be."""
    under_way = Import(contents(paths, faults, IMPORTED_SUFFIXES), source, wanted, faults)
    return sound(under_way.logs(), faults), under_way


def imported_entries(path: str, faults: list[Fault], told: list[str]) -> Iterator[Entry]:
    """Yield the logs of a file or folder. Lines about what was recognised, and labels that no log holds, are added to `told`.
    Raises CommandError for a path that is not there."""
    try:
        made, under_way = imported([path], faults)
    except OptionError as error:
        remedy = f"Import it first: crs-eval import {path} --{error.option} ... -o logs.jsonl"
        raise CommandError(f"{path}: {error}\n{remedy}") from None
    yield from (Entry(one.place, one.log) for one in made)
    if made:
        told += under_way.told
        if labels := sum(len(one.labels) for one in made):
            told.append(f"{path}: {counted(labels, 'label')} left out; crs-eval import keeps them in a file.")
