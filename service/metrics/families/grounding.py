"""Grounding: replies held against what tools answered, the log's items and the catalogue, and against the user's wishes.

The definitions are our own; docs/grounding.md says what is checked, and what is left alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..figures import Figure, Scope, Undefined, Unit, View
from ..log_index import LogIndex
from ..metric import Example, Family, Json, LogMetric, Need, Worked, conversation
from ..reading import Cuts, Reading

Checked = Callable[[LogIndex], Iterator[tuple[int, bool]]]
"""Statements that were checked for a log: the message of each, and whether it is at fault."""

Turns = Mapping[int, tuple[int, int]]
_NOTHING: Turns = MappingProxyType({})
"""For each thing that could be checked: the message of its reply, and whether it is at fault."""


def shown_not_offered(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Share of the items shown that no result of a tool before the reply holds."""
    reason = (
        Undefined.NO_RECOMMENDATION
        if any(reading.of(_has_offers) for reading in readings)
        else Undefined.NO_TOOL_RESULTS
    )
    yield from _shares("shown_not_offered", readings, _not_offered, reason, View.LISTS)


def misstated(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Share of the statements about items, on cards and in texts, that the source contradicts."""
    yield from _shares("misstated", readings, _misstated, Undefined.NOTHING_CHECKED)


def constraint_violations(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Share of the items shown whose data answer a wish of the user's, that go against one."""
    wishes = any(reading.of(_has_wishes) for reading in readings)
    reason = Undefined.NOTHING_CHECKED if wishes else Undefined.NO_WISHES
    yield from _shares("constraint_violations", readings, _against_wishes, reason, View.LISTS)


def unused_results(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Share of the results with items of which no later reply shows or names any."""
    yield from _shares("unused_results", readings, _unused, Undefined.NO_TOOL_RESULTS)


def tool_errors_passed_over(readings: Sequence[Reading], _: Cuts) -> Iterator[Figure]:
    """Share of the failed results that the reply after them does not own up to."""
    tools = any(reading.of(_has_results) for reading in readings)
    reason = Undefined.NO_TOOL_ERRORS if tools else Undefined.NO_TOOL_RESULTS
    yield from _shares("tool_errors_passed_over", readings, _passed_over, reason)


def _shares(
    metric: str, readings: Sequence[Reading], checked: Checked, reason: Undefined, view: View | None = None
) -> Iterator[Figure]:
    """The share over whole sessions, and over each turn in which any session has something to check."""
    counts = [reading.of(ByTurn(checked)) for reading in readings]
    numbers = sorted({turn for turns in counts for turn in turns})
    for turn in (None, *numbers):
        faults, known = (
            np.array([_counted(turns, turn) for turns in counts], dtype=np.float64).reshape(-1, 2).T
        )
        scope = Scope.SESSION if turn is None else Scope.TURN
        number = None if turn is None else turn + 1
        yield Figure(metric, Unit.SHARE, faults, known, reason, view, scope, turn=number)


def _counted(turns: Turns, turn: int | None) -> tuple[int, int]:
    if turn is not None:
        return turns.get(turn, (0, 0))
    return sum(faults for faults, _ in turns.values()), sum(known for _, known in turns.values())


@dataclass(frozen=True, slots=True)
class ByTurn:
    """Counts, for each turn, how many are at fault, of how many."""

    checked: Checked

    def __call__(self, log_index: LogIndex) -> Turns:
        """Return the counts of a log."""
        turns = {at: turn for turn, one in enumerate(log_index.log.turns) for at in one.assistant}
        found: dict[int, tuple[int, int]] = {}
        for message, fault in self.checked(log_index):
            faults, known = found.get(turns[message], (0, 0))
            found[turns[message]] = (faults + fault, known + 1)
        return found or _NOTHING


def _has_offers(log_index: LogIndex) -> bool:
    return any(one.holds_items for one in log_index.grounding.sources.results)


def _has_results(log_index: LogIndex) -> bool:
    return bool(log_index.grounding.sources.results)


def _has_wishes(log_index: LogIndex) -> bool:
    return log_index.grounding.has_wishes


def _not_offered(log_index: LogIndex) -> Iterator[tuple[int, bool]]:
    for one in log_index.grounding.shown:
        if one.offered is not None:
            yield one.message, not one.offered


def _misstated(log_index: LogIndex) -> Iterator[tuple[int, bool]]:
    yield from ((one.message, not one.holds) for one in log_index.grounding.statements)


def _against_wishes(log_index: LogIndex) -> Iterator[tuple[int, bool]]:
    for one in log_index.grounding.shown:
        if one.against is not None:
            yield one.message, bool(one.against)


def _unused(log_index: LogIndex) -> Iterator[tuple[int, bool]]:
    yield from ((reply, fault) for _, reply, fault in log_index.grounding.unused)


def _passed_over(log_index: LogIndex) -> Iterator[tuple[int, bool]]:
    yield from ((reply, fault) for _, reply, fault in log_index.grounding.errors)


def _searched(result: str, reply: Json) -> Json:
    """A log for an example: a wish, a search, its result, a reply."""
    call = {"type": "tool_call", "name": "search", "id": "c1", "arguments": '{"query": "jacket"}'}
    answer = {"type": "tool_result", "call": "c1", "content": result}
    return {
        "messages": [
            {"role": "user", "content": "A rain jacket, please."},
            {"role": "assistant", "content": "", "parts": [call]},
            {"role": "tool", "content": "", "parts": [answer]},
            {"role": "assistant", **reply},
        ]
    }


_FOUND = '[{"title": "Fellwind Shell", "price": 109, "currency": "EUR"}, {"title": "Moorland Parka", "price": 89, "currency": "EUR"}]'
_PRICED = [
    {"title": "Fellwind Shell", "price": 109, "currency": "EUR", "attributes": {"colour": ["green"]}},
    {"title": "Moorland Parka", "price": 89, "currency": "EUR", "attributes": {"colour": ["blue"]}},
    {"title": "Skerry Coat", "price": 139, "currency": "EUR", "attributes": {"colour": ["red"]}},
]

FAMILY = Family(
    45,
    (
        LogMetric(
            name="shown_not_offered",
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.TOOLS),
            says="of the items shown after a tool offered items, the share that no result before the reply holds",
            example=Example(
                logs=[
                    _searched(
                        _FOUND, {"content": "These:", "recommendations": ["Fellwind Shell", "Drizzle Zip"]}
                    )
                ],
                worked="The tool offered the first of two items shown, and not the second: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
            compute=shown_not_offered,
            reads=(ByTurn(_not_offered), _has_offers),
        ),
        LogMetric(
            name="misstated",
            needs=(Need.TOOLS,),
            says="of the prices, ratings, stocks and attributes that replies state on cards and in texts, and that a source "
            "answers, the share that it contradicts",
            example=Example(
                logs=[
                    _searched(
                        _FOUND,
                        {"content": "Fellwind Shell costs 99 euros and Moorland Parka costs 89 euros."},
                    )
                ],
                worked="The tool says 109 and 89 euros, the reply 99 and 89: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
            compute=misstated,
            reads=(ByTurn(_misstated),),
        ),
        LogMetric(
            name="constraint_violations",
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.ITEMS),
            says="of the items shown whose data answer a wish (`user.attributes`, a price limit, a value named or excluded), the "
            "share that goes against one",
            example=Example(
                logs=[
                    conversation(
                        "A rain jacket under 120 euros, please. Not blue.",
                        ("These:", [str(one["title"]) for one in _PRICED]),
                        items=_PRICED,
                    )
                ],
                worked="Of three jackets one costs 139 euros and one is blue: 2/3.",
                values=[Worked({"scope": "session"}, 2 / 3), Worked({"turn": 1}, 2 / 3)],
            ),
            compute=constraint_violations,
            reads=(ByTurn(_against_wishes), _has_wishes),
        ),
        LogMetric(
            name="unused_results",
            needs=(Need.TOOLS,),
            says="of the tools' results that offer items, the share of which no later reply shows or names any",
            example=Example(
                logs=[
                    _searched(_FOUND, {"content": "Take the Moorland Parka."}),
                    _searched(_FOUND, {"content": "What will you use it for?"}),
                ],
                worked="Of two results the first is used, the second is not: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
            compute=unused_results,
            reads=(ByTurn(_unused),),
        ),
        LogMetric(
            name="tool_errors_passed_over",
            needs=(Need.TOOLS,),
            says="of the tools' failures, the share that the reply passes over: it says of nothing that it is missing, and no "
            "second call succeeded before it",
            example=Example(
                logs=[
                    _searched(
                        '{"error": "service unavailable"}',
                        {"content": "Sorry, I cannot look up jackets just now."},
                    ),
                    _searched(
                        '{"error": "service unavailable"}', {"content": "The best one is the Drizzle Zip."}
                    ),
                ],
                worked="Of two failures the first is admitted, the second is not: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
            compute=tool_errors_passed_over,
            reads=(ByTurn(_passed_over), _has_results),
        ),
    ),
)
