"""Places of the targets in lists: nDCG, reciprocal rank, hit rate.

Relevance is binary. nDCG: Järvelin and Kekäläinen (2002) with the discount of trec_eval, 1 / log2(place + 1). Reciprocal rank:
Voorhees (1999)."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from ..figures import Figure, Parts, Scope, Unit, View, parts, turn_parts
from ..log_index import Cuts, Hit, LogContext, LogIndex, lists, session_hits, wanted
from ..metric import Example, Family, LogMetric, Need, Worked, conversation
from .recommendation import can_recall, lists_and_targets

Value = Callable[[Sequence[int], int], float]
"""The value of a list: the places of the targets that the cut left, from 0, and what the best list of that length could hold."""


def _figures(metric: str, value: Value, contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """The session's value, that of each turn (over the sessions that have it), and the mean over a session's turns."""
    reason = lists_and_targets(contexts)
    able = [context if can_recall(context) else None for context in contexts]
    by_turn = [_places_by_turn(context) if context else [] for context in able]
    # A hit in any turn's list is one of the session.
    joined = [
        None if context is None
        else [place for places in turns for place in places] if metric == "hit_rate"
        else _places(context.of(session_hits(cuts.list_cutoff)))
        for context, turns in zip(able, by_turn, strict=True)
    ]  # fmt: skip

    def figure(values: Parts, scope: Scope, k: int | None, turn: int | None = None) -> Figure:
        return Figure(metric, Unit.SHARE, *values, reason, View.LISTS, scope, k, turn)

    for k in cuts.lengths:
        sessions = (
            None if places is None else _cut(value, places, context.wanted, k)
            for places, context in zip(joined, contexts, strict=True)
        )
        yield figure(parts(sessions), Scope.SESSION, k)
        values = [
            [_cut(value, places, context.wanted, k) for places in turns]
            for turns, context in zip(by_turn, contexts, strict=True)
        ]
        for turn, at in turn_parts(values):
            yield figure(at, Scope.TURN, k, turn)


def _places_by_turn(context: LogContext) -> list[list[int]]:
    found: list[list[Hit]] = [[] for _ in range(context.turns)]
    for hit in context.hits:
        found[hit.turn].append(hit)
    return [_places(hits) for hits in found]


def _places(hits: Iterable[Hit]) -> list[int]:
    """The first place of each target found: repeats gain nothing, by either rule of matching."""
    first: dict[int, int] = {}
    for hit in hits:
        first.setdefault(hit.target, hit.position)
    return list(first.values())


def _cut(value: Value, places: Sequence[int], targets: int, k: int | None) -> float:
    if k is not None:
        places, targets = [place for place in places if place < k], min(targets, k)
    return value(places, targets) if places else 0.0


def _ndcg(places: Sequence[int], best: int) -> float:
    return sum(1 / math.log2(place + 2) for place in places) / _ideal(best)


@lru_cache(1000)
def _ideal(best: int) -> float:
    return sum(1 / math.log2(place + 2) for place in range(best))


_SESSION = conversation(
    "A film, please.", ("These?", ["X", "A", "B"]), "More.", ("These?", ["Y"]), ground_truth=["A", "B"]
)
_IDEAL = 1 + 1 / math.log2(3)
_FOUND = (1 / math.log2(3) + 1 / 2) / _IDEAL
_SCOPES = "Scopes `session` and `turn` are those of `recall`."


def _metric(name: str, value: Value, says: str, worked: str, values: Sequence[Worked]) -> LogMetric:
    return LogMetric(
        name=name,
        views=(View.LISTS,),
        needs=(Need.LISTS, Need.TARGETS),
        says=says,
        example=Example(logs=[_SESSION], cuts={"k": [1]}, worked=worked, values=values),
        compute=lambda contexts, cuts: _figures(name, value, contexts, cuts),
        reads=(wanted, lists, LogIndex.hits),
    )


FAMILY = Family(
    15,
    (
        _metric(
            "ndcg",
            _ndcg,
            "Gain of the targets in a list cut at `k`, divided by the gain of the best such list. A target further down gains "
            f"less: the formula is below. {_SCOPES}",
            "Targets A and B. The list X, A, B gains 1/log2(3) + 1/log2(4) = 1.131 of at most 1 + 1/log2(3) = 1.631: 0.693. The "
            "list Y gains 0. The mean is 0.347. Cut at 1, both lists hold no target: 0.",
            [
                Worked({"scope": "session", "k": None}, _FOUND),
                Worked({"scope": "turn", "turn": 1, "k": None}, _FOUND),
                Worked({"scope": "turn", "turn": 1, "k": 1}, 0.0),
                Worked({"scope": "turn", "turn": None, "k": None}, _FOUND / 2),
            ],
        ),
        _metric(
            "mrr",
            lambda places, _: 1 / (min(places) + 1),
            f"1 divided by the place of the first target in a list cut at `k`, and 0 if the list holds no target. {_SCOPES}",
            "In X, A, B the first target is second: 1/2. Y is no target: 0. The mean is 1/4. Cut at 1, both lists hold no "
            "target: 0.",
            [
                Worked({"scope": "session", "k": None}, 0.5),
                Worked({"scope": "turn", "turn": 1, "k": None}, 0.5),
                Worked({"scope": "turn", "turn": 1, "k": 1}, 0.0),
                Worked({"scope": "turn", "turn": None, "k": None}, 0.25),
            ],
        ),
        _metric(
            "hit_rate",
            lambda _places, _: 1.0,
            "Share of lists cut at `k` that hold a target. Scope `turn` is that of `recall`. Scope `session`: share of sessions "
            "in which any list does. There, `k` 1 gives `success_rate`.",
            "X, A, B holds a target: 1. Y holds none: 0. The mean is 1/2, and the session has 1. Cut at 1, both lists hold no "
            "target: 0.",
            [
                Worked({"scope": "session", "k": None}, 1.0),
                Worked({"scope": "session", "k": 1}, 0.0),
                Worked({"scope": "turn", "turn": 2, "k": None}, 0.0),
                Worked({"scope": "turn", "turn": None, "k": None}, 0.5),
            ],
        ),
    ),
)
