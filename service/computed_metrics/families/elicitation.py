"""Preference elicitation: coverage, its increase, and how much successive lists differ.

PEPPER section 4.2, equations 1 and 2; Jaccard distance of lists: its figure 3; coverage over two
halves of the targets: its table 3."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...statistics.bootstrap import Matrix
from ..figures import NO_LABELS, Figure, Parts, Scope, Undefined, Unit, View, parts
from ..log_index import Cuts, LogContext, LogIndex
from ..metric import Example, Family, LogMetric, Need, Worked, conversation
from .recommendation import lists_and_targets


def preference_coverage(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Share of the targets that some list has held so far (PEPPER, equation 1). After its end, a session keeps its value.
    Scope `turn`: after each turn. Scope `session`: at the end, and once for each half of `ground_truth`
    (`group.targets`: `first_half`, `second_half`, `first_minus_second`). A large difference between the halves shows
    that the simulator knows some targets."""
    for k, covered, able, reason in _covered(contexts, cuts):
        for turn in range(1, covered.shape[1]):
            yield _figure("preference_coverage", (covered[:, turn], able), reason, Scope.TURN, k, turn=turn)
        yield _figure("preference_coverage", (covered[:, -1], able), reason, Scope.SESSION, k)
        yield from _halves(contexts, k)


