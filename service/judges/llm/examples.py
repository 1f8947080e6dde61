"""Conversations that people rated, as a prompt shows them beside the rubric."""

from collections.abc import Iterator, Sequence

from ...domain.conversation import ConversationLog
from ...domain.rubric import Factor
from ...prompts import prompt, render
from ..inquiry import Example
from .log_text import message_lines


def render_examples(
    examples: Sequence[Example], factors: Sequence[Factor], judged: ConversationLog | None = None
) -> str:
    """Return the examples of these factors; empty where there are none. One with the messages of the log that is `judged` is
    left out: it would give the answer away."""
    wanted = {factor.slug: factor for factor in factors}
    shown = [one for one in examples if one.factor in wanted and not (judged and one.shows(judged.messages))]
    if not shown:
        return ""
    told = ["\n".join(_lines(number, one, wanted[one.factor])) for number, one in enumerate(shown, 1)]
    return render(prompt("judge/examples"), examples="\n\n".join(told)).strip()


def _lines(number: int, example: Example, factor: Factor) -> Iterator[str]:
    low, high = factor.scale.min, factor.scale.max
    yield f"Example {number}: people gave {example.score:g} for {factor.slug}, on a scale of {low} to {high}."
    yield from message_lines(example.log)
