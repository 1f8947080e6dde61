"""Length of replies."""

from collections.abc import Iterator, Sequence

from ...text.words import words
from ..figures import Figure, Undefined, Unit, View, parts
from ..log_index import Cuts, LogContext
from ..metric import Example, Family, LogMetric, Worked, conversation


def words_per_reply(contexts: Sequence[LogContext], _: Cuts) -> Iterator[Figure]:
    """Words of a reply, averaged over the replies of a session, then over sessions."""
    means = (
        _mean([len(words(context.log.messages[i].content)) for i in context.log.replies])
        for context in contexts
    )
    yield Figure("words_per_reply", Unit.RATIO, *parts(means), Undefined.NO_WORDS, View.TEXT)


def _mean(counts: Sequence[int]) -> float | None:
    return sum(counts) / len(counts) if counts else None


FAMILY = Family(
    70,
    (
        LogMetric.of(
            words_per_reply,
            views=(View.TEXT,),
            unit=Unit.RATIO,
            example=Example(
                logs=[
                    conversation("Hi.", "Which genre?", "Any.", "Try this quiet old film."),
                    conversation("Hi.", "No idea."),
                ],
                worked="Replies of 2 and 5 words, 3.5 in the mean, and one of 2 words: (3.5 + 2) / 2 = 2.75.",
                values=[Worked({}, 2.75)],
            ),
        ),
    ),
)
