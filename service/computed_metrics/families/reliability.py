"""Reliability: does the recommender answer two wordings of one message alike?

CONCEPT section 3 and table 11."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..figures import Figure, Undefined, Unit, View, parts
from ..metric import Example, Family, Json, Need, PairMetric, Worked, conversation
from ..reply_pairs import Comparison

Pairs = Sequence[Comparison | None]


def consistent_action(pairs: Pairs, view: View) -> Figure:
    """Share of `reply_pairs` in which both replies recommend, or neither does."""
    return _share("consistent_action", pairs, view, lambda pair: pair.same_action)


def consistent_recommendation(pairs: Pairs, view: View) -> Figure:
    """Share of pairs with the same top item, of the pairs in which both replies recommend."""
    reason = Undefined.NO_RECOMMENDATION
    return _share("consistent_recommendation", pairs, view, lambda pair: pair.same_item, reason)


def diverse_recommendation(pairs: Pairs, view: View) -> Figure:
    """Share of pairs in which both top items fit `attributes`. Only pairs with different top items and known fit count."""
    return _share("diverse_recommendation", pairs, view, lambda pair: pair.diverse, _not_judged(pairs))


def sensitivity(pairs: Pairs, view: View) -> Figure:
    """Share of the same pairs in which a top item does not fit. With `diverse_recommendation` it sums to 1."""
    return _share(
        "sensitivity",
        pairs,
        view,
        lambda pair: None if pair.diverse is None else not pair.diverse,
        _not_judged(pairs),
    )


def sensitive_pairs(pairs: Pairs, view: View) -> Figure:
    """Share of sensitive pairs, over all pairs: a part of the roll-up. One pair of unknown fit leaves it
    without a value: pairs with the same item are never unknown, so the share over the known pairs
    would be too low."""
    shown = [pair for pair in pairs if pair is not None]
    reason = _not_judged(shown) if shown else Undefined.NO_REPLY_PAIRS
    figure = _share("sensitive_pairs", pairs, view, lambda pair: pair.sensitive, reason)
    return replace(figure, biased=any(pair.sensitive is None for pair in shown))


def _not_judged(pairs: Pairs) -> Undefined:
    """Return the reason why no fit is known: the first reason that a pair has, else that no items differ."""
    reasons = (pair.unknown for pair in pairs if pair is not None and pair.unknown is not None)
    return next(reasons, Undefined.NO_DIFFERENT_ITEMS)


def _share(
    metric: str,
    pairs: Pairs,
    view: View,
    value: Callable[[Comparison], bool | None],
    reason: Undefined = Undefined.NO_REPLY_PAIRS,
) -> Figure:
    shares = (None if pair is None else value(pair) for pair in pairs)
    return Figure(metric, Unit.SHARE, *parts(shares), reason if pairs else Undefined.NO_REPLY_PAIRS, view)


_ITEMS = [
    {"title": "Amber Coast (2001)", "attributes": {"genre": ["drama"]}},
    {"title": "Blue Ferry (2002)", "attributes": {"genre": ["drama"]}},
    {"title": "Cedar Road (2003)", "attributes": {"genre": ["comedy"]}},
]


def _reply(title: str | None) -> Json:
    text = f"Try {title}." if title else "Which genre?"
    return {"content": text, "recommendations": [title] if title else []}


def _pair(first: str | None, second: str | None) -> Json:
    return {"first": _reply(first), "second": _reply(second), "attributes": ["drama"]}


_PAIRS = [
    _pair("Amber Coast (2001)", "Amber Coast (2001)"),
    _pair("Amber Coast (2001)", "Blue Ferry (2002)"),
    _pair("Blue Ferry (2002)", "Cedar Road (2003)"),
    _pair("Amber Coast (2001)", "Cedar Road (2003)"),
    _pair("Amber Coast (2001)", None),
]
_LOGS = [conversation("A drama, please.", items=_ITEMS)]
_BOTH = (View.LISTS, View.TEXT)


def _metric(compute: Callable[[Pairs, View], Figure], worked: str, value: float, *needs: Need) -> PairMetric:
    return PairMetric.of(
        compute,
        views=_BOTH,
        needs=(Need.REPLY_PAIRS, *needs),
        example=Example(
            logs=_LOGS,
            reply_pairs=_PAIRS,
            worked=worked,
            values=[Worked({"view": view}, value) for view in _BOTH],
        ),
    )


FAMILY = Family(
    40,
    (
        _metric(
            consistent_action,
            "In four of five pairs both replies recommend. In the fifth only the first does: 4/5.",
            0.8,
        ),
        _metric(
            consistent_recommendation,
            "Of four pairs in which both recommend, one has the same item: 1/4.",
            0.25,
        ),
        _metric(
            diverse_recommendation,
            "The user wants dramas, and three pairs differ. In one, both items are dramas: 1/3.",
            1 / 3,
            Need.ITEMS,
        ),
        _metric(
            sensitivity,
            "The user wants dramas, and three pairs differ. In two, one item is a comedy: 2/3.",
            2 / 3,
            Need.ITEMS,
        ),
    ),
)
