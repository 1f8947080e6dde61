"""iEvaLM (Wang et al. 2023): what its script saves."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import per_entry
from ..imported import Imported, Wanted, need
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.simulated import READ, is_session, listed, name_of, utterances
from ..talk.speakers import Speaker, speaker_of

_READ_OF_DIALOG = ("context",)


def fits(value: Any) -> bool:
    """Return whether a value is a session of iEvaLM's script."""
    return is_session(value) and "rec" in value


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    dialog = need(value, "simulator_dialog", dict)
    said = need(dialog, "context", list)
    all_said = utterances(said, wanted, leftovers)
    begins = _beginning(said)
    return Conversation(
        entry.place,
        all_said[begins:],
        id=name_of(entry),
        history=all_said[:begins],
        labels=_persuasiveness(value),
        metadata={
            **leftovers.keep(dialog, _READ_OF_DIALOG, "simulator_dialog."),
            **leftovers.keep(value, (*READ, "rec", "persuasiveness_score")),
        },
        fields={
            "domain": "movie",
            "ground_truth": [str(title) for title in listed(value.get("rec")) if str(title).strip()],
        },
    ).imported(wanted, leftovers)


def _beginning(said: Sequence[Any]) -> int:
    """Return where the session with the recommender begins: the user's last words before its first list.
    What stands before is the data set's own conversation."""
    first = next((i for i, message in enumerate(said) if "rec_items" in message), len(said))
    while first > 0 and speaker_of(said[first - 1].get("role")) is Speaker.USER:
        first -= 1
    return first if first < len(said) else 0


def _persuasiveness(value: Mapping[str, Any]) -> list[tuple[int | None, Label]]:
    text = str(value.get("persuasiveness_score", "")).strip()
    if text not in {"0", "1", "2"}:
        return []
    return [(None, Label("ievalm-persuasiveness", int(text), "simulated-user", "judge"))]


read = per_entry(_read)
