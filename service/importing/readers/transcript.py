"""Plain transcripts: `User: ...`, `Bot: ...`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ..entries import NAMELESS, Entry, Fault
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..reading import transcripts
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
    found = [name for name, text in texts if isinstance(text, str) and transcripts.is_transcript(text, {})]
    return found[0] if len(found) == 1 else None


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read texts, and fields of objects that hold one."""
    for entry in entries:
        field = _field(entry.value)
        found: list[transcripts.Transcript] = []
        with refusing(entry.place, faults):
            found = _transcripts(entry.value, field, wanted)
        for transcript in found:
            place = entry.place if len(found) == 1 else f"{entry.place}:{transcript.line}"
            if field is None:
                file = PurePath(place).stem if ":" not in place and place not in NAMELESS else None
                around = {"id": transcript.name or file}
            else:
                around = {name: part for name, part in entry.value.items() if name != field}
            leftovers = Leftovers()
            with refusing(place, faults):
                said = _utterances(transcript, leftovers)
                yield thread(place, around, said, leftovers).imported(wanted, leftovers)


def _transcripts(value: Any, field: str | None, wanted: Wanted) -> list[transcripts.Transcript]:
    text = value if field is None else value[field]
    if not isinstance(text, str):
        raise UnreadableError("neither text nor an object with a transcript in a field")
    found = transcripts.transcripts(text, wanted.roles)
    if field is not None and len(found) != 1:
        raise UnreadableError(f"{field} holds {len(found)} conversations")
    if not found:
        raise UnreadableError(
            "it has no speaker: start each message with User: or Bot:, or with a name from `roles`"
        )
    return found


def _utterances(transcript: transcripts.Transcript, leftovers: Leftovers) -> list[Utterance]:
    leftovers.count("lines before the first message, or after dashes", transcript.before)
    leftovers.count("lines by the messenger itself", transcript.notices)
    names = [line.role or "" for line in transcript.lines]
    talks = system_talks(names)
    return [
        Utterance(speaker_of(name, system_talks=talks), line.text, created_at=line.time, role=name)
        for name, line in zip(names, transcript.lines, strict=True)
    ]
