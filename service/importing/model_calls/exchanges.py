"""Read inputs and outputs of a program, in any shape, as utterances; and calls of a model as one talk.

A trace, a run, a row of prompt and response: each has an input and an output, which hold messages, a text, or an object with either."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import is_message, read_messages
from ..talk.speakers import Speaker
from ..talk.utterances import Text, Utterance

INPUTS = (
    "input", "inputs", "question", "query", "prompt", "user_input", "user_message", "userMessage", "user_query", "human_input",
    "human", "request", "user", "user_utterance", "user_text", "user_question", "customer_message", "q", "instruction", "message", "text",
)  # fmt: skip
"""Fields that hold what a user wrote."""
ANSWERS = (
    "output", "outputs", "answer", "response", "reply", "completion", "assistant", "assistant_message", "assistantMessage",
    "assistant_utterance", "bot", "bot_message", "bot_response", "bot_reply", "bot_answer", "assistant_response", "assistant_reply", "agent_response",
    "agent_message", "agent_reply", "model_response", "ai_response", "ai", "a", "generation", "result",
)  # fmt: skip
OUTPUTS = (*ANSWERS, "content", "text", "message")
"""Fields that hold what an assistant answered."""
_THREADS = ("messages", "chat_history", "history", "conversation", "input_messages", "output_messages")
_EARLIER = ("chat_history", "history", "conversation")
"""Fields after which something new may stand."""
_BEGINNING = 0
_CHOICES = ("choices", "generations", "candidates")


def said_in(value: Any, speaker: Speaker, leftovers: Leftovers, prefix: str = "messages") -> list[Utterance]:
    """Return what somebody says in an input (the user's) or an output (the assistant's); nothing where no
    text is found. A text that is JSON is read as what it holds, where that says anything."""
    inner = loaded(value)
    if inner is value:
        return _said_in(value, speaker, leftovers, prefix)
    found = _said_in(inner, speaker, leftovers, prefix)
    return found if any(one.content or one.parts for one in found) else [Utterance(speaker, value)]


def _said_in(value: Any, speaker: Speaker, leftovers: Leftovers, prefix: str) -> list[Utterance]:
    if isinstance(value, str):
        return [Utterance(speaker, value)] if value else []
    if isinstance(value, list):
        return _in_list(value, speaker, leftovers, prefix)
    if not isinstance(value, Mapping):
        return []
    if is_message(value):
        return read_messages([value], leftovers, prefix)
    if isinstance(value.get("content"), list | str) and speaker is Speaker.ASSISTANT:
        return read_messages([{"role": "assistant", **value}], leftovers, prefix)
    return _in_object(value, speaker, leftovers, prefix)


def _in_list(value: Sequence[Any], speaker: Speaker, leftovers: Leftovers, prefix: str) -> list[Utterance]:
    if value and all(is_message(one) for one in value):
        return read_messages(value, leftovers, prefix)
    if len(value) == 1:
        return _said_in(value[0], speaker, leftovers, prefix)
    if value and all(isinstance(one, Mapping) and isinstance(one.get("type"), str) for one in value):
        return read_messages([{"role": speaker.value, "content": list(value)}], leftovers, prefix)
    return []


def _in_object(
    value: Mapping[str, Any], speaker: Speaker, leftovers: Leftovers, prefix: str
) -> list[Utterance]:
    """The earlier messages, if there are any, then what is new. Other fields are counted."""
    said: list[Utterance] = []
    read: list[str] = []
    fields = INPUTS if speaker is Speaker.USER else OUTPUTS
    for name in (*_CHOICES, *_THREADS, *fields):
        found = _said_in(value[name], speaker, leftovers, prefix) if value.get(name) else []
        said.extend(found)
        read.extend([name] if found else [])
        if found and name not in _EARLIER:
            break
    if said:
        leftovers.count_unread(value, read, f"{prefix}.")
    return said


class Talk:
    """The talk over calls of a model. All calls together take time in proportion to what they hold."""

    def __init__(self) -> None:
        self.said: list[Utterance] = []
        self.heard = False
        """True where the assistant says anything in it."""
        self.mark = _BEGINNING
        """The mark that was shown of it, one of `marks_of`."""
        self._shown: list[Text] = []
        self._since: set[Hashable] = set()
        """Calls of tools since the last message that was shown."""

    def go_on(self, given: Sequence[Utterance], came: Sequence[Utterance]) -> int:
        """Add what one more call adds. Returns how many messages of the call stood in the talk already.

        A call that is given the end of the talk so far, or all of it, goes on from there; one that is given new messages alone
        adds them. Instructions are no part of a talk, and calls of tools are told in one place and not in another: what is
        compared is what users see."""
        whole = [*(one for one in given if one.speaker is not Speaker.INSTRUCTION), *came]
        shared = _shared(self._shown, [one.text for one in whole if one.is_shown])
        at = after_shown(whole, shared)
        while shared and at < len(whole) and not whole[at].is_shown and whole[at].identity in self._since:
            at += 1
        for one in whole[at:]:
            self._add(one)
        return shared

    def _add(self, one: Utterance) -> None:
        self.said.append(one)
        self.heard = self.heard or one.speaker is Speaker.ASSISTANT
        if one.is_shown:
            self._shown.append(one.text)
            self.mark = hash((self.mark, one.text))
            self._since.clear()
        elif one.parts:
            self._since.add(one.identity)


def marks_of(said: Sequence[Utterance]) -> list[int]:
    """The marks of all talks that something goes on with: those whose shown messages are its first ones, the shortest first."""
    texts = [one.text for one in said if one.is_shown]
    marks = accumulate(texts[:-1], lambda mark, text: hash((mark, text)), initial=_BEGINNING)
    return list(marks) if texts else []


def begins_with(said: Sequence[Utterance], talk: Sequence[Utterance]) -> bool:
    """Return whether all that was shown of a talk is how something else begins, which goes on."""
    first, second = ([one.text for one in some if one.is_shown] for some in (talk, said))
    return len(first) < len(second) and first == second[: len(first)]


def after_shown(said: Sequence[Utterance], number: int) -> int:
    """The position after so many messages that were shown."""
    positions = [at for at, one in enumerate(said) if one.is_shown]
    return positions[number - 1] + 1 if number else 0


def _shared(talk: Sequence[Text], whole: Sequence[Text]) -> int:
    """Return how many messages at the end of the talk are those that the call begins with. A call that
    says nothing else repeats what was said. (Knuth, Morris and Pratt: every message is looked at twice at most.)"""
    first = whole[:-1]
    borders = [0] * len(first)
    length = 0
    for at in range(1, len(first)):
        length = borders[at] = _longer(first, borders, length, first[at])
    length = 0
    for text in talk[-len(first) :] if first else ():
        length = _longer(first, borders, length, text)
    return length


def _longer(first: Sequence[Text], borders: Sequence[int], length: int, text: Text) -> int:
    """Return how many of the first messages stand at the end of what was read, with one more message."""
    while length and (length == len(first) or first[length] != text):
        length = borders[length - 1]
    return length + 1 if first[length] == text else 0
