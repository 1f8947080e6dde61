"""Read the output of iEvaLM's and CONCEPT's released scripts: one JSON file a session, `simulator_dialog`
inside.

Both give recommended items as numbers of an entity table; with that table (`--names entity2id.json`)
they become titles, else the lists are left out, since numbers name nothing."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..entries import Entry, Json, plain_name
from ..imported import Wanted, need
from .leftovers import Leftovers
from .speakers import speaker_of
from .utterances import Utterance

READ = ("simulator_dialog", "dialog_id", "turn_id")
_READ_OF_MESSAGES = ("role", "content", "feelings", "rec_items")


def is_session(value: Any) -> bool:
    """Return whether this is a session of either script."""
    dialog = value.get("simulator_dialog") if isinstance(value, Mapping) else None
    return isinstance(dialog, Mapping) and isinstance(dialog.get("context"), list)


def utterances(said: Sequence[Any], wanted: Wanted, leftovers: Leftovers) -> list[Utterance]:
    """The messages of a session; items that the table does not know are counted."""
    made = [_utterance(message, wanted, leftovers) for message in said]
    shown = sum(len(listed(message.get("rec_items"))) for message in said)
    named = sum(len(utterance.recommendations or ()) for utterance in made)
    if shown > named:
        leftovers.count("items of lists that --names does not know", shown - named)
    return made


def _utterance(message: Any, wanted: Wanted, leftovers: Leftovers) -> Utterance:
    titles = (
        [_title(item, wanted) for item in listed(message.get("rec_items"))]
        if isinstance(message, Mapping)
        else []
    )
    known = [title for title in titles if title]
    return Utterance(
        speaker_of(need(message, "role", str)),
        need(message, "content", str),
        thoughts=str(message["feelings"]) if message.get("feelings") else None,
        recommendations=known if known or ("rec_items" in message and wanted.names) else None,
        metadata=leftovers.keep(message, _READ_OF_MESSAGES, "messages."),
    )


def _title(item: Any, wanted: Wanted) -> str | None:
    """A title as it stands, or the one that a number has in the table."""
    name = str(item).strip()
    return wanted.names.get(name) or (None if name.isdigit() or not name else name)


def listed(value: Any) -> Sequence[Any]:
    """A list as it is, anything else as the one element of a list; nothing for None."""
    if value is None:
        return ()
    return value if isinstance(value, list) else [value]


def name_of(entry: Entry) -> str:
    """The file's stem, as the scripts name a session; else what the session says of itself."""
    if not re.search(r"[:\]]\d*$", entry.place):
        return plain_name(Path(entry.place)).stem
    value: Json = entry.value
    parts = [str(value[key]) for key in ("dialog_id", "turn_id") if value.get(key) is not None]
    return "_".join(parts) or entry.place
