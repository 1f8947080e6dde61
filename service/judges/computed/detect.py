"""Every fault that code finds in a log, each once per reply."""

from collections.abc import Iterator
from dataclasses import replace

from ...domain.conversation import ConversationLog, Message, Role
from ...domain.verdict import DetectedFault
from ...faults.ladder import SUMMED
from ...prompt_injection.detection import find_steering, without_steering
from ...text.unanswered import passed_over, unanswered_runs
from ...text.words import excerpt
from ..evaluation import JudgeInput
from .asked_again import asked_again
from .exclusions import exclusions_ignored
from .items import item_faults
from .quantities import quantities_broken
from .refusals import refused_again
from .texts import text_faults
from .wording import wording_faults

PASSED_OVER = 0.6
"""Probability that a question followed by another message of the user's waited for a reply."""


def detect_computed(judge_input: JudgeInput, plain: ConversationLog) -> tuple[DetectedFault, ...]:
    """Return the computed faults of a log, `plain` as `plain_log` gives it, in the order of its messages, certain ones first.

    A reply carries a fault once, but for errors that count one by one; a certain finding counts before a likely one."""
    found: dict[tuple[int | None, str, tuple[str, ...]], DetectedFault] = {}
    for one in sorted(_all(judge_input, plain), key=lambda one: not one.certain):
        found.setdefault((one.message, one.fault, one.quotes if one.fault in SUMMED else ()), one)
    return tuple(sorted(found.values(), key=lambda one: (one.message or 0, not one.certain, one.fault)))


def _all(judge_input: JudgeInput, log: ConversationLog) -> Iterator[DetectedFault]:
    # A reply that only speaks to a judge, or shows its own verdict, is blank in `log`, but the user got it.
    messages = zip(judge_input.log.messages, log.messages, strict=True)
    given = replace(log, messages=tuple(one if one.is_reply else plain for one, plain in messages))
    for run in unanswered_runs(given):
        quotes = tuple(excerpt(log.messages[at].content) for at in run[-2:])
        yield DetectedFault("no-reply", run[-1], 1.0, certain=True, quotes=quotes)
    for at, certain in passed_over(log):
        quotes = (excerpt(log.messages[at].content), excerpt(log.messages[at + 1].content))
        yield DetectedFault("no-reply", at, 1.0 if certain else PASSED_OVER, certain=certain, quotes=quotes)
    yield from text_faults(log, judge_input.log)
    yield from wording_faults(log, judge_input.grounding.sources.titles)
    yield from item_faults(log, judge_input.grounding)
    yield from exclusions_ignored(log)
    yield from quantities_broken(log)
    yield from asked_again(log)
    yield from refused_again(judge_input, log)


def plain_log(judge_input: JudgeInput) -> ConversationLog:
    """Return the log with each message cut to the characters that a judge reads, and without words to a judge."""
    return replace(
        judge_input.log,
        messages=tuple(_plain(message, judge_input.reach) for message in judge_input.log.messages),
    )


def _plain(message: Message, limit: int) -> Message:
    text = message.content[:limit]
    plain = without_steering(text, find_steering(text), to_end=message.role is Role.USER)
    return message if plain == message.content else replace(message, content=plain)
