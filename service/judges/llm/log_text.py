"""A log as a model reads it: numbered messages between delimiters that no message can forge, each with what it showed; and the material
that a factor needs beside them."""

from collections.abc import Iterator, Mapping, Sequence

from ...domain.conversation import ConversationLog, Message, Role
from ...domain.parts import UNSEEN, ImagePart, ItemsPart, Part, TextPart, ToolCall, ToolResult
from ...domain.rubric import Factor, Need, Scale
from ...domain.verdict import Flag, Scored, Verdict
from ...prompts import neutralise, one_line
from ..evaluation import JudgeInput
from .items import (
    card_line,
    membership,
    mentioned_items,
    reads_text,
    recommended_items,
    source_lines,
    wanted_items,
)

LOG_REVISION = 5
"""Raised with every change of how a log or its material is written down."""

SEES_TOOLS = frozenset({"groundness"})
"""Factors whose prompts show calls of tools and what they answered: the user saw neither."""

MOST_SHOWN = 400
"""Items that a log's replies show in a prompt, over the whole session."""
TOOL_CHARACTERS = 24_000
"""Characters that calls of tools and their results take in a prompt, over the whole session."""

_SPEAKER = {Role.USER: "user", Role.ASSISTANT: "recommender", Role.TOOL: "tool"}
GOES_ON = "The conversation is still going on: that it has no end yet is no fault."


def render_log(judge_input: JudgeInput, *, tools: bool = False) -> str:
    """History and interaction, one message a line; further lines of a message are indented, so that
    a line that begins with a number in brackets is always ours. Items come with the reply that showed them,
    between tags, which no text can hold. `tools`: calls of tools and their results are shown too."""
    return _Rendering(judge_input, tools).text()


def sees_tools(factors: Sequence[Factor]) -> bool:
    """Return whether the prompt about these factors shows what tools were asked and answered."""
    return any(factor.slug in SEES_TOOLS for factor in factors)


def has_tools(log: ConversationLog) -> bool:
    """Return whether a log holds calls of tools or what they answered."""
    return any(
        isinstance(part, UNSEEN) for message in (*log.history, *log.messages) for part in message.parts
    )


def cut_flags(judge_input: JudgeInput, *, tools: bool) -> tuple[Flag, ...]:
    """Return flags for items and tool results that do not fit into a prompt."""
    return tuple(_Rendering(judge_input, tools).flags())


def indented(text: str) -> str:
    """Neutralise untrusted text for one line of the prompt, and indent its further lines."""
    return neutralise(text).strip("\n").replace("\n", "\n    ")


def message_lines(log: ConversationLog) -> Iterator[str]:
    """Each message of a log with its number, further lines indented."""
    return _Rendering(JudgeInput(log), tools=False).messages(log.messages, "")


class _Rendering:
    def __init__(self, judge_input: JudgeInput, tools: bool) -> None:
        self._judge_input, self._tools = judge_input, tools
        messages = (*judge_input.log.history, *judge_input.log.messages)
        lists = [len(message.cards) for message in messages]
        self._room = dict(zip(map(id, messages), even_shares(lists, MOST_SHOWN), strict=True))
        self._lists = sum(lists)
        talk = [part for message in messages for part in message.parts if tools and _length(part)]
        self._length = dict(
            zip(map(id, talk), even_shares(list(map(_length, talk)), TOOL_CHARACTERS), strict=True)
        )
        self._talk = talk

    def text(self) -> str:
        log = self._judge_input.log
        lines = ["<log>"]
        if log.history:
            lines += ["History", *self.messages(log.history, "h")]
        lines += ["Interaction", *self.messages(log.messages, "")]
        if not log.complete:
            lines.append(GOES_ON)
        return "\n".join([*lines, "</log>"])

    def flags(self) -> Iterator[Flag]:
        if self._lists > MOST_SHOWN:
            detail = f"the prompt shows {MOST_SHOWN} of {self._lists} items in the replies' places, each list cut alike"
            yield Flag("material_cut", detail)
        whole = sum(map(_length, self._talk))
        if whole > TOOL_CHARACTERS:
            detail = f"the prompt holds {TOOL_CHARACTERS} of {whole} characters of tools' calls and results, the longest cut"
            yield Flag("material_cut", detail)

    def messages(self, messages: Sequence[Message], mark: str) -> Iterator[str]:
        for index, message in enumerate(messages):
            if message.is_seen or (self._tools and message.parts):
                lines = [part for part in self._parts(message) if part]
                said = "\n    ".join(lines)
                yield f"[{mark}{index}] {_SPEAKER[message.role]}: {said}"

    def _parts(self, message: Message) -> Iterator[str]:
        ordered = any(isinstance(part, TextPart) for part in message.parts)
        if not ordered:
            yield indented(message.content)
        if not message.parts and message.recommendations:
            yield from self._cards(message, None)
        for part in message.parts:
            match part:
                case TextPart():
                    yield indented(part.text)
                case ItemsPart():
                    yield from self._cards(message, part)
                case ImagePart():
                    yield f"<image>{one_line(part.alt) if part.alt else 'not described'}</image>"
                case ToolCall() | ToolResult() if self._tools:
                    yield self._tool(part)

    def _cards(self, message: Message, part: ItemsPart | None) -> Iterator[str]:
        cards = message.cards if part is None else part.cards
        lists = [one for one in message.parts if isinstance(one, ItemsPart)]
        before = sum(len(one.cards) for one in lists[: lists.index(part)]) if part else 0
        room = max(0, min(len(cards), self._room[id(message)] - before))
        layout = f' layout="{part.layout}"' if part and part.layout else ""
        yield f"<shown{layout}>"
        yield from (
            f"{number}. {card_line(card, self._judge_input)}" for number, card in enumerate(cards[:room], 1)
        )
        if room < len(cards):
            yield f"and {len(cards) - room} more"
        yield "</shown>"

    def _tool(self, part: ToolCall | ToolResult) -> str:
        """Render a call or a result between tags, with its id where it has one."""
        call = isinstance(part, ToolCall)
        room = self._length.get(id(part), 0)
        body = indented(part.body[:room]) + (" (cut)" if room < len(part.body) else "")
        name = _attribute("name", part.name)
        link = _attribute("id", part.id) if isinstance(part, ToolCall) else _attribute("call", part.call)
        error = ' error="true"' if isinstance(part, ToolResult) and part.error else ""
        tag = "tool_call" if call else "tool_result"
        return f"<{tag}{link}{name}{error}>{body}</{tag}>"


