"""Sessions that the released scripts of iEvaLM (Wang et al. 2023) and CONCEPT (Huang et al. 2024) save: one JSON file each.

Both give recommended items as numbers of an entity table; with that table (`--names entity2id.json`)
they become titles, else the lists are left out, since numbers name nothing."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...simulators.phrases import age_groups, persona_names
from ..entries import Entry, Json, plain_name
from ..imported import Imported, Reader, Wanted, need, per_entry
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker, speaker_of
from ..talk.threads import read_chat

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
    messages = _messages(said, wanted, leftovers)
    begins = _beginning(said)
    persuaded = str(value.get("persuasiveness_score", "")).strip()
    label = {"name": "ievalm-persuasiveness", "score": persuaded, "rater": "simulated-user", "kind": "judge"}
    around = {
        **_rest(dialog, "context"),
        **_rest(value, "simulator_dialog", "dialog_id", "turn_id", "rec", "persuasiveness_score"),
        "id": _name_of(entry),
        "domain": "movie",
        "history": messages[:begins],
        "ground_truth": [str(title) for title in _listed(value.get("rec")) if str(title).strip()],
        "labels": [label] if persuaded in {"0", "1", "2"} else None,
    }
    return read_chat(entry.place, around, messages[begins:], wanted, leftovers)


def _beginning(said: Sequence[Any]) -> int:
    """Return where the session with the recommender begins: the user's last words before its first list.
    The messages before are the data set's own conversation."""
    first = next((i for i, message in enumerate(said) if "rec_items" in message), len(said))
    while first > 0 and speaker_of(said[first - 1].get("role")) is Speaker.USER:
        first -= 1
    return first if first < len(said) else 0


def _concept(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    dialog = need(value, "simulator_dialog", dict)
    messages = _messages(need(dialog, "context", list), wanted, leftovers)
    said = [(speaker_of(one["role"]), one["content"]) for one in messages]
    end = next((at for at, (who, text) in enumerate(said) if who is Speaker.USER and _END in text), None)
    profile = " ".join(str(part) for part in _listed(dialog.get("profile")))
    user = _user(profile, [str(attribute) for attribute in _listed(dialog.get("attributes"))])
    for field in _TOLD_AS.keys() - user.keys():
        leftovers.count(f"user.{field} that the profile does not tell")
    around = {
        **_rest(value, "simulator_dialog", "dialog_id", "turn_id"),
        **_rest(dialog, "context", "attributes", "dialog_id", "turn_id"),
        "profile": profile,
        "id": _name_of(entry),
        "domain": "movie",
        "outcome": {"accepted": end is not None, "message": end},
        "user": user,
    }
    trimmed = [{**one, "content": one["content"].replace(_END, "").strip()} for one in messages]
    return read_chat(entry.place, around, trimmed, wanted, leftovers)


def _rest(value: Mapping[str, Any], *read: str) -> Json:
    return {name: part for name, part in value.items() if name not in read}


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


def _messages(said: Sequence[Any], wanted: Wanted, leftovers: Leftovers) -> list[Json]:
    """The messages of a session, their items by their titles; items that the table does not know are counted."""
    made = []
    for message in said:
        need(message, "content", str)
        items = _listed(message.get("rec_items"))
        titles = [title for item in items if (title := _title(item, wanted))]
        leftovers.count("items of lists that --names does not know", len(items) - len(titles))
        shown = titles if titles or ("rec_items" in message and wanted.names) else None
        made.append({**_rest(message, "rec_items"), "recommendations": shown})
    return made


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
