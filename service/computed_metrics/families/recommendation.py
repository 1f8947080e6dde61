"""Quality of recommendations: recall, success, turns to success, acceptance.

Definitions: CONCEPT section 3 and appendix B.2.4 with the rules that reproduce its tables 3 and
12 to 14; `recall` with scope session is CoRE's, with scope turn PEPPER's. Reward per dialogue length and the
success-rate ratio: Bernard and Balog (2025)."""

import math
from collections.abc import Iterator, Sequence

from ...domain.conversation import ConversationLog, Role
from ..figures import Figure, Parts, Scope, Undefined, Unit, View, parts, turn_parts
from ..log_index import Cuts, LogContext, LogIndex, accepting_message, lists, wanted
from ..metric import Example, Family, LogMetric, Need, Worked, conversation

# CONCEPT's sessions have ten rounds: an acceptance in the eleventh user message comes after the end.
ROUNDS = 10


def recall(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Share of the wanted items (targets) that are in a list cut at `k`. The three scopes are explained below the table."""
    reason = lists_and_targets(contexts)
    for k in cuts.lengths:
        yield last_recall(contexts, k)
        session = (
            context.session_recall(k, cuts.list_cutoff) if can_recall(context) else None
            for context in contexts
        )
        yield _recall(parts(session), reason, Scope.SESSION, k)
        by_turn = [context.turn_recalls(k) if can_recall(context) else [] for context in contexts]
        for turn, values in turn_parts(by_turn):
            yield _recall(values, reason, Scope.TURN, k, turn)


def last_recall(contexts: Sequence[LogContext], k: int | None) -> Figure:
    """Share of the targets in the last turn's list."""
    values = (context.turn_recalls(k)[-1] if can_recall(context) else None for context in contexts)
    return _recall(parts(values), lists_and_targets(contexts), Scope.LAST, k)


def success_rate(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Share of sessions with a success within `turn` turns. View `lists`: the first item of a list is a target. View
    `text`: the reply names a target."""
    for view in (View.LISTS, View.TEXT):
        for within in cuts.rounds:
            yield success(contexts, view, within)


def success(contexts: Sequence[LogContext], view: View, within: int | None) -> Figure:
    """Share of sessions with a success within so many turns, or at all."""
    firsts = _first_successes(contexts, view)
    values = (None if first is None else float(_within(first, within)) for first in firsts)
    return Figure("success_rate", Unit.SHARE, *parts(values), _no_success(contexts, view), view, turn=within)


def average_turns(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Turn of the first success, as a mean over the sessions with a success within `turn` turns."""
    for view in (View.LISTS, View.TEXT):
        firsts = _first_successes(contexts, view)
        able = any(first is not None for first in firsts)
        reason = Undefined.NO_SUCCESS if able else _no_success(contexts, view)
        for within in cuts.rounds:
            values = (first + 1 if first is not None and _within(first, within) else None for first in firsts)
            yield Figure("average_turns", Unit.TURNS, *parts(values), reason, view, turn=within)


def acceptance_rate(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Share of sessions in which the user accepted (`outcome.accepted`)."""
    values = (None if context.accepted is None else float(context.accepted) for context in contexts)
    yield Figure("acceptance_rate", Unit.SHARE, *parts(values), Undefined.NO_OUTCOME, View.USER)


def turns_to_acceptance(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Number of the user's message that accepts, as a mean over sessions. The user's first message has number 1. With
    `turn` 10, later acceptances are left out. With `turn` null, all count. CONCEPT leaves out acceptances in the
    eleventh message; so does `matching: published`, in both rows."""
    reason = without_acceptance(contexts)
    places = [_counted_place(context) for context in contexts]
    for within in (ROUNDS, None):
        values = (None if p is None or (within and p > within) else float(p) for p in places)
        yield Figure("turns_to_acceptance", Unit.TURNS, *parts(values), reason, View.USER, turn=within)


def reward_per_dialogue_length(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Mean over sessions. A session with a success counts 1 divided by the number of its messages, the user's and the
    recommender's. Another session counts 0. Views `lists` and `text`: a success of `success_rate`. View `user`:
    `outcome.accepted`."""
    for view, successes, reason in _successes(contexts):
        values = (
            None if success is None else success / _messages(context.log)
            for success, context in zip(successes, contexts, strict=True)
        )
        yield Figure("reward_per_dialogue_length", Unit.RATIO, *parts(values), reason, view)


def _messages(log: ConversationLog) -> int:
    """Return how many messages the user and the recommender said, at least 1."""
    return max(1, sum(message.role is not Role.TOOL and message.is_seen for message in log.messages))


def success_rate_ratio(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Mean over sessions. A session counts its successful turns divided by its turns with a recommendation, and 0 if it
    has none. Views `lists` and `text`: successes of `success_rate`. View `user`: 1 if the user accepted, divided by the
    turns that recommend in a list or in text."""
    ways = (_list_rounds, _text_rounds, _rounds)
    for (view, successes, reason), count in zip(_successes(contexts), ways, strict=True):
        counts = (context.of(count) for context in contexts)
        values = (
            None if success is None else won / rounds if rounds else 0.0
            for success, (won, rounds) in zip(successes, counts, strict=True)
        )
        yield Figure("success_rate_ratio", Unit.SHARE, *parts(values), reason, view)


def _successes(contexts: Sequence[LogContext]) -> Iterator[tuple[View, list[bool | None], Undefined]]:
    """For lists, text and user: whether each session succeeds, and the reason why that may be unknown."""
    for view in (View.LISTS, View.TEXT):
        firsts = _first_successes(contexts, view)
        yield (
            view,
            [None if first is None else first < math.inf for first in firsts],
            _no_success(contexts, view),
        )
    yield View.USER, [context.accepted for context in contexts], Undefined.NO_OUTCOME


def _list_rounds(log_index: LogIndex) -> tuple[int, int]:
    """Return how many lists open with a target, and how many lists show anything."""
    return sum(hit.position == 0 for hit in log_index.hits()), sum(map(bool, log_index.lists))


def _text_rounds(log_index: LogIndex) -> tuple[int, int]:
    """Return how many turns name a target among their recommendations, and how many recommend in their text."""
    turns = [turn for turn, titles in enumerate(log_index.recommended) if titles]
    return sum(log_index.names_target(log_index.reply(turn)) for turn in turns), len(turns)


def _rounds(log_index: LogIndex) -> tuple[int, int]:
    """Return 1 for a user who accepted, and how many turns recommend in a list or in their text."""
    turns = zip(log_index.lists, log_index.recommended, strict=True)
    outcome = log_index.log.outcome
    return int(outcome is not None and outcome.accepted), sum(bool(shown or named) for shown, named in turns)


def lists_and_targets(contexts: Sequence[LogContext]) -> Undefined:
    """Return what is missing where no log has both lists and targets."""
    if not any(context.wanted for context in contexts):
        return Undefined.NO_TARGETS
    return Undefined.NO_LISTS


def without_acceptance(contexts: Sequence[LogContext]) -> Undefined:
    """Return what is missing where no log tells in which message it was accepted."""
    accepted = [context for context in contexts if context.accepted]
    if accepted and all(accepting_message(context.log) is None for context in accepted):
        return Undefined.NO_MESSAGE
    known = any(context.accepted is not None for context in contexts)
    return Undefined.NO_ACCEPTANCE if known else Undefined.NO_OUTCOME


def _counted_place(context: LogContext) -> int | None:
    """The place of the accepting message among the user's, the opening one being 1; None where it is not counted."""
    at = accepting_message(context.log)
    if at is None:
        return None
    place = sum(message.role is Role.USER for message in context.log.messages[: at + 1])
    return None if context.published and place > ROUNDS else place


def can_recall(context: LogContext) -> bool:
    """Return whether a log has both targets and lists."""
    return bool(context.wanted) and context.has_lists


def _recall(values: Parts, reason: Undefined, scope: Scope, k: int | None, turn: int | None = None) -> Figure:
    return Figure("recall", Unit.SHARE, *values, reason, View.LISTS, scope, k, turn)


def _first_successes(contexts: Sequence[LogContext], view: View) -> list[float | None]:
    """The first turn that succeeds, from 0; infinite where none does, None where a log cannot tell."""
    firsts: list[float | None] = []
    for context in contexts:
        if view is View.LISTS:
            able = can_recall(context)
            first = next((hit.turn for hit in context.hits if hit.position == 0), None)
        else:
            able = bool(context.wanted and context.turns)
            first = context.of(_first_text_success)
        firsts.append(None if not able else math.inf if first is None else first)
    return firsts


def _first_text_success(log_index: LogIndex) -> int | None:
    """The first turn whose text names a target."""
    return next((t for t in range(log_index.turns) if log_index.names_target(log_index.reply(t))), None)


def _no_success(contexts: Sequence[LogContext], view: View) -> Undefined:
    """Return what is missing where no log can tell of a success."""
    if view is View.LISTS:
        return lists_and_targets(contexts)
    return Undefined.NO_TURNS if any(context.wanted for context in contexts) else Undefined.NO_TARGETS


def _within(first: float, turns: int | None) -> bool:
    return first < (math.inf if turns is None else turns)


_AMBER, _BLUE, _CEDAR, _DELTA = (
    "Amber Coast (2001)",
    "Blue Ferry (2002)",
    "Cedar Road (2003)",
    "Delta Nine (2004)",
)

_TWO_LISTS = conversation(
    "A film, please.",
    ("Which kind?", [_CEDAR, _AMBER]),
    "A quiet one.",
    ("Perhaps these.", [_AMBER, _BLUE, _CEDAR, _DELTA]),
    ground_truth=[_AMBER, _BLUE],
)
_THREE_SESSIONS = (
    conversation("Hi.", (f"Try {_AMBER}.", [_AMBER]), ground_truth=[_AMBER]),
    conversation(
        "Hi.",
        (f"Try {_BLUE}.", [_BLUE]),
        "No.",
        (f"Then {_CEDAR}.", [_CEDAR, _AMBER]),
        "No.",
        (f"Then {_AMBER}.", [_AMBER]),
        ground_truth=[_AMBER],
    ),
    conversation("Hi.", (f"Try {_BLUE}.", [_BLUE]), ground_truth=[_AMBER]),
)
_JUDGED_SESSIONS = [
    {**session, "outcome": {"accepted": accepted}}
    for session, accepted in zip(_THREE_SESSIONS, (True, True, False), strict=True)
]
_ACCEPTED = (
    conversation("Hi.", "Try this.", "I'll take it.", outcome={"accepted": True, "message": 2}),
    conversation("Hi.", "Try this.", "No.", "That?", "Yes.", outcome={"accepted": True, "message": 4}),
    conversation("Hi.", "Try this.", "No.", outcome={"accepted": False}),
)

FAMILY = Family(
    10,
    (
        LogMetric.of(
            recall,
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.TARGETS),
            example=Example(
                logs=[_TWO_LISTS],
                cuts={"k": [1]},
                worked="Targets A and B. The list C, A holds one: 1/2. The list A, B, C, D holds both: 1. The mean is 3/4. The "
                "last list cut at 1 holds one of two: 1/2.",
                values=[
                    Worked({"scope": "last", "k": None}, 1.0),
                    Worked({"scope": "last", "k": 1}, 0.5),
                    Worked({"scope": "session", "k": None}, 1.0),
                    Worked({"scope": "turn", "turn": 1, "k": None}, 0.5),
                    Worked({"scope": "turn", "turn": None, "k": None}, 0.75),
                ],
            ),
            reads=(wanted, lists, LogIndex.hits),
        ),
        LogMetric.of(
            success_rate,
            views=(View.LISTS, View.TEXT),
            needs=(Need.LISTS, Need.TARGETS),
            example=Example(
                logs=_THREE_SESSIONS,
                cuts={"turns": [2]},
                worked="One session succeeds in turn 1, one in turn 3, one never: 2/3. Within two turns it is 1/3.",
                values=[
                    Worked({"view": "lists", "turn": None}, 2 / 3),
                    Worked({"view": "lists", "turn": 2}, 1 / 3),
                    Worked({"view": "text", "turn": None}, 2 / 3),
                ],
            ),
            reads=(wanted, lists, LogIndex.hits, _first_text_success),
        ),
        LogMetric.of(
            average_turns,
            views=(View.LISTS, View.TEXT),
            unit=Unit.TURNS,
            needs=(Need.LISTS, Need.TARGETS),
            example=Example(
                logs=_THREE_SESSIONS,
                cuts={"turns": [2]},
                worked="One session succeeds in turn 1, one in turn 3, one never: (1 + 3) / 2 = 2. Within two turns it is 1.",
                values=[
                    Worked({"view": "lists", "turn": None}, 2.0),
                    Worked({"view": "lists", "turn": 2}, 1.0),
                    Worked({"view": "text", "turn": None}, 2.0),
                ],
            ),
        ),
        LogMetric.of(
            acceptance_rate,
            views=(View.USER,),
            needs=(Need.OUTCOME,),
            example=Example(
                logs=_ACCEPTED, worked="Two of three users accept: 2/3.", values=[Worked({}, 2 / 3)]
            ),
        ),
        LogMetric.of(
            turns_to_acceptance,
            views=(View.USER,),
            unit=Unit.TURNS,
            needs=(Need.OUTCOME,),
            example=Example(
                logs=_ACCEPTED,
                worked="One user accepts in the second message, one in the third, one never: (2 + 3) / 2 = 2.5.",
                values=[Worked({"turn": None}, 2.5), Worked({"turn": 10}, 2.5)],
            ),
        ),
        LogMetric.of(
            reward_per_dialogue_length,
            views=(View.LISTS, View.TEXT, View.USER),
            unit=Unit.RATIO,
            needs=(Need.LISTS, Need.TARGETS, Need.OUTCOME),
            example=Example(
                logs=_JUDGED_SESSIONS,
                worked="Sessions of two and of six messages succeed, a third fails: (1/2 + 1/6 + 0) / 3 = 2/9.",
                values=[Worked({"view": view}, 2 / 9) for view in ("lists", "text", "user")],
            ),
        ),
        LogMetric.of(
            success_rate_ratio,
            views=(View.LISTS, View.TEXT, View.USER),
            needs=(Need.LISTS, Need.TARGETS, Need.OUTCOME),
            example=Example(
                logs=_JUDGED_SESSIONS,
                worked="The only turn of one session succeeds, the last of three in another, none in a third: (1 + 1/3 + 0) / 3 "
                "= 4/9.",
                values=[Worked({"view": view}, 4 / 9) for view in ("lists", "text", "user")],
            ),
            reads=(_list_rounds, _text_rounds, _rounds),
        ),
    ),
)