def preference_coverage_increase(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Coverage that each turn adds (PEPPER, equation 2). Scope `session`: the mean over the turns of the longest session."""
    for k, covered, able, reason in _covered(contexts, cuts):
        turns = covered.shape[1] - 1
        for turn in range(1, turns + 1):
            gain = covered[:, turn] - covered[:, turn - 1]
            yield _figure("preference_coverage_increase", (gain, able), reason, Scope.TURN, k, turn=turn)
        why = reason if turns or not able.any() else Undefined.NO_TURNS
        mean = covered[:, -1] / max(turns, 1)
        known = able if turns else np.zeros_like(able)
        yield _figure("preference_coverage_increase", (mean, known), why, Scope.SESSION, k)


def _covered(
    contexts: Sequence[LogContext], cuts: Cuts
) -> Iterator[tuple[int | None, Matrix, Matrix, Undefined]]:
    """For each cut the coverage, which contexts have any, and the reason why none may."""
    able = np.array([_can_cover(context) for context in contexts], dtype=np.float64)
    reason = lists_and_targets(contexts)
    for k in cuts.lengths:
        yield k, _coverage(contexts, k), able, reason


def list_distance(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Distance (Jaccard) between the list of a turn and the list before it. Scope `session`: the mean over a session."""
    lists = any(context.has_lists for context in contexts)
    reason = Undefined.NO_TURNS if lists else Undefined.NO_LISTS
    for k in cuts.lengths:
        distances = [_distances(context, k) for context in contexts]
        for turn in range(1, max(map(len, distances), default=0)):
            at = (known[turn] if turn < len(known) else None for known in distances)
            yield _figure("list_distance", parts(at), reason, Scope.TURN, k, turn=turn + 1)
        means = (_mean([value for value in known if value is not None]) for known in distances)
        yield _figure("list_distance", parts(means), reason, Scope.SESSION, k)


def _figure(
    metric: str,
    values: Parts,
    reason: Undefined,
    scope: Scope,
    k: int | None,
    *,
    turn: int | None = None,
    labels: Mapping[str, str] = NO_LABELS,
) -> Figure:
    return Figure(metric, Unit.SHARE, *values, reason, View.LISTS, scope, k, turn, labels)


def _can_cover(context: LogContext) -> bool:
    """A session without a single turn covers nothing; one whose turns record no list is unknown."""
    return bool(context.wanted) and (context.has_lists or not context.turns)


def _coverage(contexts: Sequence[LogContext], k: int | None) -> Matrix:
    """Coverage by (context, turn), turn 0 being none; ended sessions carried forward. Rows of
    contexts without lists or targets are zero."""
    covering = [context for context in contexts if _can_cover(context)]
    longest = max((context.turns for context in covering), default=0)
    gains = np.zeros((len(contexts), longest + 1))
    for row, context in enumerate(contexts):
        if _can_cover(context):
            for turn in _first_seen(context, k).values():
                gains[row, turn + 1] += 1 / context.wanted
    return gains.cumsum(axis=1)


def _first_seen(context: LogContext, k: int | None) -> dict[int, int]:
    """The turn in whose list each target found comes up first."""
    seen: dict[int, int] = {}
    for hit in context.hits:
        if k is None or hit.position < k:
            seen.setdefault(hit.target, hit.turn)
    return seen


def _halves(contexts: Sequence[LogContext], k: int | None) -> Iterator[Figure]:
    pairs = [_half_coverage(context, k) for context in contexts]
    # Weights of the first half and of the second.
    for name, (a, b) in {"first_half": (1, 0), "second_half": (0, 1), "first_minus_second": (1, -1)}.items():
        values = parts(None if pair is None else a * pair[0] + b * pair[1] for pair in pairs)
        why, labels = Undefined.NO_GROUND_TRUTH, {"targets": name}
        yield _figure("preference_coverage", values, why, Scope.SESSION, k, labels=labels)


def _half_coverage(context: LogContext, k: int | None) -> tuple[float, float] | None:
    """Coverage of both halves of the targets, the first one the larger where they are odd; None
    for a single target, and for targets without an order of their own."""
    if not context.of(_in_order) or context.wanted < 2 or not _can_cover(context):
        return None
    middle = (context.wanted + 1) // 2
    first = sum(place < middle for place in _first_seen(context, k))
    second = len(_first_seen(context, k)) - first
    return first / middle, second / (context.wanted - middle)


def _in_order(log_index: LogIndex) -> bool:
    """Return whether the targets have an order of their own, as those of a log's `ground_truth` have."""
    return log_index.targets is not None and log_index.targets.given


def _distances(context: LogContext, k: int | None) -> list[float | None]:
    """For each turn the distance of its list from the one before; the first has none."""
    distances: list[float | None] = [None]
    for before, after in zip(context.lists, context.lists[1:], strict=False):
        if before is None or after is None:
            distances.append(None)
            continue
        a, b = set(before[:k]), set(after[:k])
        distances.append(1 - len(a & b) / len(a | b) if a or b else None)
    return distances


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


_SESSION = conversation(
    "A film, please.",
    ("These?", ["A", "X"]),
    "More.",
    ("These?", ["A", "Y"]),
    "More.",
    ("These?", ["B", "C"]),
    ground_truth=["A", "B", "C", "D"],
)
_COVERED = "Targets A, B, C, D; the lists A, X and A, Y and B, C. The coverage is 1/4, 1/4 and 3/4"

FAMILY = Family(
    20,
    (
        LogMetric.of(
            preference_coverage,
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.TARGETS),
            bad_without_targets=True,
            example=Example(
                logs=[_SESSION],
                cuts={"k": []},
                worked=f"{_COVERED}. Both of the first half (A, B) are found, and one of the second (C, D): 1 - 1/2 = 1/2.",
                values=[
                    Worked({"scope": "turn", "turn": 2}, 0.25),
                    Worked({"scope": "turn", "turn": 3}, 0.75),
                    Worked({"scope": "session", "group": {}}, 0.75),
                    Worked({"scope": "session", "group": {"targets": "first_minus_second"}}, 0.5),
                ],
            ),
        ),
        LogMetric.of(
            preference_coverage_increase,
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.TARGETS),
            bad_without_targets=True,
            example=Example(
                logs=[_SESSION],
                cuts={"k": []},
                worked=f"{_COVERED}. The turns add 1/4, 0 and 1/2. The mean is 1/4.",
                values=[
                    Worked({"scope": "turn", "turn": 2}, 0.0),
                    Worked({"scope": "turn", "turn": 3}, 0.5),
                    Worked({"scope": "session"}, 0.25),
                ],
            ),
        ),
        LogMetric.of(
            list_distance,
            views=(View.LISTS,),
            needs=(Need.LISTS,),
            example=Example(
                logs=[_SESSION],
                cuts={"k": []},
                worked="The lists A, X and A, Y share one of three items: 1 - 1/3 = 2/3. A, Y and B, C share none: 1. The "
                "mean is 5/6.",
                values=[
                    Worked({"scope": "turn", "turn": 2}, 2 / 3),
                    Worked({"scope": "turn", "turn": 3}, 1.0),
                    Worked({"scope": "session"}, 5 / 6),
                ],
            ),
        ),
    ),
)
