"""A simulated user's next words: a model drafts them, and rules find them where it does not."""

from collections.abc import Callable

from ..domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ..domain.verdict import Flag
from ..errors import UpstreamFailed
from ..llm.failures import Refused
from .asker import Asker, Unanswered
from .form import Spoken
from .scene import Scene
from .step import Step
from .transcript import transcript


async def speak(
    asker: Asker,
    instructions: str,
    scene: Scene,
    call: Call,
    *,
    fallback: Callable[[Scene], str],
    keep: Callable[[str], str] = str,
    again: tuple[str, str] | None = None,
    spent: Usage = NO_USAGE,
) -> Step:
    """Return the step that says what a model drafts.

    `keep` returns the part of a draft that may be said. Where nothing is left, the model is asked once more with the first text
    of `again`; then `fallback` speaks, and the second text says why. `spent` is what the step cost before. Raises
    UpstreamFailed as `refusal_of` does."""
    note, why = again or ("", "the model said nothing")
    messages: tuple[ChatMessage, ...] = (
        ChatMessage("system", instructions),
        ChatMessage("user", transcript(scene)),
    )
    model: str | None = None
    for draw in range(2 if again else 1):
        answer = await asker.ask(messages, Spoken, call, draw=draw)
        spent += answer.usage
        if isinstance(answer, Unanswered):
            why = refusal_of(answer, spent)
            break
        model = answer.model
        if text := keep(answer.value.message):
            return Step(message=text, usage=spent, model=model)
        said = ChatMessage("assistant", answer.value.model_dump_json())
        messages = (*messages, said, ChatMessage("user", note))
    return spoken_by_rule(fallback(scene), why, spent, model)


def spoken_by_rule(message: str, why: str, spent: Usage, model: str | None = None) -> Step:
    """Return the step of a message that rules made, flagged with the reason."""
    flag = Flag("simulator_fallback", f"this message was made by rule: {why}")
    return Step(message=message, flags=(flag,), usage=spent, model=model)


def refusal_of(answer: Unanswered, usage: Usage) -> str:
    """Return why a model declined to speak: its user then speaks by rule. Raises UpstreamFailed, which ends
    the session, for any other answer."""
    if answer.code != Refused.code:
        detail = f"The simulated user's model gave no usable message ({answer.code}): {answer.detail}"
        raise UpstreamFailed(detail, partial={"usage": usage})
    return answer.detail
