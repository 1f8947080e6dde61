"""Plain transcripts: `User: ...`, `Bot: ...`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ..entries import NAMELESS, Entry, Fault
from ..format import attempt
from ..imported import Imported, UnreadableError, Wanted
from ..reading import transcripts
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.speakers import speaker_of, system_talks
from ..talk.threads import thread
from ..talk.utterances import Utterance


def fits(value: Any) -> bool:
    """Return whether a value is a text, or an object with one transcript."""
    return isinstance(value, str) or _field(value) is not None


def _field(value: Any) -> str | None:
    """The field of an object that holds a whole transcript; None where none does, or several do."""
    texts = value.items() if isinstance(value, Mapping) else ()
    found = [
        name
        for name, text in texts
        if isinstance(text, str) and "\n" in text and transcripts.is_transcript(text, {})
    ]
    return found[0] if len(found) == 1 else None


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read texts, and fields of objects that hold one."""
    for entry in entries:
        if (field := _field(entry.value)) is not None:
            yield from attempt(entry.place, faults, _of_field, entry, field, wanted)
            continue
        if not isinstance(entry.value, str):
            faults.append(Fault(entry.place, "no text, and no field of it holds a transcript"))
            continue
        try:
            found = list(transcripts.transcripts(entry.value, wanted.roles))
        except UnreadableError as error:
            faults.append(Fault(entry.place, str(error)))
            continue
        if not found:
            told = "it has no speaker: a message begins with User: or Bot:, or with a name that `roles` gives"
            faults.append(Fault(entry.place, told))
        for transcript in found:
            place = entry.place if len(found) == 1 else f"{entry.place}:{transcript.line}"
            yield from attempt(place, faults, _conversation, place, transcript, wanted)


def _of_field(entry: Entry, field: str, wanted: Wanted) -> Imported:
    found = list(transcripts.transcripts(entry.value[field], wanted.roles))
    if len(found) != 1:
        raise UnreadableError(f"{field} holds {len(found)} conversations")
    leftovers = Leftovers()
    said = _utterances(found[0], leftovers)
    return thread(entry.place, entry.value, said, leftovers, [field]).imported(wanted, leftovers)


def _conversation(place: str, transcript: transcripts.Transcript, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    said = _utterances(transcript, leftovers)
    file = PurePath(place).stem if place == place.partition(":")[0] and place not in NAMELESS else None
    return Conversation(place, said, id=transcript.name or file).imported(wanted, leftovers)


def _utterances(transcript: transcripts.Transcript, leftovers: Leftovers) -> list[Utterance]:
    if transcript.before:
        leftovers.count("lines before the first message", transcript.before)
    if transcript.notices:
        leftovers.count("lines by the messenger itself", transcript.notices)
    names = [line.role or "" for line in transcript.lines]
    talks = system_talks(names)
    return [
        Utterance(speaker_of(name, system_talks=talks), line.text, created_at=line.time, role=name)
        for name, line in zip(names, transcript.lines, strict=True)
    ]
