"""Beyond accuracy: how much the items of a list differ, and how much of a catalogue is ever shown.

Intra-list diversity: Ziegler et al. (2005), as the mean distance of pairs (Smyth and McClave 2001), here the Jaccard distance of
attribute values. Catalogue coverage: Ge et al. (2010)."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from ..figures import NO_LABELS, Figure, Scope, Undefined, Unit, View, parts
from ..log_index import Cuts, LogContext, LogIndex, lists
from ..metric import Example, Family, LogMetric, Need, Worked, conversation


def intra_list_diversity(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Distance (Jaccard) between the attribute values of two items, as a mean over a list's pairs of different items. The
    list is cut at `k`, 2 or more. `group.by` `genre` compares only genres. Scope `session` is that of `recall`. Scope `turn`:
    the mean over a session's lists that have such a pair. Items without attributes are left out."""
    reason = _missing(contexts)
    for genres in (False, True):
        labels = {"by": "genre"} if genres else NO_LABELS
        turns = [context.of(_BY_TURN[genres]) for context in contexts]
        session = _in_session(cuts.list_cutoff, genres)
        sessions = [context.of(session) for context in contexts]
        for k in cuts.lengths:
            if k == 1:  # one item has no pair
                continue
            for scope, found in ((Scope.SESSION, sessions), (Scope.TURN, turns)):
                values = parts(_mean_at(k, diversities) for diversities in found)
                yield Figure(
                    "intra_list_diversity", Unit.SHARE, *values, reason, View.LISTS, scope, k, labels=labels
                )


def catalog_coverage(contexts: Sequence[LogContext], cuts: Cuts) -> Iterator[Figure]:
    """Share of the items of `catalog` that the lists of all conversations show, each list cut at `k`. Without `catalog`,
    the share of the logs' `items`. It grows with the number of conversations. It has no interval."""
    known = [context for context in contexts if context.has_lists]
    stock = set().union(*{id(own): own for own in (context.of(_stock) for context in known)}.values())
    items = np.zeros(len(contexts))
    items[:1] = len(stock)
    reason = Undefined.NO_CATALOG if known else Undefined.NO_LISTS
    for k in cuts.lengths:
        # An item counts for the first log that shows it.
        found: set[int] = set()
        shown = np.zeros(len(contexts))
        for place, context in enumerate(contexts):
            keys, places = context.of(_shown)
            before = len(found)
            found.update(key for key, at in zip(keys, places, strict=True) if k is None or at < k)
            shown[place] = len(found) - before
        yield Figure("catalog_coverage", Unit.SHARE, shown, items, reason, View.LISTS, k=k, whole=True)


def _missing(contexts: Sequence[LogContext]) -> Undefined:
    known = [context for context in contexts if context.has_lists]
    if not known:
        return Undefined.NO_LISTS
    return Undefined.NO_DIFFERENT_ITEMS if any(one.stocked for one in known) else Undefined.NO_CATALOG


def _by_turn(log_index: LogIndex, *, genres: bool) -> "tuple[array[float], ...]":
    """The diversity of each turn's list at every length: one row a turn."""
    return tuple(_diversities(log_index, shown, genres) for shown in _entries(log_index))


@cache
def _in_session(cutoff: int, genres: bool) -> "Callable[[LogIndex], tuple[array[float], ...]]":
    """Return a function that finds the diversity of a session's joined lists, each cut, as if they were one turn's."""
    return lambda index: (_diversities(index, [*index.session_list(cutoff).values()], genres),)


_BY_TURN = (partial(_by_turn, genres=False), partial(_by_turn, genres=True))


def _entries(log_index: LogIndex) -> Iterator[list[str]]:
    """Each turn's list, as the log has it."""
    for turn in log_index.log.turns:
        yield [each for at in turn.assistant for each in log_index.log.messages[at].recommendations or ()]


def _diversities(log_index: LogIndex, shown: Sequence[str], genres: bool) -> "array[float]":
    """The diversity of a list cut after each place, NaN before two different items of known attributes."""
    values: list[frozenset[str]] = []
    counts = np.zeros(len(shown), dtype=np.intp)
    seen: set[int] = set()
    for place, reference in enumerate(shown):
        described = log_index.item_index.described(reference)
        if described is not None and described.key not in seen:
            seen.add(described.key)
            values += [known] if (known := described.genres if genres else described.values) else []
        counts[place] = len(values)
    means = np.full(len(values) + 1, np.nan)
    if len(values) > 1:
        means[2:] = _mean_distances(values)
    return array("d", means[counts].tobytes())


