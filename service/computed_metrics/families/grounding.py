"""Grounding: replies held against what tools answered, the log's items and the catalogue, and against the user's wishes.

The definitions are our own; docs/grounding.md says what is checked, and what is left alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..figures import Figure, Scope, Undefined, Unit, View
from ..log_index import Cuts, LogContext, LogIndex
from ..metric import Example, Family, Json, LogMetric, Need, Worked, conversation

Checked = Callable[[LogIndex], Iterator[tuple[int, bool]]]
"""Statements that were checked for a log: the message of each, and whether it is at fault."""

Turns = Mapping[int, tuple[int, int]]
_NOTHING: Turns = MappingProxyType({})
"""For each thing that could be checked: the message of its reply, and whether it is at fault."""


def _metric(
    name: str,
    checked: Checked,
    missing: Undefined,
    *,
    has: Callable[[LogIndex], bool] | None = None,
    empty: Undefined = Undefined.NOTHING_CHECKED,
    view: View | None = None,
    **about: Any,
) -> LogMetric:
    """The share of statements at fault, over whole sessions and over each turn in which any session has one that was checked.

    Where none was, the figure says that logs are `missing` what they are checked by, or `empty` where any of them `has` it."""

    def by_turn(log_index: LogIndex) -> Turns:
        """Count, for each turn, how many are at fault, of how many."""
        turns = {at: turn for turn, one in enumerate(log_index.log.turns) for at in one.assistant}
        found: dict[int, tuple[int, int]] = {}
        for message, fault in checked(log_index):
            faults, known = found.get(turns[message], (0, 0))
            found[turns[message]] = (faults + fault, known + 1)
        return found or _NOTHING

    def compute(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
        reason = empty if has and any(context.of(has) for context in contexts) else missing
        counts = [context.of(by_turn) for context in contexts]
        numbers = sorted({turn for turns in counts for turn in turns})
        for turn in (None, *numbers):
            faults, known = (
                np.array([_counted(turns, turn) for turns in counts], dtype=np.float64).reshape(-1, 2).T
            )
            scope = Scope.SESSION if turn is None else Scope.TURN
            number = None if turn is None else turn + 1
            yield Figure(name, Unit.SHARE, faults, known, reason, view, scope, turn=number)

    reads = (by_turn, has) if has else (by_turn,)
    return LogMetric(name=name, views=(view,) if view else (), compute=compute, reads=reads, **about)


def _counted(turns: Turns, turn: int | None) -> tuple[int, int]:
    if turn is not None:
        return turns.get(turn, (0, 0))
    return sum(faults for faults, _ in turns.values()), sum(known for _, known in turns.values())


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
        _metric(
            name="shown_not_offered",
            checked=lambda index: (
                (one.message, not one.offered) for one in index.grounding.shown if one.offered is not None
            ),
            has=lambda index: any(one.holds_items for one in index.grounding.sources.results),
            empty=Undefined.NO_RECOMMENDATION,
            missing=Undefined.NO_TOOL_RESULTS,
            view=View.LISTS,
            needs=(Need.LISTS, Need.TOOLS),
            says="Share of the shown items that no tool result before the reply holds. Only items shown after a tool offered items "
            "count.",
            example=Example(
                logs=[
                    _searched(
                        _FOUND, {"content": "These:", "recommendations": ["Fellwind Shell", "Drizzle Zip"]}
                    )
                ],
                worked="The tool offered the first of two items shown, and not the second: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
        ),
        _metric(
            name="misstated",
            checked=lambda index: ((one.message, not one.holds) for one in index.grounding.statements),
            missing=Undefined.NOTHING_CHECKED,
            needs=(Need.TOOLS,),
            says="Share of statements that a source contradicts. Prices, ratings, stocks and attributes count, on cards and in "
            "texts, if a source has them.",
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
        ),
        _metric(
            name="constraint_violations",
            checked=lambda index: (
                (one.message, bool(one.against)) for one in index.grounding.shown if one.against is not None
            ),
            has=lambda index: index.grounding.has_wishes,
            missing=Undefined.NO_WISHES,
            view=View.LISTS,
            needs=(Need.LISTS, Need.ITEMS),
            says="Share of the shown items that break a wish. Wishes are `user.attributes`, price limits, and values that the user "
            "names or excludes. Only items whose data answer a wish count.",
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
        ),
        _metric(
            name="unused_results",
            checked=lambda index: ((reply, fault) for _, reply, fault in index.grounding.unused),
            missing=Undefined.NO_TOOL_RESULTS,
            needs=(Need.TOOLS,),
            says="Share of tool results with items that no later reply uses: it shows and names none of the items.",
            example=Example(
                logs=[
                    _searched(_FOUND, {"content": "Take the Moorland Parka."}),
                    _searched(_FOUND, {"content": "What will you use it for?"}),
                ],
                worked="One of two results is used: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
        ),
        _metric(
            name="tool_errors_passed_over",
            checked=lambda index: ((reply, fault) for _, reply, fault in index.grounding.errors),
            has=lambda index: bool(index.grounding.sources.results),
            empty=Undefined.NO_TOOL_ERRORS,
            missing=Undefined.NO_TOOL_RESULTS,
            needs=(Need.TOOLS,),
            says="Share of failed tool calls that the reply hides: it does not say that anything is missing, and no second call "
            "succeeded before it.",
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
                worked="One of two replies admits the failure: 1/2.",
                values=[Worked({"scope": "session"}, 0.5), Worked({"turn": 1}, 0.5)],
            ),
        ),
    ),
)
