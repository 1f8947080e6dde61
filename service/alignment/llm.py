"""Behavior Alignment from strategies that a language model assigns.

Each side of a dialogue is one call. So the labels of the human side are asked for once, however many systems are compared with
it. Neither side's labels lean on the other's replies."""

import asyncio
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..domain.completion import NO_USAGE, Call, ChatMessage, Completion, LLMRequest, Usage
from ..domain.conversation import Message, Role
from ..domain.verdict import JudgeName
from ..judges.llm.answer import Unreadable, last_object
from ..judges.llm.log_text import indented
from ..judges.llm.schemas import as_text, object_schema
from ..llm.answer_text import printable
from ..llm.failures import Answer, ProviderError, soonest
from ..llm.repair import Completer, ask_with_repair, request_to
from ..prompts import render
from .pair import Judged, Pair, Reply, Side, StrategyFinding, compare, majority
from .strategies import ALL, NO_STRATEGY, StrategyName

FOLDER = Path(__file__).parent / "prompts"
PARTS = ("instruction", "repair")
MOST_REPLIES = 60
"""Numbered replies in one call; longer dialogues are labelled in several, each with all before it."""

ANSWER_TOKENS = 90
"""Room for the entry of one reply."""

FRAME_TOKENS = 200
REVISION = 2
"""Raised with every change that reads other labels from the same answer."""

_NAME = {"type": "string", "enum": [name.value for name in StrategyName]}
_ENTRY = object_schema(
    {
        "reply": {"type": "integer"},
        "reason": {"type": "string"},
        "strategy": _NAME,
        "second": {"anyOf": [_NAME, {"type": "null"}]},
    }
)
SCHEMA = as_text(object_schema({"replies": {"type": "array", "items": _ENTRY}}))


@dataclass(frozen=True, slots=True)
class Labelling:
    """Judged pairs, and what it took. `models` are the names that the provider reported, `calls` and
    `hits` count model calls and those answered by the cache; `failures` are codes of calls without
    a usable answer, `retry_after` the seconds after which the model may be asked again, where they are known."""

    judged: tuple[Judged, ...]
    models: tuple[str, ...]
    usage: Usage
    calls: int
    hits: int
    failures: tuple[str, ...]
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class _BatchLabels:
    """The answer of one call: findings by place in its batch, or why there are none."""

    findings: Mapping[int, StrategyFinding]
    failure: tuple[str, str] | None
    retry_after: float | None
    completion: Completion | None
    usage: Usage


class LLMLabeller:
    """Has a model label replies, a whole dialogue in one call, and once more where its answer cannot
    be used."""

    def __init__(self, models: Completer, name: JudgeName, base_url: str) -> None:
        self.name = name
        self._models = models
        self._blank = request_to(name, base_url, schema=SCHEMA, temperature=0.0, seed=0)
        self._texts = {part: (FOLDER / f"{part}.txt").read_text("utf-8") for part in PARTS}

    @property
    def revision(self) -> str:
        """12 hex digits over the prompts, the strategies, and how answers are read."""
        parts = [str(REVISION), SCHEMA, self._instruction(), self._texts["repair"]]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:12]

    async def judge(self, pairs: Sequence[Pair], call: Call, samples: int = 1) -> Labelling:
        """Label both sides of all pairs, all calls at once, and compare. Of several samples the most frequent label counts."""
        batches = list(_batches(pairs))
        blanks = [self._blank]
        if samples > 1:
            blanks = [replace(self._blank, temperature=1.0, seed=draw, draw=draw) for draw in range(samples)]
        async with asyncio.TaskGroup() as group:
            tasks = [
                [group.create_task(self._label(blank, [one for _, one in batch], call)) for blank in blanks]
                for _, batch in batches
            ]
        draws = [[task.result() for task in each] for each in tasks]
        labelled = [one for each in draws for one in each]
        findings: dict[tuple[Side, int], StrategyFinding | str] = {}
        for (side, batch), each in zip(batches, draws, strict=True):
            for place, (index, _) in enumerate(batch, 1):
                why = next((one.failure[1] for one in each if one.failure), "the model gave no label")
                found = [one.findings[place] for one in each if place in one.findings]
                best = majority(found) if samples > 1 else next(iter(found), None)
                findings[side, index] = best or why
        answered = [one.completion for one in labelled if one.completion is not None]
        return Labelling(
            judged=tuple(_judged(index, findings) for index in range(len(pairs))),
            models=tuple(dict.fromkeys(completion.model for completion in answered)),
            usage=sum((one.usage for one in labelled), NO_USAGE),
            calls=len(labelled),
            hits=sum(completion.cached for completion in answered),
            failures=tuple(one.failure[0] for one in labelled if one.failure),
            retry_after=soonest(one.retry_after for one in labelled),
        )

    async def _label(self, blank: LLMRequest, replies: Sequence[Reply], call: Call) -> _BatchLabels:
        count = len(replies)

        def repair(problem: str) -> str:
            return render(self._texts["repair"], problem=problem, count=str(count))

        def problem(text: str) -> str | None:
            return read_labels(text, count)[1]

        answers = await ask_with_repair(self._models, self._request(blank, replies), call, problem, repair)
        labelled = [_batch_labels(answer, count) for answer in reversed(answers)]
        best = max(labelled, key=lambda one: len(one.findings))
        return replace(best, usage=sum((one.usage for one in labelled), NO_USAGE))

    def _request(self, blank: LLMRequest, replies: Sequence[Reply]) -> LLMRequest:
        messages = (ChatMessage("system", self._instruction()), ChatMessage("user", _log_text(replies)))
        return replace(blank, messages=messages, max_tokens=FRAME_TOKENS + ANSWER_TOKENS * len(replies))

    def _instruction(self) -> str:
        lines = [f'- {s.slug.value}: {s.definition} Like: "{s.example}"' for s in ALL]
        return render(self._texts["instruction"], strategies="\n".join(lines), none=NO_STRATEGY.value)


