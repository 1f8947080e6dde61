"""Read inputs and outputs of a program, in any shape, as utterances.

A trace, a run, a row of prompt and response: each has an input and an output, which hold messages, a text, or an object with either."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..imported import OptionError, UnreadableError
from ..reading.transcripts import Transcript, is_transcript, transcripts
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker, speaker_of, system_talks
from ..talk.utterances import Utterance

INPUTS = (
    "input", "inputs", "question", "query", "prompt", "prompts", "user_input", "user_message", "userMessage", "user_query", "human_input",
    "human", "request", "user", "user_utterance", "user_text", "user_question", "customer_message", "q", "instruction", "message", "text", "queryInput",
)  # fmt: skip
"""Fields that hold what a user wrote."""
ANSWERS = (
    "output", "outputs", "actual_output", "actualOutput", "answer", "response", "reply", "completion", "assistant", "assistant_message", "assistantMessage",
    "assistant_utterance", "bot", "bot_message", "bot_response", "bot_reply", "bot_answer", "assistant_response", "assistant_reply", "agent_response",
    "agent_message", "agent_reply", "model_response", "ai_response", "ai", "a", "generation", "result",
)  # fmt: skip
OUTPUTS = (*ANSWERS, "content", "text", "message", "queryResult", "responseMessages")
"""Fields that hold what an assistant answered."""
_THREADS = ("messages", "chat_history", "history", "conversation", "input_messages", "output_messages")
_EARLIER = ("chat_history", "history", "conversation")
"""Fields after which something new may stand."""
_CHOICES = ("choices", "generations", "candidates")


def asks(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the fields of question and answer; None where a row has not both."""
    held = [name for name in INPUTS if _holds(value, name)]
    asked = next((name for name in held if value[name]), held[0] if held else None)
    outputs = OUTPUTS if asked != "user" else ANSWERS  # beside a text `user` is a name
    answered = next((name for name in outputs if name != asked and _holds(value, name)), None)
    return (asked, answered) if asked and answered else None


def _holds(value: Mapping[str, Any], name: str) -> bool:
    """Return whether a field holds a text, or messages."""
    held = value.get(name)
    if isinstance(held, str) or name == "message":
        return isinstance(held, str) and name != "message"
    try:
        return bool(held) and bool(said_in(held, Speaker.USER, Leftovers()))
    except UnreadableError:
        return False


def said_in(value: Any, speaker: Speaker, leftovers: Leftovers) -> list[Utterance]:
    """Return what somebody says in an input (the user's) or an output (the assistant's); nothing where no
    text is found. A text that is JSON is read as what it holds, where that says anything."""
    inner = loaded(value)
    if inner is value:
        return _said_in(value, speaker, leftovers)
    found = _said_in(inner, speaker, leftovers)
    return found if any(one.content or one.parts for one in found) else [Utterance(speaker, value)]


def _said_in(value: Any, speaker: Speaker, leftovers: Leftovers) -> list[Utterance]:
    if isinstance(value, str):
        return _of_prompt(value) if speaker is Speaker.USER else [Utterance(speaker, value)] if value else []
    if isinstance(value, list):
        return _in_list(value, speaker, leftovers)
    if not isinstance(value, Mapping):
        return []
    if is_message(value):
        return read_messages([value], leftovers)
    if isinstance(value.get("content"), list | str) and speaker is Speaker.ASSISTANT:
        return read_messages([{"role": "assistant", **value}], leftovers)
    return _in_object(value, speaker, leftovers)


def of_transcript(text: str) -> list[Utterance]:
    """Return the messages of a transcript; nothing of any other text, or of one with several conversations."""
    found: list[Transcript] = []
    with suppress(OptionError, UnreadableError):  # names or dashes of a text that somebody wrote
        found = transcripts(text, {}) if is_transcript(text, {}) else []
    lines = found[0].lines if len(found) == 1 else []
    talks = system_talks([line.role for line in lines])
    return [Utterance(speaker_of(line.role, system_talks=talks), line.text) for line in lines]


def _of_prompt(text: str) -> list[Utterance]:
    """Return the messages of a prompt that holds the talk so far, as `Human: Hi` and `AI:` below it; any other text as one message."""
    said = of_transcript(text)
    is_cue = bool(said) and not said[-1].content
    said = said[:-1] if is_cue else said
    goes_on = is_cue or any(one.speaker is Speaker.ASSISTANT for one in said)
    if goes_on and said and said[-1].speaker is Speaker.USER:
        return said
    return [Utterance(Speaker.USER, text)] if text else []


def _in_list(value: Sequence[Any], speaker: Speaker, leftovers: Leftovers) -> list[Utterance]:
    if value and all(is_message(one) for one in value):
        return read_messages(value, leftovers)
    if len(value) == 1:
        return _said_in(value[0], speaker, leftovers)
    if value and all(isinstance(one, Mapping) and isinstance(one.get("type"), str) for one in value):
        return read_messages([{"role": speaker.value, "content": list(value)}], leftovers)
    return []


def _in_object(value: Mapping[str, Any], speaker: Speaker, leftovers: Leftovers) -> list[Utterance]:
    """The earlier messages, if there are any, then what is new. Other fields are counted."""
    said: list[Utterance] = []
    read: list[str] = []
    fields = INPUTS if speaker is Speaker.USER else OUTPUTS
    for name in (*_CHOICES, *_THREADS, *fields):
        found = _said_in(value[name], speaker, leftovers) if value.get(name) else []
        said.extend(found)
        read.extend([name] if found else [])
        if found and name not in _EARLIER:
            break
    if said:
        leftovers.count_unread(value, read, "messages.")
    return said
