"""Reliability: does the recommender answer two wordings of one message alike?

CONCEPT section 3 and table 11."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..figures import Figure, Undefined, Unit, View, parts
from ..metric import Example, Family, Json, Need, PairMetric, Worked, conversation
from ..reply_pairs import Comparison


def consistent_action(pairs: Sequence[Comparison | None], view: View) -> Figure:
    """Share of pairs in which both replies recommend or neither does."""
    return _share("consistent_action", view, (None if pair is None else pair.same_action for pair in pairs))


def consistent_recommendation(pairs: Sequence[Comparison | None], view: View) -> Figure:
    """Share of pairs with the same top item, over pairs in which both recommend."""
    reason = Undefined.NO_RECOMMENDATION
    return _share(
        "consistent_recommendation",
        view,
        (None if pair is None else pair.same_item for pair in pairs),
        reason,
    )


def diverse_recommendation(pairs: Sequence[Comparison | None], view: View) -> Figure:
    """Share of pairs in which both items fit the user's attributes, over the pairs with different items
    of which that is known."""
    values = (None if pair is None else pair.diverse for pair in pairs)
    return _share("diverse_recommendation", view, values, _not_judged(pairs))


def sensitivity(pairs: Sequence[Comparison | None], view: View) -> Figure:
    """Share of pairs in which an item does not fit, over the pairs with different items of which that
    is known."""
    values = (None if pair is None or pair.diverse is None else not pair.diverse for pair in pairs)
    return _share("sensitivity", view, values, _not_judged(pairs))


def sensitive_pairs(pairs: Sequence[Comparison | None], view: View) -> Figure:
    """Share of sensitive pairs, over all pairs: a part of the roll-up. One pair of unknown fit leaves it
    without a value: pairs with the same item are never unknown, so the share over the known pairs
    would be too low."""
    shown = [pair for pair in pairs if pair is not None]
    reason = _not_judged(shown) if shown else Undefined.NO_REPLY_PAIRS
    values = (None if pair is None else pair.sensitive for pair in pairs)
    figure = _share("sensitive_pairs", view, values, reason)
    return replace(figure, biased=any(pair.sensitive is None for pair in shown))


def _not_judged(pairs: Iterable[Comparison | None]) -> Undefined:
    """Return the reason why no fit is known: the first reason that a pair has, else that no items differ."""
    reasons = (pair.unknown for pair in pairs if pair is not None and pair.unknown is not None)
    return next(reasons, Undefined.NO_DIFFERENT_ITEMS)


def _share(
    metric: str,
    view: View,
    values: Iterable[bool | None],
    reason: Undefined = Undefined.NO_REPLY_PAIRS,
) -> Figure:
    shares = [None if value is None else float(value) for value in values]
    return Figure(metric, Unit.SHARE, *parts(shares), reason if shares else Undefined.NO_REPLY_PAIRS, view)


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

FAMILY = Family(
    40,
    (
        PairMetric(
            name="consistent_action",
            views=_BOTH,
            needs=(Need.REPLY_PAIRS,),
            says="over `reply_pairs`: both replies recommend, or neither does",
            example=Example(
                logs=_LOGS,
                reply_pairs=_PAIRS,
                worked="In four of five pairs both replies recommend, in one only the first does: 4/5.",
                values=[Worked({"view": view}, 0.8) for view in _BOTH],
            ),
            compute=consistent_action,
        ),
        PairMetric(
            name="consistent_recommendation",
            views=_BOTH,
            needs=(Need.REPLY_PAIRS,),
            says="the same top item, over pairs in which both recommend",
            example=Example(
                logs=_LOGS,
                reply_pairs=_PAIRS,
                worked="Of four pairs in which both recommend, one has the same item: 1/4.",
                values=[Worked({"view": view}, 0.25) for view in _BOTH],
            ),
            compute=consistent_recommendation,
        ),
        PairMetric(
            name="diverse_recommendation",
            views=_BOTH,
            needs=(Need.REPLY_PAIRS, Need.ITEMS),
            says="over pairs with different top items of which it is known whether they fit `attributes`: both fit",
            example=Example(
                logs=_LOGS,
                reply_pairs=_PAIRS,
                worked="Three pairs differ; the user wants dramas. In one both are, in two the second is a comedy: 1/3.",
                values=[Worked({"view": view}, 1 / 3) for view in _BOTH],
            ),
            compute=diverse_recommendation,
        ),
        PairMetric(
            name="sensitivity",
            views=_BOTH,
            needs=(Need.REPLY_PAIRS, Need.ITEMS),
            says="over the same pairs: one does not fit. With `diverse_recommendation` it sums to 1",
            example=Example(
                logs=_LOGS,
                reply_pairs=_PAIRS,
                worked="Three pairs differ; the user wants dramas. In two the second is a comedy: 2/3.",
                values=[Worked({"view": view}, 2 / 3) for view in _BOTH],
            ),
            compute=sensitivity,
        ),
    ),
)