def _batches(pairs: Sequence[Pair]) -> Iterator[tuple[Side, list[tuple[int, Reply]]]]:
    """The replies of each call, each with the place of its pair: those of a dialogue, by turn, side by side; a
    pair of none alone."""
    for side in Side:
        dialogues: dict[object, list[tuple[int, Reply]]] = defaultdict(list)
        for index, pair in enumerate(pairs):
            if (reply := pair.reply(side)) is not None:
                dialogues[index if pair.dialogue is None else pair.dialogue].append((index, reply))
        for replies in dialogues.values():
            ordered = sorted(replies, key=lambda one: pairs[one[0]].turn or 0)
            for start in range(0, len(ordered), MOST_REPLIES):
                yield side, ordered[start : start + MOST_REPLIES]


def _log_text(replies: Sequence[Reply]) -> str:
    """The conversation with its replies numbered, each after what was said before it."""
    lines, written = ["<log>"], tuple[Message, ...]()
    for number, reply in enumerate(replies, 1):
        known = _shared(written, reply.before)
        for message in reply.before[known:]:
            speaker = "user" if message.role is Role.USER else "recommender"
            lines.append(f"[before] {speaker}: {indented(message.content)}")
        lines.append(f"[reply {number}] recommender: {indented(reply.text)}")
        written = (*reply.before, *(Message(Role.ASSISTANT, text) for text in reply.utterances))
    return "\n".join([*lines, "</log>"])


def _shared(written: Sequence[Message], before: Sequence[Message]) -> int:
    """Count the messages at the start of a reply's context that are already written. Return 0 where the
    context starts again (a few messages for each reply)."""
    same = 0
    for ours, theirs in zip(written, before, strict=False):
        if (ours.role, ours.content) != (theirs.role, theirs.content):
            break
        same += 1
    return same if same < len(before) else 0


def read_labels(text: str, count: int) -> tuple[Mapping[int, StrategyFinding], str | None]:
    """The labels of replies 1 to `count`, and what is wrong, if anything is. The last JSON object of an answer that has any counts.
    Labels in other letters or with blanks or hyphens are taken; unknown ones are not."""
    last = last_object(text, {"replies"}, '"replies"')
    if isinstance(last, Unreadable):
        return {}, last.problem
    if not isinstance(last["replies"], list):
        return {}, '"replies" is no list'
    findings: dict[int, StrategyFinding] = {}
    problems: list[str] = []
    for entry in last["replies"]:
        number = entry.get("reply") if isinstance(entry, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= count:
            continue
        finding = _label(entry)
        if isinstance(finding, StrategyFinding):
            findings[number] = finding
        else:
            problems.append(f"reply {number}: {finding}")
    missing = [str(number) for number in range(1, count + 1) if number not in findings]
    if missing and not problems:
        problems.append(f"there is no entry for reply {', '.join(missing[:10])}")
    return findings, "; ".join(problems[:3]) if missing else None


def _label(entry: Mapping[str, Any]) -> StrategyFinding | str:
    first = _name(entry.get("strategy"))
    if first is None:
        return '"strategy" is none of the labels'
    reason = entry.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return '"reason" is missing or empty'
    second = _name(entry.get("second"))
    wavers = second not in {None, first, NO_STRATEGY} and first is not NO_STRATEGY
    return StrategyFinding(
        (first, second) if wavers and second else (first,), reason=printable(reason.strip())
    )


def _name(value: object) -> StrategyName | None:
    if not isinstance(value, str):
        return None
    folded = re.sub(r"[\s-]+", "_", value.strip().lower())
    return StrategyName(folded) if folded in set(StrategyName) else None


def _batch_labels(answer: Answer, count: int) -> _BatchLabels:
    if isinstance(answer, ProviderError):
        return _BatchLabels({}, (answer.code, answer.detail), answer.retry_after, None, answer.usage)
    findings, problem = read_labels(answer.text, count)
    failure = ("unreadable", problem) if problem is not None else None
    return _BatchLabels(findings, failure, None, answer, answer.spent)


def _judged(index: int, findings: dict[tuple[Side, int], StrategyFinding | str]) -> Judged:
    found = {side: findings.get((side, index)) for side in Side}
    failed = [f"{side.value}: {why}" for side, why in found.items() if isinstance(why, str)]
    ours, theirs = (value if isinstance(value, StrategyFinding) else None for value in found.values())
    if failed:
        reason = "; ".join(failed)
        return Judged(ours, theirs, None, None, f"No label for the {reason}.", failure=reason)
    return compare(ours, theirs)
