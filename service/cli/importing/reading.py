"""Files of other formats as logs, for `crs-eval import` and for commands that judge."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...domain.plurals import counted
from ...importing.entries import Entry, Fault
from ...importing.formats import AUTO
from ...importing.imported import Imported, OptionError, Wanted
from ...importing.importer import Import
from ...importing.reading import mapping
from ...usecases.plans.importing import sound
from ..exits import CommandError
from ..files import IMPORTED_SUFFIXES, contents
from ..options import ReadingOptions
from ..scores import is_results

_GUESSED = Wanted()


def wanted(options: ReadingOptions, names: Mapping[str, str] = MappingProxyType({})) -> Wanted:
    """Return what the caller says of the data; `names` are titles by number. Raises CommandError for what an option cannot be."""
    try:
        fields = mapping.fields(mapping.pairs(options.fields, "map"))
        roles = mapping.roles(mapping.pairs(options.roles, "roles"))
    except OptionError as error:
        raise CommandError(f"--{error.option}: {error}") from None
    return Wanted(options.system, options.domain, names, fields, roles, options.encoding, options.whole_files)


def imported(
    paths: Sequence[str], faults: list[Fault], source: str = AUTO, asked: Wanted = _GUESSED
) -> tuple[list[Imported], Import]:
    """Return the logs of files and folders, and their import. Raises CommandError for a missing path, and for impossible wishes."""
    under_way = Import(contents(paths, faults, IMPORTED_SUFFIXES), source, asked, faults)
    try:
        made = sound(under_way.logs(), faults)
    except OptionError as error:
        raise CommandError(f"{', '.join(paths)}: --{error.option}: {error}") from None
    if not made and (results := next(filter(is_results, paths), None)):
        raise CommandError(f"{results} contains results. Pass the logs that they were made from.")
    return made, under_way


def imported_entries(
    paths: Sequence[str], faults: list[Fault], notes: list[str], asked: Wanted
) -> Iterator[Entry]:
    """Yield the logs of files and folders. Adds lines about recognised formats and left-out labels to `notes`.
    Raises CommandError for a missing path, and for options that cannot be met."""
    made, under_way = imported(paths, faults, asked=asked)
    yield from (Entry(one.place, one.log) for one in made)
    if made:
        notes += under_way.summary
        if labels := sum(len(one.labels) for one in made):
            notes += [
                f"{', '.join(paths)}: {counted(labels, 'label')} left out; crs-eval import keeps them in a file."
            ]
