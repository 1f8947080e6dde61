"""Films, logs, and a model that answers from a list, for simulators under test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.domain.completion import Call, ChatMessage, Usage
from service.domain.conversation import ConversationLog, Item, Message, Role, User
from service.domain.verdict import JudgeName
from service.simulators.asker import Answered, Unanswered
from service.simulators.form import F

Line = Mapping[str, Any] | Unanswered | Exception
Chooser = Callable[[str], Line]
FILMS = (
    Item("Paper Comets (2015)", "f1", {"genre": ("animation", "family"), "mood": ("cheerful",)}),
    Item("Glass Harvest (2018)", "f2", {"genre": ("science fiction", "thriller"), "mood": ("tense",)}),
    Item("Dr. Moth (1991)", "f3", {"genre": ("mystery", "comedy"), "mood": ("playful",)}),
    Item("Heat (2001)", "f4", {"genre": ("crime",), "mood": ("dark",)}),
)


def log_of(
    *lines: tuple[str, str] | tuple[str, str, Sequence[str]], wants: Sequence[str] = (), **fields: Any
) -> ConversationLog:
    """A log from ("u" or "a", text, list?) lines."""
    messages = tuple(
        Message(Role.USER if who == "u" else Role.ASSISTANT, text, tuple(shown[0]) if shown else None)
        for who, text, *shown in lines
    )
    return ConversationLog(messages=messages, **{"user": User(attributes=tuple(wants)), **fields})


@dataclass
class FakeModel:
    """Answers in turn with `lines`, or as `chooser` decides from the prompt's text; keeps what it
    was asked."""

    lines: list[Line] = field(default_factory=list)
    chooser: Chooser | None = None
    prompts: list[str] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)
    name: JudgeName = field(default_factory=lambda: JudgeName("fake", "model"))
    asked_at: tuple[int | None, float | None] = (None, None)
    """The seed and the temperature that a request named."""

    async def ask(
        self, messages: Sequence[ChatMessage], form: type[F], call: Call, *, draw: int = 0
    ) -> Answered[F] | Unanswered:
        text = "\n".join(f"[{message.role}] {message.content}" for message in messages)
        self.prompts.append(text)
        self.draws.append(draw)
        line = self.chooser(text) if self.chooser else self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Unanswered):
            return line
        return Answered(form.model_validate(line), "fake-model-1", Usage(input_tokens=10, output_tokens=2))


SILENT = Unanswered("refused", "the model declined")
