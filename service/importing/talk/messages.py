"""One message in any spelling as an utterance: who speaks, what is said, and what stands beside."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..imported import UnreadableError
from . import items, speakers, times
from .labels import labels_in
from .leftovers import Leftovers, as_text, loaded
from .parts import READ_OF_PARTS, Pieces, calls_in, listed_calls, pieces_of, tool_result
from .speakers import Speaker, named_speaker, speaker_field, speaker_of, system_talks
from .utterances import NOTHING, Utterance, part_key

TEXTS = ("content", "text", "value", "utterance", "message", "msg", "parts", "body")
"""Fields that hold what was said, the plainest first."""
_CALLS = ("tool_calls", "function_call", "toolInvocations", "toolCalls")
_CALL_OF_RESULT = ("tool_call_id", "toolCallId", "call_id", "tool_use_id")
_IDS = ("id", "message_id", "messageId", "msg_id", "utterance_id", "utterance ID", "uuid")
_THOUGHTS = ("thoughts", "feelings")
_TALKERS = (Speaker.USER, Speaker.ASSISTANT)
_WRAPPERS = ("data", "kwargs", "message")
_INTERNAL = ("private", "internal", "is_private", "is_internal", "isPrivate", "isInternal")
_KINDS = ("type", "part_type", "message_type", "comment_type", "kind")
_NOTES = ("note", "internal_note", "private_note", "internal note", "private note")
_FAILED = ("error", "failed")
_MEDIA = (
    "photo", "photos", "video", "videos", "audio", "audio_files", "voice", "sticker", "gif", "gifs", "files", "attachments", "media", "share",
    "location", "is_unsent",
)  # fmt: skip
"""Fields of a message that may have no words beside them."""
_PARENTS = ("parent_id", "parentId", "parent_message_id", "parentMessageId")
_OF_FILES = ("type", "url", "uri")
_INSIDE = ("children", "replies", "messages", "responses")


def unwrapped(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message inside a dump of LangChain's (`data`, `kwargs`) or inside a choice (`message`), with what stands around
    it; `{role: text}` with the names of both; else the message itself."""
    for role, text in message.items() if len(message) == 1 else ():
        if isinstance(text, str) and speakers.SPEAKERS.get(role.casefold()) in _TALKERS and role != "model":
            return {"role": role.casefold(), "content": text}
    field = next((name for name in _WRAPPERS if isinstance(message.get(name), Mapping)), None)
    if field is None or any(isinstance(message.get(name), str | list) for name in TEXTS if name != "message"):
        return message
    inner = message[field]
    around = {
        name: value for name, value in message.items() if name not in (field, "lc", "type", "id", "index")
    }
    if named_speaker(inner) is not None:
        return {**around, **inner}
    id_ = message.get("id")
    name = id_[-1] if isinstance(id_, list) and id_ else message.get("type")
    return {**around, "role": name, **inner} if isinstance(name, str) and speakers.known(name) else message


def is_message(value: Any) -> bool:
    """Return whether a value is a message: somebody says something, or calls a tool."""
    if isinstance(value, list | tuple):
        return len(value) == 2 and all(isinstance(part, str) for part in value) and speakers.known(value[0])
    if not isinstance(value, Mapping):
        return False
    inner = unwrapped(value)
    if isinstance(inner.get("type"), str) and calls_in(inner, inner["type"]):
        return True
    name = named_speaker(inner)
    return name is not None and any(field in inner for field in (*TEXTS, *_CALLS, *items.FIELDS))


def read_messages(said: Sequence[Any], leftovers: Leftovers) -> list[Utterance]:
    """All messages of a conversation. Raises UnreadableError for one that says nothing in any known field, or whose
    speaker nobody knows."""
    spoken = [message for message in map(_as_mapping, said) if not _is_event(message)]
    values = [message for message in spoken if not _is_note(message)]
    leftovers.count("service messages", len(said) - len(spoken))
    leftovers.count("internal notes", len(spoken) - len(values))
    names = [named_speaker(message) for message in values]
    _check_names(values, names)
    _check_branches(values)
    other = speakers.other_side(names)
    talks = system_talks(names)
    return [
        _read_message(message, index, leftovers, talks=talks, other=other)
        for index, message in enumerate(values)
    ]


def _check_names(messages: Sequence[Mapping[str, Any]], roles: Sequence[str | None]) -> None:
    """Raise UnreadableError where the roles hide who speaks, and where a message holds others."""
    names = {message["name"]: None for message in messages if isinstance(message.get("name"), str)}
    if len(names) > 1 and len({*roles}) == 1:
        reason = f"each message has the role {roles[0]}, and the names {', '.join(list(names)[:4])}. Say by --map role=name that these speak"
        raise UnreadableError(reason)
    for at, message in enumerate(messages):
        for name in _INSIDE:
            if isinstance(message.get(name), list) and any(map(is_message, message[name])):
                raise UnreadableError(
                    f"message {at} has other messages in {name}. Write all of them in one list"
                )