def even_shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much of each may stay where all together may take `room`: one bound for all, so that only
    the longest are cut. In [1, 9, 9] with room for 11 the shares are [1, 5, 5]."""
    if sum(sizes) <= room:
        return list(sizes)
    left, bound = room, 0
    ordered = sorted(sizes)
    for place, size in enumerate(ordered):
        bound = left // (len(ordered) - place)
        if size > bound:
            break
        left -= size
    return [min(size, bound) for size in sizes]


def _attribute(name: str, value: str | None) -> str:
    return f' {name}="{one_line(value)[:100].replace(chr(34), chr(39))}"' if value else ""


def _length(part: Part) -> int:
    return len(part.body) if isinstance(part, ToolCall | ToolResult) else 0


DESCRIBED = frozenset({"groundness", "diversity", "novelty", "effectiveness"})
"""Factors whose prompts say what is known of the items."""

IN_LISTS = "semantic-relevance"
"""The factor that asks whether the items of the text are in the lists."""


def confided(judge_input: JudgeInput, factor: Factor) -> frozenset[Need]:
    """Return the inputs in the log that this factor's judge may see and other factors' judges may not."""
    known = {
        Need.GROUND_TRUTH: bool(judge_input.log.ground_truth),
        Need.PREFERENCES: bool(judge_input.log.user and judge_input.log.user.preferences),
        Need.THOUGHTS: True,
        Need.VERDICTS: True,
    }
    return frozenset(need for need in (*factor.needs, *factor.uses) if known.get(need))


def render_material(
    judge_input: JudgeInput,
    factors: Sequence[Factor],
    verdicts: Sequence[Verdict],
    scales: Mapping[str, Scale],
    faulted: Sequence[Factor] = (),
) -> str:
    """Return the available input that these factors need beside the messages, or nothing. For `faulted`
    factors, those judged by faults, it holds the facts of items and the sources."""
    needs = {need for factor in factors for need in (*factor.needs, *factor.uses)}
    describe = any(factor.slug in DESCRIBED for factor in factors)
    parts = [
        *(
            recommended_items(judge_input, describe, wanted=Need.GROUND_TRUTH in needs)
            if Need.RECOMMENDATIONS in needs
            else ()
        ),
        *(wanted_items(judge_input, describe) if Need.GROUND_TRUTH in needs else ()),
        *(_preferences(judge_input) if Need.PREFERENCES in needs else ()),
        *(_thoughts(judge_input) if Need.THOUGHTS in needs else ()),
        *(_scores(verdicts, factors, scales) if Need.VERDICTS in needs else ()),
    ]
    unlisted = [factor for factor in factors if Need.RECOMMENDATIONS not in factor.needs]
    if any(factor.slug in DESCRIBED for factor in (*unlisted, *faulted)):
        # Statements about a title are compared with the known facts, whether the title is in a list or not.
        parts += mentioned_items(judge_input, parts)
    if sees_tools((*factors, *faulted)):
        parts += source_lines(judge_input)
    if any(factor.slug == IN_LISTS for factor in factors) and not reads_text(judge_input):
        parts += membership(judge_input)
    return "\n".join(["<material>", *parts, "</material>"]) if parts else ""


def _preferences(judge_input: JudgeInput) -> Iterator[str]:
    if judge_input.log.user is not None and judge_input.log.user.preferences:
        yield f"The user's general preferences: {indented(judge_input.log.user.preferences)}"


def _thoughts(judge_input: JudgeInput) -> Iterator[str]:
    yield "What the user felt at each message, as noted in private:"
    for index, message in enumerate(judge_input.log.messages):
        if message.thoughts:
            yield f"[{index}] {indented(message.thoughts)}"


def _scores(
    verdicts: Sequence[Verdict], factors: Sequence[Factor], scales: Mapping[str, Scale]
) -> Iterator[str]:
    own = {factor.slug for factor in factors}
    yield "Scores of single abilities:"
    for verdict in verdicts:
        if isinstance(verdict, Scored) and verdict.factor not in own:
            scale = scales[verdict.factor]
            value = f"{verdict.score:g} on a scale from {scale.min} (worst) to {scale.max} (best)"
            yield f"- {verdict.factor}: {value}. {indented(verdict.rationale)}"
