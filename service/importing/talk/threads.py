"""A conversation as one object: its messages, its id, and the fields that a log has too, by whatever names."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..entries import Entry, Json
from ..imported import Imported, UnreadableError, Wanted
from . import times
from .items import item_of, shown
from .labels import labels_in
from .leftovers import Leftovers, as_name
from .messages import TEXTS, is_message, read_messages, unwrapped
from .speakers import Speaker, named_speaker, speaker_by_words
from .utterances import Conversation, Utterance

LISTS = (
    "messages", "conversation", "conversations", "dialogue", "dialog", "turns", "utterances", "chat", "transcript", "thread",
    "chat_history", "chat_messages", "log", "history", "events", "contents", "entries",
)  # fmt: skip
"""Fields that hold the messages of a conversation."""
HISTORIES = (
    "chat_history", "history", "conversation_history", "dialogue_history", "dialog_history", "message_history", "previous_messages", "context",
)  # fmt: skip
"""Fields that hold what was said before a question."""
IDS = (
    "id", "conversation_id", "conversationId", "conv_id", "convId", "conversation ID", "session_id", "sessionId", "session",
    "dialogue_id", "dialogueId", "dialog_id", "dialogId", "thread_id", "threadId", "chat_id", "chatId", "conversation",
    "custom_id", "uuid", "_id",
)  # fmt: skip
"""Fields that name a conversation."""
_ANSWERS = (
    "output",
    "actual_output",
    "answer",
    "response",
    "reply",
    "completion",
    "assistant_message",
    "assistant_response",
    "bot_response",
    "model_response",
)
_SYSTEMS = ("system", "agent", "bot", "agent_id", "system_name", "model_name")
_USER = frozenset({"persona", "age_group", "attributes", "preferences", "seen"})
_LONGEST_NAME = 100


def thread_in(value: Any) -> tuple[str | None, Sequence[Any]] | None:
    """The messages of a conversation and the field that holds them (None for a bare list); None where there are none."""
    if isinstance(value, list):
        return (None, value) if is_thread(value) else None
    if not isinstance(value, Mapping):
        return None
    for name in LISTS:
        held = value.get(name)
        listed = list(held.values()) if isinstance(held, Mapping) else held  # Firebase's have keys
        if isinstance(listed, list) and is_thread(listed):
            return name, listed
    empty = next((one for one in ("messages", "chat_messages", "turns") if value.get(one) == []), None)
    return None if empty is None else (empty, [])


def is_thread(value: Any) -> bool:
    """Return whether a list holds messages: one of them at least, and nothing that is no object."""
    if not isinstance(value, list) or not all(isinstance(one, Mapping | list) for one in value):
        return False
    return any(is_message(one) for one in value)


def read_thread(entry: Entry, wanted: Wanted) -> Imported:
    """A conversation that is one object, or a bare list of messages."""
    found = thread_in(entry.value) or _listed_in(entry.value)
    if found is None:
        raise UnreadableError(_missing(entry.value, wanted))
    field, listed = found
    value = entry.value if isinstance(entry.value, Mapping) else {}
    answered = _answer_after(value, listed)
    rest = {name: part for name, part in value.items() if name not in (field, answered)}
    answer = [{"role": "assistant", "content": _text(value[answered])}] if answered else []
    return read_chat(entry.place, rest, [*_forward(listed), *answer], wanted, Leftovers())


def _answer_after(value: Mapping[str, Any], listed: Sequence[Any]) -> str | None:
    """Return the field of an answer beside messages that end with the user's; None where they end otherwise."""
    last = listed[-1] if listed else None
    name = named_speaker(unwrapped(last)) if isinstance(last, Mapping) else None
    if speaker_by_words(name or "") is not Speaker.USER:
        return None
    return next((name for name in _ANSWERS if _text(value.get(name))), None)


