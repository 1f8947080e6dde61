"""A model that answers from a list, for simulators under test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.domain.completion import Call, ChatMessage, Usage
from service.domain.verdict import JudgeName
from service.simulators.asker import Answered, Unanswered
from service.simulators.form import F

Line = Mapping[str, Any] | Unanswered | Exception
Chooser = Callable[[str], Line]


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
