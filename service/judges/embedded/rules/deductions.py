"""Deductions of a reply and their sizes: what rules over several observations find, then the plain faults.

They were set by hand: what makes a reply useless costs 2.5 and more of the 4 points, so that one such thing alone
makes it miss; what only weakens it costs less."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from .rule import plain_rules

FULL = 4.0
#: A reply that keeps less than this misses the user's intent.
MISSED = 2.0
#: Under the first number a reply surely misses; from the second on it surely serves. What lies between is doubtful,
#: and the session as a whole decides.
SURELY_MISSED, SURELY_SERVED = 0.9, 2.5


#: Points lost, and how a rationale puts it.
_OF_COURSE: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        # whatever the user said
        "empty": (4.0, "says nothing"),
        "broken": (3.0, "is broken as a text"),
        "repeats": (2.5, "repeats an earlier reply word for word"),
        "nearly-repeats": (1.0, "says nearly what an earlier reply said"),
        "little-new": (1.0, "brings little that was not said before"),
        "echoes": (3.0, "hands the user's own words back"),
        "contradicts-itself": (2.5, "contradicts itself"),
        "dangling": (2.5, "speaks of somebody whom nobody named"),
        "of-nothing": (2.5, "speaks of an item that nobody named"),
        "misquotes": (2.5, "ascribes to the user what was never said"),
        "answers-nothing": (2.0, "answers a question that was not asked"),
        "greets-again": (2.5, "starts the conversation anew in its middle"),
        # as the encoder reads it: what it costs is said in belonging.py, and it is told last
        "elsewhere": (0.0, "does not fit what the user said"),
        # what the user wanted
        "nothing-offered": (3.0, "neither suggests anything nor asks, though the user wanted suggestions"),
        "only-chats": (1.0, "chats along without leading to a suggestion"),
        "only-promises": (2.0, "promises suggestions and brings none"),
        "no-item-named": (3.0, "speaks of an item without naming one, though the user wanted suggestions"),
        "talks-past": (2.5, "goes on about an item instead of suggesting one"),
        "farewell": (3.5, "takes its leave while the user is still asking"),
        "asks-again": (2.5, "asks what it has asked before"),
        "asks-known": (1.5, "asks what the user has just said"),
        "passes-greeting": (2.0, "meets a greeting with neither a greeting nor a question"),
        "too-soon": (2.5, "suggests items before it knows anything of the user"),
        "wrong-kind": (2.5, "offers another kind than the user asked for"),
        "wrong-time": (2.5, "offers items of another time than the user asked for"),
        "wrong-people": (1.5, "offers items without the people whom the user asked for"),
        "other-series": (2.0, "offers items of another series than the user asked for"),
        "too-dear": (2.5, "names only prices above what the user wants to pay"),
        "wrong-number": (1.0, "offers another number of items than the user asked for"),
        "partly-wrong": (1.0, "offers, for a good part, another kind than the user asked for"),
        "unknown-items": (1.0, "offers items that the catalogue does not know"),
        "unwanted-kind": (1.5, "offers a kind that the user turned down"),
        "named-back": (1.0, "offers what the user has named as an example"),
        "offered-before": (1.5, "offers again what it has offered before"),
        "turned-down": (2.5, "offers what the user has seen or turned down"),
        "question-ignored": (3.0, "does not answer the question"),
        "question-thin": (3.0, "answers the question with praise alone"),
        "question-unknown": (1.5, "says that it does not know"),
        "other-item": (2.5, "speaks of another item than the one asked about"),
        "no-reason": (2.5, "gives no reason though asked for one"),
        "not-repaired": (3.0, "passes over the user's objection"),
        "only-offers": (1.5, "meets the user's objection with suggestions alone"),
        "pushes-on": (2.0, "goes on recommending though the user was closing"),
        # what the user did next
        "objected": (1.5, "draws an objection from the user"),
        "asked-again": (1.0, "leaves the user to ask the same again"),
    }
)


class _Losses(Mapping[str, tuple[float, str]]):
    """Points lost and how a rationale puts it, of every rule; those of `plain/` are looked up when first asked."""

    @cached_property
    def _rows(self) -> Mapping[str, tuple[float, str]]:
        return {**_OF_COURSE, **{rule.slug: (rule.cost, rule.says) for rule in plain_rules()}}

    def __getitem__(self, kind: str) -> tuple[float, str]:
        return self._rows[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


LOSSES: Mapping[str, tuple[float, str]] = _Losses()


def surely_served(points: float) -> float:
    """Return how sure it is, 0 to 1, that a reply of so many points serves."""
    return min(1.0, max(0.0, (points - SURELY_MISSED) / (SURELY_SERVED - SURELY_MISSED)))
