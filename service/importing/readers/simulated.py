"""Sessions that the released scripts of iEvaLM (Wang et al. 2023) and CONCEPT (Huang et al. 2024) save: one JSON file each.

Both give recommended items as numbers of an entity table; with that table (`--names entity2id.json`)
they become titles, else the lists are left out, since numbers name nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...simulators.phrases import age_groups, persona_names
from ..entries import Entry, Json, plain_name
from ..format import Reader, per_entry
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker, speaker_of
from ..talk.threads import whole
from ..talk.utterances import Utterance

_READ = ("simulator_dialog", "dialog_id", "turn_id")
_READ_OF_MESSAGES = ("role", "content", "feelings", "rec_items")
_TOLD_AS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "persona": {
        "boredom": ("bored",), "confusion": ("confused",), "curiosity": ("curious",), "delight": ("delighted",),
        "disappointment": ("disappointed",), "excitement": ("excited",), "frustration": ("frustrated",),
        "indifference": ("indifferent",), "satisfaction": ("satisfied",), "surprise": ("surprised",),
    },
    "age_group": {
        "children": ("child",), "teens": ("teen", "teenager"), "adults": ("adult",), "seniors": ("senior",),
    },
}  # fmt: skip
"""The words of CONCEPT's released profiles for moods and ages."""
_END = "[END]"
"""The marker that CONCEPT's simulated users write when they accept."""


def _is_session(value: Any) -> bool:
    dialog = value.get("simulator_dialog") if isinstance(value, Mapping) else None
    return isinstance(dialog, Mapping) and isinstance(dialog.get("context"), list)


def _ievalm(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    dialog = need(value, "simulator_dialog", dict)
    said = need(dialog, "context", list)
    utterances = _utterances(said, wanted, leftovers)
    begins = _beginning(said)
    persuaded = str(value.get("persuasiveness_score", "")).strip()
    labels = (
        [Label("ievalm-persuasiveness", int(persuaded), "simulated-user", "judge")]
        if persuaded in {"0", "1", "2"}
        else []
    )
    return Conversation(
        entry.place,
        utterances[begins:],
        id=_name_of(entry),
        history=utterances[:begins],
        labels=whole(labels),
        metadata={
            **leftovers.keep(dialog, ("context",), "simulator_dialog."),
            **leftovers.keep(value, (*_READ, "rec", "persuasiveness_score")),
        },
        fields={
            "domain": "movie",
            "ground_truth": [str(title) for title in _listed(value.get("rec")) if str(title).strip()],
        },
    ).imported(wanted, leftovers)


def _beginning(said: Sequence[Any]) -> int:
    """Return where the session with the recommender begins: the user's last words before its first list.
    The messages before are the data set's own conversation."""
    first = next((i for i, message in enumerate(said) if "rec_items" in message), len(said))
    while first > 0 and speaker_of(said[first - 1].get("role")) is Speaker.USER:
        first -= 1
    return first if first < len(said) else 0


def _concept(entry: Entry, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    dialog = need(entry.value, "simulator_dialog", dict)
    said = _utterances(need(dialog, "context", list), wanted, leftovers)
    ends = (at for at, one in enumerate(said) if one.speaker is Speaker.USER and _END in (one.content or ""))
    end = next(ends, None)
    profile = " ".join(str(part) for part in _listed(dialog.get("profile")))
    user = _user(profile, [str(attribute) for attribute in _listed(dialog.get("attributes"))])
    for field in _TOLD_AS.keys() - user.keys():
        leftovers.count(f"user.{field} that the profile does not tell")
    return Conversation(
        entry.place,
        [replace(one, content=(one.content or "").replace(_END, "").strip()) for one in said],
        id=_name_of(entry),
        metadata={
            **leftovers.keep(entry.value, _READ),
            **leftovers.keep(dialog, (*_READ, "context", "profile", "attributes"), "simulator_dialog."),
            **({"profile": profile} if profile else {}),
        },
        fields={"domain": "movie", "outcome": {"accepted": end is not None, "message": end}, "user": user},
    ).imported(wanted, leftovers)


def _user(profile: str, attributes: Sequence[str]) -> Json:
    """Return what a profile tells: the mood in its first sentence, as in "You feel confused about". The age may stand in any, as
    in "As a child, you"."""
    user: Json = {"attributes": attributes} if attributes else {}
    parts = {"persona": (persona_names(), profile.partition(".")[0]), "age_group": (age_groups(), profile)}
    for field, (known, text) in parts.items():
        words = {name: (name, *_TOLD_AS[field].get(name, ())) for name in known}
        named = [name for name in known if re.search(rf"\b({'|'.join(words[name])})\b", text, re.IGNORECASE)]
        if len(named) == 1:
            user[field] = named[0]
    return user


def _utterances(said: Sequence[Any], wanted: Wanted, leftovers: Leftovers) -> list[Utterance]:
    """The messages of a session; items that the table does not know are counted."""
    made = [_utterance(message, wanted, leftovers) for message in said]
    shown = sum(len(_listed(message.get("rec_items"))) for message in said)
    named = sum(len(utterance.recommendations or ()) for utterance in made)
    leftovers.count("items of lists that --names does not know", shown - named)
    return made


def _utterance(message: Any, wanted: Wanted, leftovers: Leftovers) -> Utterance:
    speaker, content = speaker_of(need(message, "role", str)), need(message, "content", str)
    titles = (_title(item, wanted) for item in _listed(message.get("rec_items")))
    known = [title for title in titles if title]
    return Utterance(
        speaker,
        content,
        thoughts=str(message["feelings"]) if message.get("feelings") else None,
        recommendations=known if known or ("rec_items" in message and wanted.names) else None,
        metadata=leftovers.keep(message, _READ_OF_MESSAGES, "messages."),
    )


def _title(item: Any, wanted: Wanted) -> str | None:
    """A title as it stands, or the one that a number has in the table."""
    name = str(item).strip()
    return wanted.names.get(name) or (None if name.isdigit() or not name else name)


def _listed(value: Any) -> Sequence[Any]:
    """A list as it is, anything else as the one element of a list; nothing for None."""
    if value is None:
        return ()
    return value if isinstance(value, list) else [value]


def _name_of(entry: Entry) -> str:
    """The file's stem, as the scripts name a session; else what the session says of itself."""
    if not re.search(r"[:\]]\d*$", entry.place):
        return plain_name(Path(entry.place)).stem
    parts = [str(entry.value[key]) for key in ("dialog_id", "turn_id") if entry.value.get(key) is not None]
    return "_".join(parts) or entry.place


ievalm = Reader(lambda value: _is_session(value) and "rec" in value, per_entry(_ievalm))
concept = Reader(lambda value: _is_session(value) and "rec" not in value, per_entry(_concept))
