"""Plain transcripts: `User: ...`, `Bot: ...`."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ..entries import NAMELESS, Entry, Fault
from ..format import Format, Limit, Line
from ..imported import Imported, UnreadableError, Wanted
from ..reading import transcripts
from ..reading.documents import Kind
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker, speaker_of, system_talks
from ..talk.utterances import Utterance


def _fits(value: Any) -> bool:
    return isinstance(value, str)


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    for entry in entries:
        found = list(transcripts.transcripts(entry.value, wanted.roles))
        if not found:
            told = "it has no speaker: a message begins with User: or Bot:, or with a name that `roles` gives"
            faults.append(Fault(entry.place, told))
        for transcript in found:
            place = entry.place if len(found) == 1 else f"{entry.place}:{transcript.line}"
            try:
                yield _conversation(place, transcript, wanted)
            except UnreadableError as error:
                faults.append(Fault(place, str(error)))


def _conversation(place: str, transcript: transcripts.Transcript, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    if transcript.before:
        leftovers.count("lines before the first message", transcript.before)
    if transcript.notices:
        leftovers.count("lines with a time and no speaker", transcript.notices)
    names = [line.role or "" for line in transcript.lines]
    talks = system_talks(names)
    said = [
        Utterance(_speaker(name, talks), line.text, created_at=line.time, role=name)
        for name, line in zip(names, transcript.lines, strict=True)
    ]
    file = PurePath(place).stem if place == place.partition(":")[0] and place not in NAMELESS else None
    return Conversation(place, said, id=transcript.name or file).imported(wanted, leftovers)


def _speaker(name: str, talks: bool) -> Speaker:
    return speaker_of(name, system_talks=talks)


def _sample(said: Sequence[Line]) -> str:
    names = {"user": "User", "assistant": "Bot"}
    lines = [f"[2026-03-01 10:{at % 60:02}] {names[role]}: {text}" for at, (role, text) in enumerate(said)]
    return "\n".join(["Conversation 12", "", *lines, ""])


FORMAT = Format(
    name="transcript",
    reads=(
        "plain text: `User: ...`, `Bot: ...`, each message from a new line on, with a time before the name or none; a line of dashes or a "
        "heading such as `Conversation 12` begins the next conversation; `--roles Anna=user,Ben=assistant` for other names, `Price=text` "
        "for what is no name"
    ),
    described="docs/importing.md",
    fits=_fits,
    read=_read,
    sample=_sample,
    kinds=(Kind.TEXT,),
    general=True,
    limits=frozenset({Limit.ONE_LINE, Limit.TRIMMED}),
)
