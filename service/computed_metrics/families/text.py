"""Metrics of the replies' text: variety of words, turns, and when the first recommendation comes."""

from collections.abc import Iterable, Iterator, Sequence, Sized

from ...text.words import distinct
from ..figures import Figure, Undefined, Unit, View, parts
from ..log_index import Cuts, LogContext, LogIndex
from ..metric import Example, Family, LogMetric, Need, Worked, conversation


def distinct_grams(contexts: Sequence[LogContext], n: int) -> Iterator[Figure]:
    """Different n-grams over all of a session's replies, none across two messages, averaged over sessions. Pooled, the figure would
    fall with the number of sessions."""
    replies = ([context.log.messages[index].content for index in context.log.replies] for context in contexts)
    values = (distinct(texts, n) for texts in replies)
    yield Figure(f"distinct_{n}", Unit.SHARE, *parts(values), Undefined.NO_WORDS, View.TEXT)


def turns_before_recommendation(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Turns before the first recommendation, as a mean over the sessions that recommend."""
    lists = any(context.has_lists for context in contexts)
    yield _before(
        View.LISTS,
        (_first(context.lists) for context in contexts),
        Undefined.NO_RECOMMENDATION if lists else Undefined.NO_LISTS,
    )
    named = (context.of(_first_named) for context in contexts)
    yield _before(View.TEXT, named, Undefined.NO_RECOMMENDATION)


def conversation_turns(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Turns of a session. A turn is one reply, or several without a message of the user between them."""
    values = (float(context.turns) for context in contexts)
    yield Figure("conversation_turns", Unit.TURNS, *parts(values), Undefined.NO_TURNS)


def _first(turns: Sequence[Sized | None]) -> int | None:
    """Return which turn is the first that shows anything."""
    return next((turn for turn, items in enumerate(turns) if items), None)


def _first_named(log_index: LogIndex) -> int | None:
    return _first(log_index.recommended)


def _before(view: View, firsts: Iterable[int | None], reason: Undefined) -> Figure:
    values = (None if first is None else float(first) for first in firsts)
    return Figure("turns_before_recommendation", Unit.TURNS, *parts(values), reason, view)


_FIRST_IN_TURN = (
    conversation(
        "Hi.", ("Which genre?", []), "A drama.", ("Try Amber Coast (2001).", ["Amber Coast (2001)"])
    ),
    conversation("Hi.", ("Try Blue Ferry (2002).", ["Blue Ferry (2002)"])),
)
_WORDS = [conversation("Hi.", "a cat and a dog"), conversation("Hi.", "so so so so")]

FAMILY = Family(
    60,
    (
        LogMetric(
            name="distinct_1",
            views=(View.TEXT,),
            says="Different words divided by all words of a session's replies, as a mean over sessions.",
            example=Example(
                logs=_WORDS,
                worked='"a cat and a dog" has 4 different words of 5, "so so so so" 1 of 4: (0.8 + 0.25) / 2 = 0.525.',
                values=[Worked({}, 0.525)],
            ),
            compute=lambda contexts, _: distinct_grams(contexts, 1),
        ),
        LogMetric(
            name="distinct_2",
            views=(View.TEXT,),
            says="The same for pairs of neighbouring words.",
            example=Example(
                logs=_WORDS,
                worked='"a cat and a dog" has 4 different pairs of 4, "so so so so" 1 of 3: (1 + 1/3) / 2 = 2/3.',
                values=[Worked({}, 2 / 3)],
            ),
            compute=lambda contexts, _: distinct_grams(contexts, 2),
        ),
        LogMetric.of(
            turns_before_recommendation,
            views=(View.LISTS, View.TEXT),
            unit=Unit.TURNS,
            needs=(Need.LISTS,),
            example=Example(
                logs=_FIRST_IN_TURN,
                worked="One session recommends in its second turn, one in its first: (1 + 0) / 2 = 0.5.",
                values=[Worked({"view": "lists"}, 0.5), Worked({"view": "text"}, 0.5)],
            ),
            reads=(_first_named,),
        ),
        LogMetric.of(
            conversation_turns,
            unit=Unit.TURNS,
            example=Example(
                logs=[
                    *_WORDS,
                    conversation("Hi.", "One.", "Go on.", "Two.", "Go on.", "Three.", "Bye.", "Bye."),
                ],
                worked="Sessions of 1, 1 and 4 turns: 2.",
                values=[Worked({}, 2.0)],
            ),
        ),
    ),
)
