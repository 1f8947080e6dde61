"""Find what a verdict needs and a case lacks, and what a reader of any verdict on the case must know."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ...domain.conversation import Message
from ...domain.parts import ImagePart, ItemsPart, ToolCall, ToolResult
from ...domain.rubric import Factor, Need
from ...domain.verdict import Flag, Scored
from ...steering.detection import find_steering
from ..inquiry import Case, Grouping, Inquiry, unread_flags
from .log_text import cut_flags, sees_tools
from .material import list_cut, reads_text, wanted_cut
from .sources import sources_cut

MOST_STEERING_FLAGS = 20
MOST_CUT_FLAGS = 20
CHARACTERS_A_TURN = 1_000
BY_PREFERENCES = "effectiveness"


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a factor cannot be judged at all: nothing is asked."""

    code: str
    detail: str
    missing: tuple[str, ...]


def find_gap(inquiry: Inquiry, factor: Factor) -> Gap | None:
    """The first input that the factor needs and the case has not."""
    return next(_gaps(inquiry, factor), None)


def _gaps(inquiry: Inquiry, factor: Factor) -> Iterator[Gap]:
    log, needs = inquiry.case.log, factor.needs
    if not log.replies:
        yield Gap("no_replies", "the log holds no message of the recommender", ("replies",))
    if Need.RECOMMENDATIONS in needs and (gap := _list_gap(inquiry.case, factor)):
        yield gap
    if Need.GROUND_TRUTH in needs and not log.ground_truth:
        yield Gap("missing_ground_truth", "the log does not say what the user wanted", ("ground_truth",))
    if Need.PREFERENCES in needs and not (log.user and log.user.preferences):
        yield Gap("missing_preferences", "the log does not say what the user likes", ("user.preferences",))
    if Need.THOUGHTS in needs and not any(message.thoughts for message in log.messages):
        yield Gap("missing_thoughts", "no message carries the user's feelings", ("messages.thoughts",))
    if Need.VERDICTS in needs and not _scored_others(inquiry, factor):
        yield Gap("missing_verdicts", "no scores of other factors were given", ("verdicts",))


def _list_gap(case: Case, factor: Factor) -> Gap | None:
    if reads_text(case):
        if Need.MESSAGES not in factor.needs:
            return None
        detail = "the items were taken from the text itself: there is no list to compare it with"
        return Gap("list_from_text", detail, ("recommendations",))
    if case.log.session_list(case.list_cutoff):
        return None
    return Gap("missing_recommendations", "no reply carries a list of items", ("recommendations",))


def _scored_others(inquiry: Inquiry, factor: Factor) -> bool:
    return any(isinstance(each, Scored) and each.factor != factor.slug for each in inquiry.verdicts)


async def log_flags(case: Case) -> tuple[Flag, ...]:
    """Flags that hold for every verdict on a case. Steering is looked for as far as rules read a message (`Case.reach`);
    that takes its time on long logs, and others get their turn in between."""
    flags = []
    if not case.log.complete:
        flags.append(Flag("in_progress", "the conversation is still going on: a missing end costs nothing"))
    detail = "text that talks to the judge: the prompt tells the model to give it no weight"
    reach = case.reach
    steering: list[Flag] = []
    unread = CHARACTERS_A_TURN
    for index, message in enumerate(case.log.messages):
        if len(steering) == MOST_STEERING_FLAGS:
            break
        text = message.content[:reach]
        if find_steering(text) or any(map(find_steering, _beside(message, reach))):
            steering.append(Flag("steering_attempt", detail, index))
        unread -= len(text)
        if unread <= 0:
            unread = CHARACTERS_A_TURN
            await asyncio.sleep(0)
    longer = (index for index, message in enumerate(case.log.messages) if len(message.content) > reach)
    unseen = f"text that talks to the judge was looked for in the first {reach} characters only"
    cut = (Flag("text_cut", unseen, index) for index in islice(longer, MOST_CUT_FLAGS))
    return (*flags, *steering, *cut, *unread_flags(case.log))


def _beside(message: Message, reach: int) -> Iterator[str]:
    """The texts of a message's parts that a prompt may show."""
    for part in message.parts:
        match part:
            case ItemsPart():
                for card in part.cards:
                    item = card.item
                    yield "\n".join((item.title, item.description or "") if item else (card.reference,))[
                        :reach
                    ]
            case ImagePart():
                yield (part.alt or "")[:reach]
            case ToolCall():
                yield part.arguments[:reach]
            case ToolResult():
                yield part.content[:reach]


def factor_flags(inquiry: Inquiry, factor: Factor, group: Sequence[Factor]) -> tuple[Flag, ...]:
    """Flags that hold for a factor's verdict however it comes out."""
    return tuple(_factor_flags(inquiry, factor, group))


def _factor_flags(inquiry: Inquiry, factor: Factor, group: Sequence[Factor]) -> Iterator[Flag]:
    case = inquiry.case
    yield from cut_flags(case, tools=sees_tools(group))
    needs = {need for each in group for need in (*each.needs, *each.uses)}
    if Need.RECOMMENDATIONS in needs and not reads_text(case):
        yield from list_cut(case)
    if Need.GROUND_TRUTH in needs:
        yield from wanted_cut(case)
    if sees_tools(group):
        yield from sources_cut(case)
    if Need.RECOMMENDATIONS in factor.needs and reads_text(case):
        yield Flag("list_from_text", "the log has no lists to read: the judge took the items from the text")
    if factor.slug == BY_PREFERENCES and not case.log.ground_truth:
        detail = "no ground truth was given: judged against the preferences that the user expressed"
        yield Flag("judged_on_preferences", detail)
    if inquiry.grouping is not Grouping.SEPARATE and len(group) > 1:
        detail = (
            f"judged in one call with {len(group) - 1} other factors: such scores pull at one another, and how "
            "well they agree with people is not measured"
        )
        yield Flag("grouped", detail)
