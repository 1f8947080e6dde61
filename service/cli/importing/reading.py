"""Files of other formats as logs, for commands that judge: what `crs-eval import` would write."""

from collections.abc import Iterator

from ...api.plans.importing import sound
from ...domain.plurals import counted
from ...importing.entries import Entry, Fault
from ...importing.formats import AUTO
from ...importing.imported import OptionError, Wanted
from ...importing.importer import Import
from ..exits import CommandError
from .contents import contents


def imported_entries(path: str, faults: list[Fault], told: list[str]) -> Iterator[Entry]:
    """Yield the logs of a file or folder. Lines about what was recognised, and labels that no log holds, are added to `told`.
    Raises CommandError for a path that is not there."""
    under_way = Import(contents([path], faults), AUTO, Wanted(), faults)
    try:
        made = sound(under_way.logs(), faults)
    except OptionError as error:
        remedy = f"Import it first: crs-eval import {path} --{error.option} ... -o logs.jsonl"
        raise CommandError(f"{path}: {error}\n{remedy}") from None
    yield from (Entry(one.place, one.log) for one in made)
    if not made:
        return
    told += under_way.told
    if labels := sum(len(one.labels) for one in made):
        told.append(f"{path}: {counted(labels, 'label')} left out; crs-eval import keeps them in a file.")