def _check_branches(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise UnreadableError where two messages of one role answer the same message."""
    for field in _PARENTS:
        found = Counter((one[field], named_speaker(one)) for one in messages if _is_mark(one.get(field)))
        twice = {parent for (parent, _), number in found.items() if number > 1}
        if twice and any(
            one.get(name) in twice for one in messages for name in _IDS if _is_mark(one.get(name))
        ):
            reason = f"several messages of one role have the same {field}, and nothing says which was shown. Keep one branch of the conversation"
            raise UnreadableError(reason)


def _is_event(message: Mapping[str, Any]) -> bool:
    """Return whether a messenger writes this itself, as Telegram and Slack note that somebody joined or pinned a message."""
    telegram = message.get("type") == "service" and "action" in message
    if telegram or str(message.get("subtype")).startswith(("channel_", "group_")):
        return True
    kind = next((message[name] for name in ("type", "event") if isinstance(message.get(name), str)), None)
    if kind in (None, "reasoning") or named_speaker(message) is not None:
        return False
    says = any(name in message for name in (*TEXTS, *_CALLS, *items.FIELDS))
    return not says and not calls_in(message, str(kind))


def _is_note(message: Mapping[str, Any]) -> bool:
    """Return whether colleagues wrote this to each other, so that the user did not see it."""
    flagged = any(str(message.get(name)).casefold() in ("true", "1") for name in _INTERNAL)
    return flagged or any(message.get(name) in _NOTES for name in _KINDS)


def _as_mapping(message: Any) -> Mapping[str, Any]:
    if isinstance(message, list | tuple) and len(message) == 2:
        return {"role": message[0], "content": message[1]}
    if not isinstance(message, Mapping):
        raise UnreadableError("a message is not an object")
    return unwrapped(message)


def _read_message(
    message: Mapping[str, Any], index: int, leftovers: Leftovers, *, talks: bool, other: Speaker | None
) -> Utterance:
    """One message, the `index`th of its conversation. `talks` says that `system` is the assistant; `other` is the role of a name
    that nobody knows."""
    kind = str(message.get("type", ""))
    bare = calls_in(message, kind) if kind and named_speaker(message) is None else []
    if bare:  # an item of OpenAI's Responses beside its messages
        leftovers.count_unread(message, READ_OF_PARTS, f"{leftovers.about}.parts.")
        return Utterance(Speaker.TOOL, None, parts=bare, role=kind)
    if kind == "reasoning" and named_speaker(message) is None:
        leftovers.count_unread(message, ("type", "id"), f"{leftovers.about}.reasoning.")
        return Utterance(Speaker.INSTRUCTION, None, role=kind)
    role = named_speaker(message)
    speaker = other if other and role and speakers.speaker_by_words(role) is None else None
    speaker = speaker or speaker_of(role, system_talks=talks)
    pieces, read = _said(message, index, leftovers)
    if speaker is Speaker.TOOL:
        pieces = Pieces(parts=[*pieces.parts, *_answer(message, pieces)])
        read |= {*_CALL_OF_RESULT, "name", "status"}
    listed = items_in(message) if speaker is Speaker.ASSISTANT else None
    labels, label_fields = labels_in(message)
    marks = _marks(message)
    read |= {*marks.values(), *label_fields, *_CALLS, "refusal", *([listed[0]] if listed else ())}
    return Utterance(
        speaker,
        "\n".join(pieces.texts) if pieces.texts else None,
        id=_text_of(message, marks.get("id")),
        created_at=times.as_time(message.get(marks.get("time", ""))),
        recommendations=listed[1] if listed else pieces.recommendations,
        thoughts=_text_of(message, marks.get("thoughts")),
        # Nothing is shared by all messages that have none.
        items=[*(listed[2] if listed else ()), *pieces.items] or (),
        parts=pieces.parts or (),
        metadata=leftovers.keep(message, read | _silent(message), f"{leftovers.about}.") or NOTHING,
        role=role or "",
        labels=labels or (),
    )


def _silent(message: Mapping[str, Any]) -> set[str]:
    """The fields that say who speaks, and a `type` that says no more than that."""
    plain = message.get("type") in ("message", *speakers.SPEAKERS)
    return {name for name in (speaker_field(message), "type" if plain else None) if name}


def _said(message: Mapping[str, Any], index: int, leftovers: Leftovers) -> tuple[Pieces, set[str]]:
    """The pieces of what a message says, and the fields that were read for it."""
    given = [name for name in TEXTS if message.get(name) is not None]
    main = next((name for name in given if message[name]), given[0] if given else None)
    pieces, read = Pieces(), set[str]()
    if main is not None:
        pieces = _pieces(message[main], leftovers)
        read.add(main)
    for name in given:
        if name != main and isinstance(message[name], list):  # the AI SDK wrote both
            more = _pieces(message[name], leftovers)
            pieces.texts = pieces.texts if any(pieces.texts) else more.texts
            pieces.parts.extend(more.parts)
            read.add(name)
        elif message[name] in ("", message[main or name], "\n".join(pieces.texts)):
            read.add(name)
    calls = _calls(message, read, leftovers)
    known = set(map(part_key, pieces.parts))
    pieces.parts.extend(call for call in calls if part_key(call) not in known)
    audio = message.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    if isinstance(other := message.get("refusal") or transcript, str) and not any(pieces.texts):
        pieces.texts = [other]
    if pieces.parts and not any(pieces.texts):
        pieces.texts = []  # an empty text beside calls is how many clients write none
    if not pieces.texts and not pieces.parts and pieces.recommendations is None:
        _check_fields(message, index)
        pieces.texts = [""]
    return pieces, read


def _pieces(content: Any, leftovers: Leftovers) -> Pieces:
    if isinstance(content, Mapping):
        if isinstance(content.get("parts"), list):
            return _pieces(content["parts"], leftovers)
        pieces = pieces_of([content], leftovers)
        if content and content.keys().isdisjoint(_OF_FILES) and pieces == Pieces():
            first, *_ = content
            reason = f"a message's content is an object; its fields are {', '.join(map(str, content))}. Name the one with the words, for example by --map content=content.{first}"
            raise UnreadableError(reason)
        return pieces
    if isinstance(content, str):
        return Pieces(texts=[content])
    if isinstance(content, list) and all(isinstance(part, str | dict) for part in content):
        return pieces_of(content, leftovers)
    raise UnreadableError("a message's content is neither text nor parts")


def _calls(message: Mapping[str, Any], read: set[str], leftovers: Leftovers) -> list[Any]:
    """The calls in fields of their own; LangChain keeps a provider's own list of them in `additional_kwargs` too."""
    extra = message.get("additional_kwargs")
    calls: list[Any] = []
    for holder in (message, extra) if isinstance(extra, Mapping) else (message,):
        held = [holder[name] for name in _CALLS if holder.get(name)] if not calls else []
        calls += [call for one in held for call in listed_calls(one, leftovers)]
    if isinstance(extra, Mapping) and set(extra) <= {*_CALLS, "refusal"}:
        read.add("additional_kwargs")
    return calls


def _check_fields(message: Mapping[str, Any], index: int) -> None:
    if any(name in message for name in (*TEXTS, *_CALLS, *_MEDIA, "refusal")) or items_in(message):
        return
    fields = ", ".join(name for name in message if name != speaker_field(message)) or "nothing else"
    raise UnreadableError(f"message {index} has no content, text or parts (it has {fields})")


def _answer(message: Mapping[str, Any], pieces: Pieces) -> list[Any]:
    """Return what a message of a tool says, as the result of its call."""
    if any(part["type"] == "tool_result" for part in pieces.parts):
        return []
    call = next((message[name] for name in _CALL_OF_RESULT if message.get(name) is not None), None)
    result = tool_result(call, loaded("\n".join(pieces.texts)), failed=message.get("status") in _FAILED)
    return [{**result, "name": message["name"]} if isinstance(message.get("name"), str) else result]


def items_in(message: Mapping[str, Any]) -> tuple[str, list[str], list[Any]] | None:
    """The field of what was shown, its references and its items, where all that stands in it can be named."""
    for name in items.FIELDS:
        found = None if message.get(name) is None else items.shown(message[name])
        if found is not None:
            return name, *found
    return None


def _marks(message: Mapping[str, Any]) -> dict[str, str]:
    """The fields that hold an id, a time and thoughts, by these three."""
    found = {
        "id": next((name for name in _IDS if _is_mark(message.get(name))), None),
        "time": times.time_field(message),
        "thoughts": next((name for name in _THOUGHTS if isinstance(message.get(name), str)), None),
    }
    return {mark: name for mark, name in found.items() if name is not None}


def _is_mark(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _text_of(message: Mapping[str, Any], name: str | None) -> str | None:
    return None if name is None else as_text(message[name])