def _mean_distances(values: Sequence[frozenset[str]]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The mean Jaccard distance of the pairs of the first two, three, ... sets."""
    columns = {value: column for column, value in enumerate(frozenset().union(*values))}
    has = np.zeros((len(values), len(columns)))
    rows = [row for row, own in enumerate(values) for _ in own]
    has[rows, [columns[value] for own in values for value in own]] = 1
    shared, sizes = has @ has.T, has.sum(axis=1)
    distances = 1 - shared / (sizes[:, None] + sizes - shared)
    sums = np.tril(distances, -1).sum(axis=1).cumsum()[1:]
    number = np.arange(2, len(values) + 1)
    result: np.ndarray[tuple[int], np.dtype[np.float64]] = sums / (number * (number - 1) / 2)
    return result


def _mean_at(k: int | None, diversities: "Sequence[array[float]]") -> float | None:
    """The mean at a cut over the lists that have a diversity there."""
    at = [row[-1 if k is None else min(k, len(row)) - 1] for row in diversities if row]
    known = [value for value in at if value == value]  # noqa: PLR0124 - NaN
    return sum(known) / len(known) if known else None


def _stock(log_index: LogIndex) -> "array[int]":
    return log_index.item_index.stock


def _shown(log_index: LogIndex) -> "tuple[array[int], array[int]]":
    """The keys of the stocked items that the lists show, and the first place in a list that each has."""
    stock, first = log_index.item_index.stocked_keys, dict[int, int]()
    for shown in _entries(log_index):
        for place, reference in enumerate(shown):
            described = log_index.item_index.described(reference)
            if described is not None and described.key in stock:
                first[described.key] = min(place, first.get(described.key, place))
    return array("q", first), array("L", first.values())


_ITEMS = [
    {"title": "A", "attributes": {"genre": ["drama", "war"], "decade": ["1990s"]}},
    {"title": "B", "attributes": {"genre": ["drama"], "decade": ["1990s"]}},
    {"title": "C", "attributes": {"genre": ["comedy"], "decade": ["1970s"]}},
    {"title": "D", "attributes": {"genre": ["comedy"], "decade": ["1980s"]}},
]
_SESSION = conversation("A film, please.", ("These?", ["A", "B", "C"]), items=_ITEMS)

FAMILY = Family(
    25,
    (
        LogMetric.of(
            intra_list_diversity,
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.ITEMS),
            example=Example(
                logs=[_SESSION],
                cuts={"k": [2]},
                worked="A and B share two of three values, and C shares none: (1/3 + 1 + 1) / 3 = 7/9. Cut at 2, only A and B "
                "count: 1/3. By genre it is (1/2 + 1 + 1) / 3 = 5/6.",
                values=[
                    Worked({"scope": "session", "k": None, "group": {}}, 7 / 9),
                    Worked({"scope": "turn", "k": None, "group": {}}, 7 / 9),
                    Worked({"scope": "turn", "k": 2, "group": {}}, 1 / 3),
                    Worked({"scope": "turn", "k": None, "group": {"by": "genre"}}, 5 / 6),
                ],
            ),
            reads=(lists, *_BY_TURN),
        ),
        LogMetric.of(
            catalog_coverage,
            views=(View.LISTS,),
            needs=(Need.LISTS, Need.ITEMS),
            example=Example(
                logs=[
                    _SESSION,
                    conversation("Hi.", ("This?", ["B"]), "No.", ("These?", ["A", "X"]), items=_ITEMS),
                ],
                cuts={"k": [1]},
                worked="The catalogue is A, B, C, D. The lists A, B, C and B and A, X show three of them: 3/4. Cut at 1, they show "
                "A and B: 1/2.",
                values=[Worked({"k": None}, 0.75), Worked({"k": 1}, 0.5)],
            ),
            reads=(lists, _stock, _shown),
        ),
    ),
)
