"""CONCEPT (Huang et al. 2024): what its script saves."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...simulators.phrases import age_groups, persona_names
from ..entries import Entry, Json
from ..format import per_entry
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.leftovers import Leftovers
from ..talk.simulated import READ, is_session, listed, name_of, utterances
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_READ_OF_DIALOG = ("context", "profile", "attributes", "dialog_id", "turn_id")
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
"""The words of the released profiles for moods and ages."""
END = "[END]"
"""The marker that CONCEPT's simulated users write when they accept."""


def fits(value: Any) -> bool:
    """Return whether a value is a session of CONCEPT's script."""
    return is_session(value) and "rec" not in value


def _read(entry: Entry, wanted: Wanted) -> Imported:
    leftovers = Leftovers()
    dialog = need(entry.value, "simulator_dialog", dict)
    said = utterances(need(dialog, "context", list), wanted, leftovers)
    profile = " ".join(str(part) for part in listed(dialog.get("profile")))
    user = _user(profile, [str(attribute) for attribute in listed(dialog.get("attributes"))])
    for field in _TOLD_AS:
        if field not in user:
            leftovers.count(f"user.{field} that the profile does not tell")
    return Conversation(
        entry.place,
        [replace(one, content=(one.content or "").replace(END, "").strip()) for one in said],
        id=name_of(entry),
        metadata={
            **leftovers.keep(entry.value, READ),
            **leftovers.keep(dialog, _READ_OF_DIALOG, "simulator_dialog."),
            **({"profile": profile} if profile else {}),
        },
        fields={"domain": "movie", "outcome": _outcome(said), "user": user},
    ).imported(wanted, leftovers)


def _outcome(said: Sequence[Utterance]) -> Json:
    at = next(
        (at for at, one in enumerate(said) if one.speaker is Speaker.USER and END in (one.content or "")),
        None,
    )
    return {"accepted": at is not None, **({} if at is None else {"message": at})}


def _user(profile: str, attributes: Sequence[str]) -> Json:
    """Return what a profile tells: the mood in its first sentence, as in "You feel confused about". The age may stand in any, as
    in "As a child, you"."""
    user: Json = {"attributes": list(attributes)} if attributes else {}
    parts = {"persona": (persona_names(), profile.partition(".")[0]), "age_group": (age_groups(), profile)}
    for field, (known, text) in parts.items():
        words = {name: (name, *_TOLD_AS[field].get(name, ())) for name in known}
        named = [name for name in known if re.search(rf"\b({'|'.join(words[name])})\b", text, re.IGNORECASE)]
        if len(named) == 1:
            user[field] = named[0]
    return user


read = per_entry(_read)
