"""Files in any format as logs: what each file was taken for, what was left out around its entries."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..domain.plurals import counted
from .entries import NAMELESS, Fault, Json
from .formats import AUTO, formats
from .imported import Imported, OptionError, Wanted, total
from .reading import mapping
from .reading.documents import Document, Kind, documents
from .recognition import Recognition
from .talk.speakers import roles_example, speaker_by_words
from .talk.utterances import merged_items

if TYPE_CHECKING:
    from .declared.reading import Format


class _Roles(dict[str, str]):
    """Roles by the names of speakers. `unused` are the names that nobody in the data has."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.unused = dict.fromkeys(given)

    def __getitem__(self, name: str) -> str:
        self.unused.pop(name, None)
        return super().__getitem__(name)


@dataclass
class Import:
    """An import under way. After `logs` is exhausted, the rest is known."""

    contents: Iterable[tuple[str, bytes]]
    """Files by their names."""
    source: str
    wanted: Wanted
    faults: list[Fault] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    """Counts of what files hold around their entries."""
    summary: list[str] = field(default_factory=list)
    """The format that each file was read as, one line per file."""
    taken: Counter[str] = field(default_factory=Counter)
    """The entries by the format that they were taken for."""
    noted: list[str] = field(default_factory=list)
    """Encodings and delimiters that were recognised."""

    def logs(self) -> Iterator[Imported]:
        """Yield every log. A file that needs an option is a fault beside files that are read.

        Raises OptionError for an unknown encoding, for a name in `map` that matches nothing, and where no file is read without an
        option."""
        roles = _Roles(self.wanted.roles)
        self.wanted = replace(self.wanted, roles=roles)
        known = formats() if self.source == AUTO else {self.source: formats()[self.source]}
        kinds = tuple(Kind) if self.source == AUTO else known[self.source].kinds
        texts = [one for one in known.values() if Kind.TEXT in one.kinds and not one.general]
        renaming = mapping.Renaming(self.wanted.fields, self.wanted.roles)
        read = made = 0
        refused: list[OptionError] = []
        for document in documents(
            self.contents,
            kinds,
            self.wanted,
            self.faults,
            lambda text: any(one.claims(text) for one in texts),
        ):
            before = made
            try:
                for one in self._of_document(document, known, renaming, read):
                    made += 1
                    yield one
            except OptionError as error:
                if made > before:
                    raise
                refused.append(error)
                self.faults.append(Fault(document.name, f"--{error.option}: {error}"))
            read = len(self.faults)
        if refused and not made:
            raise refused[0]
        if unused := renaming.unused():
            raise OptionError("map", unused)
        if roles.unused:
            self.noted.append(f"roles: nobody is called {', '.join(roles.unused)}")
            self.summary.append(f"--{self.noted[-1]}.")

    def _of_document(
        self, document: Document, known: Mapping[str, "Format"], renaming: mapping.Renaming, since: int
    ) -> Iterator[Imported]:
        """Yield the logs of a file. `since` is the number of faults before it was opened."""
        recognition = Recognition(known, self.faults, renaming)
        taken = recognition.taken(document)
        counts = {name: len(entries) for name, entries in taken.items()}
        self.left += recognition.left
        self.taken += Counter(counts)
        self.noted += [document.noted] if document.noted else []
        if self.source == AUTO or document.noted:
            self.summary.append(_summary(document, counts))
        made = (
            log
            for name, entries in taken.items()
            for log in known[name].read(entries, self.wanted, self.faults)
        )
        if not self.wanted.whole_files:
            yield from self._with_users(document.name, made)
        elif parts := list(made):
            faults = [one for one in self.faults[since:] if one.place.startswith(document.name)]
            if not faults:
                yield _as_one(document.name, parts)
            else:
                self.faults.append(
                    Fault(document.name, "a part of it cannot be read, so the conversation is incomplete")
                )
        self._ask_for_roles(since)

    def _with_users(self, name: str, made: Iterable[Imported]) -> Iterator[Imported]:
        """Yield the logs, and report those without a user message."""
        mute = 0
        for one in made:
            mute += all(message["role"] != "user" for message in one.log["messages"])
            yield one
        if mute:
            problem = f"{counted(mute, 'conversation')} without a message by the user"
            self.summary.append(
                f"{name}: {problem}. Replies can hardly be judged without the requests: add them."
            )

    def _ask_for_roles(self, since: int) -> None:
        """Replace all faults about unknown names by one, with an example of the option that gives them roles."""
        found = self.faults[since:]
        unclear = [fault for fault in found if fault.speakers]
        if not unclear:
            return
        given = self.wanted.roles
        names = [name for fault in unclear for name in fault.speakers if name not in given.values()]
        unknown = [name for name in dict.fromkeys(names) if speaker_by_words(name) is None]
        more = f" (here and in {counted(len(unclear) - 1, 'more place')})" if len(unclear) > 1 else ""
        detail = (
            f"it is not clear who speaks as {', '.join((unknown or [*dict.fromkeys(names)])[:6])}{more}. Give each name a role, for example by "
            f"{roles_example([*given, *names], given)}; exchange them if it is the other way round."
        )
        others = [fault for fault in found if not fault.speakers]
        self.faults[since:] = [*others, Fault(unclear[0].place, detail)]


def _summary(document: Document, counts: Mapping[str, int]) -> str:
    listed = ", ".join(name if len(counts) == 1 else f"{name} ({number})" for name, number in counts.items())
    noted = f"; {document.noted}" if document.noted else ""
    return f"{document.name}: {f'read as {listed}' if counts else 'not recognised'}{noted}."


def _as_one(name: str, made: Sequence[Imported]) -> Imported:
    """The logs of a file as one, in their order; its labels say the messages' places in it. Other fields are those of the first
    log that has them."""
    id_ = made[0].log.get("id") if len(made) == 1 or name in NAMELESS else PurePath(name).stem
    labels: list[Json] = []
    messages: list[Json] = []
    for one in made:
        for row in one.labels:
            moved: Json = {key: row[key] + len(messages) for key in ("turn", "message") if key in row}
            labels.append({**row, **moved, "conversation": str(id_ or name)})
        messages.extend(one.log["messages"])
    log: Json = {
        **{key: value for one in reversed(made) for key, value in one.log.items()},
        "id": id_,
        "messages": messages,
        "items": merged_items(item for one in made for item in one.log.get("items", ())),
        "metadata": {
            key: value for one in reversed(made) for key, value in one.log.get("metadata", {}).items()
        },
    }
    kept = {key: value for key, value in log.items() if value not in (None, [], {})}
    return Imported(name, kept, labels, total(one.left for one in made))
