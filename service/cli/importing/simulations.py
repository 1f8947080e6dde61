"""What iEvaLM's and CONCEPT's released scripts write: one JSON file a session, `simulator_dialog` inside.

Both give recommended items as numbers of an entity table; with that table (`--names entity2id.json`)
they become titles, else the lists are left out, since numbers name nothing."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...simulators.phrases import age_groups, persona_names
from ..files import plain_name
from ..inputs import Entry, Json
from .imported import Imported, Wanted, log_of, need, per_entry, role_of, unread, unread_messages

_READ = ("simulator_dialog", "dialog_id", "turn_id")
_READ_OF_DIALOG = ("context", "profile", "attributes", "dialog_id", "turn_id")
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
"""How the released profiles speak of moods and ages."""
END = "[END]"
"""What CONCEPT's simulated users write when they accept."""


def _read_ievalm(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    said = need(need(value, "simulator_dialog", dict), "context", list)
    messages = [_message(message, wanted) for message in said]
    begins = _beginning(said)
    name = _name(entry)
    targets = [str(title) for title in value.get("rec") or ()]
    log = log_of(
        wanted, id=name, domain="movie", history=messages[:begins] or None, messages=messages[begins:],
        ground_truth=targets or None,
    )  # fmt: skip
    labels = _persuasiveness(name, value, log.get("system"))
    return Imported(
        entry.place, log, labels, _left(value, said, messages, (*_READ, "rec", "persuasiveness_score"))
    )


def _beginning(said: Sequence[Json]) -> int:
    """Where the session with the recommender begins: the user's last words before its first list.
    What stands before is the data set's own conversation."""
    first = next((i for i, message in enumerate(said) if "rec_items" in message), len(said))
    while first > 0 and role_of(said[first - 1].get("role")) == "user":
        first -= 1
    return first if first < len(said) else 0


def _persuasiveness(name: str, value: Json, system: str | None) -> list[Json]:
    text = str(value.get("persuasiveness_score", "")).strip()
    if text not in {"0", "1", "2"}:
        return []
    label = {
        "conversation": name,
        "system": system,
        "factor": "ievalm-persuasiveness",
        "rater": "simulated-user",
    }
    return [{**{k: v for k, v in label.items() if v is not None}, "kind": "judge", "score": int(text)}]


def _read_concept(entry: Entry, wanted: Wanted) -> Imported:
    dialog = need(entry.value, "simulator_dialog", dict)
    said = need(dialog, "context", list)
    messages = [_message(message, wanted) for message in said]
    accepted = next((i for i, m in enumerate(messages) if m["role"] == "user" and END in m["content"]), None)
    for message in messages:
        message["content"] = message["content"].replace(END, "").strip()
    outcome = {"accepted": accepted is not None, **({} if accepted is None else {"message": accepted})}
    profile = " ".join(str(part) for part in _listed(dialog.get("profile")))
    log = log_of(
        wanted, id=_name(entry), domain="movie", messages=messages, outcome=outcome,
        user=_user(profile, [str(a) for a in _listed(dialog.get("attributes"))]),
        metadata={"profile": profile} if profile else None,
    )  # fmt: skip
    left = _left(entry.value, said, messages, _READ) + unread(dialog, _READ_OF_DIALOG, "simulator_dialog.")
    known = log.get("user", {})
    left.update(f"user.{field} that the profile does not tell" for field in _TOLD_AS if field not in known)
    return Imported(entry.place, log, left=left)


def _user(profile: str, attributes: Sequence[str]) -> Json | None:
    """Return what a profile tells: the mood in its first sentence, as in "You feel confused about ...", and the age
    in any, as in "As a child, you ..."."""
    user: Json = {"attributes": list(attributes)} if attributes else {}
    parts = {"persona": (persona_names(), profile.partition(".")[0]), "age_group": (age_groups(), profile)}
    for field, (known, text) in parts.items():
        words = {name: (name, *_TOLD_AS[field].get(name, ())) for name in known}
        named = [name for name in known if re.search(rf"\b({'|'.join(words[name])})\b", text, re.IGNORECASE)]
        if len(named) == 1:
            user[field] = named[0]
    return user or None


def _left(value: Json, said: Sequence[Json], messages: Sequence[Json], read: Sequence[str]) -> "Counter[str]":
    left = unread(value, read) + unread_messages(said, _READ_OF_MESSAGES)
    shown = sum(len(_listed(message.get("rec_items"))) for message in said)
    left["items of lists that --names does not know"] = shown - sum(
        len(message.get("recommendations", ())) for message in messages
    )
    return +left


def _message(message: Any, wanted: Wanted) -> Json:
    made: Json = {"role": role_of(need(message, "role", str)), "content": need(message, "content", str)}
    if message.get("feelings"):
        made["thoughts"] = str(message["feelings"])
    titles = [_title(item, wanted) for item in _listed(message.get("rec_items"))]
    known = [title for title in titles if title]
    if known or ("rec_items" in message and wanted.names):
        made["recommendations"] = known
    return made


def _title(item: Any, wanted: Wanted) -> str | None:
    """A title as it stands, or the one that a number has in the table."""
    name = str(item).strip()
    return wanted.names.get(name) or (None if name.isdigit() or not name else name)


def _listed(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return value if isinstance(value, list) else [value]


def _name(entry: Entry) -> str:
    """The file's stem, as the scripts name a session; else what the session says of itself."""
    if not re.search(r"[:\]]\d*$", entry.place):
        return plain_name(Path(entry.place)).stem
    value = entry.value
    parts = [str(value[key]) for key in ("dialog_id", "turn_id") if value.get(key) is not None]
    return "_".join(parts) or entry.place


read_ievalm = per_entry(_read_ievalm)
read_concept = per_entry(_read_concept)