def _text(value: Any) -> str | None:
    """Return a text, or that of a message."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in TEXTS if name in value), None)
    return value if isinstance(value, str) and value.strip() else None


def read_chat(
    place: str, value: Mapping[str, Any], messages: Sequence[Any], wanted: Wanted, leftovers: Leftovers
) -> Imported:
    """A conversation of messages in any spelling, with the object around them in the spelling of a log."""
    said = read_messages(messages, leftovers)
    return thread(place, value, said, leftovers).imported(wanted, leftovers)


def _forward(listed: Sequence[Any]) -> Sequence[Any]:
    """Return the messages in the order of their numbers, or of their times where the list is clearly in another: it runs backwards,
    or speakers alternate more by the times. Clocks of a user and a service may differ a little."""
    listed = times.in_order(listed, by_time=False)
    known = times.moments(listed) or []
    if known == sorted(known, reverse=True) and len({*known}) > 1:
        return listed[::-1]
    dated = times.in_order(listed)
    return dated if _repeats(dated) < _repeats(listed) else listed


def _repeats(listed: Sequence[Any]) -> int:
    """Return how often the same speaker goes on."""
    names = [named_speaker(unwrapped(one)) for one in listed if isinstance(one, Mapping)]
    return sum(one == other for one, other in pairwise(names))


def _listed_in(value: Any) -> tuple[str | None, Sequence[Any]] | None:
    """The first list of objects that stands where messages stand, whatever it holds."""
    if not isinstance(value, Mapping):
        return None
    for name in LISTS:
        held = value.get(name)
        if isinstance(held, list) and all(isinstance(one, Mapping) for one in held):
            return name, held
    return None


def _missing(value: Any, wanted: Wanted) -> str:
    if isinstance(value, Mapping):
        listed = next((name for name in LISTS if isinstance(value.get(name), list)), None)
        if listed is not None:
            return f"{listed} contains an entry that is not an object"
        return f"no messages; its fields are {wanted.listed(value)}"
    return "a list with an entry that is not a message" if isinstance(value, list) else "no messages"


def thread(
    place: str, value: Mapping[str, Any], said: Sequence[Utterance], leftovers: Leftovers
) -> Conversation:
    """A conversation with what its object says beside the messages."""
    name = next((key for key in IDS if as_name(value.get(key)) is not None), None)
    fields = _fields(value)
    system = next((key for key in _SYSTEMS if key != name and _is_system(value.get(key))), None)
    if system is not None:
        fields["system"] = str(value[system])
    taken = {*fields, *filter(None, (name, system))}
    earlier = value.get("history")
    history = []
    if "history" not in taken and isinstance(earlier, list) and is_thread(earlier):
        history = read_messages(earlier, leftovers.of_history())
        taken.add("history")
    listed = value.get("items")
    items = [item_of(one) for one in listed] if isinstance(listed, list) else []
    if None in items:
        items = []
    taken.update({"items"} if items else ())
    labels, label_fields = labels_in({key: part for key, part in value.items() if key not in taken})
    return Conversation(
        place,
        said,
        id=None if name is None else as_name(value[name]),
        history=history,
        labels=[(None, label) for label in labels],
        metadata=leftovers.keep(value, taken | label_fields),
        items=[item for item in items if item is not None],
        fields=fields,
    )


def _is_system(value: Any) -> bool:
    """Return whether this names a recommender: instructions to one are longer."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and "\n" not in value


def _fields(value: Mapping[str, Any]) -> Json:
    """The fields of a log that stand in the object as a log takes them."""
    found: Json = {}
    if isinstance(value.get("domain"), str) and value["domain"].strip():
        found["domain"] = value["domain"]
    if isinstance(value.get("complete"), bool):
        found["complete"] = value["complete"]
    user, outcome = value.get("user"), value.get("outcome")
    if isinstance(user, Mapping) and user and user.keys() <= _USER:
        found["user"] = dict(user)
    if isinstance(outcome, Mapping) and outcome.keys() <= {"accepted", "message"}:
        found |= {"outcome": dict(outcome)} if isinstance(outcome.get("accepted"), bool) else {}
    wanted = value.get("ground_truth")
    references = shown(wanted if isinstance(wanted, list | dict) else [wanted]) if wanted else None
    if references and references[0]:
        found["ground_truth"] = references[0]
    return found
