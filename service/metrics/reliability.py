"""Reliability: does the recommender answer two wordings of one message alike?

CONCEPT section 3 and table 11. The pairs come from the caller, or from a run that asked the
recommender twice."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .figures import Figure, Metric, Undefined, Unit, View, parts
from .shelf import Shelf


@dataclass(frozen=True, slots=True)
class Reply:
    """What the recommender said, and the list it showed; None where none is recorded."""

    content: str
    recommendations: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReplyPair:
    """Replies to two wordings of one message, and the attributes that the user wants."""

    first: Reply
    second: Reply
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair in one view. `same_item` is None unless both recommend; `diverse` is None unless they
    recommend different items of which it is known whether they fit. `unknown` says why it is not."""

    same_action: bool
    same_item: bool | None
    diverse: bool | None
    unknown: Undefined | None = None

    @property
    def sensitive(self) -> bool | None:
        """Return whether the wording cost the user a fitting item; None where that is unknown."""
        if self.diverse is not None:
            return not self.diverse
        return None if self.same_item is False else False


def compare(pairs: Sequence[ReplyPair], shelf: Shelf, view: View) -> list[Comparison | None]:
    """Each pair in a view, None where the view does not show it: `lists` needs both lists recorded,
    `text` reads the titles in both texts."""
    return [_compare(pair, shelf, view) for pair in pairs]


def default_view(pairs: Sequence[ReplyPair]) -> View:
    """Lists where any pair records both, else text."""
    listed = any(
        pair.first.recommendations is not None and pair.second.recommendations is not None for pair in pairs
    )
    return View.LISTS if listed else View.TEXT


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
    """Why no fit is known: the first reason that a pair has, else that no items differ."""
    reasons = (pair.unknown for pair in pairs if pair is not None and pair.unknown is not None)
    return next(reasons, Undefined.NO_DIFFERENT_ITEMS)


PAIR_METRICS: Mapping[str, Callable[[Sequence[Comparison | None], View], Figure]] = {
    Metric.CONSISTENT_ACTION: consistent_action,
    Metric.CONSISTENT_RECOMMENDATION: consistent_recommendation,
    Metric.DIVERSE_RECOMMENDATION: diverse_recommendation,
    Metric.SENSITIVITY: sensitivity,
}


def _share(
    metric: str,
    view: View,
    values: Iterable[bool | None],
    reason: Undefined = Undefined.NO_REPLY_PAIRS,
) -> Figure:
    shares = [None if value is None else float(value) for value in values]
    return Figure(metric, Unit.SHARE, *parts(shares), reason if shares else Undefined.NO_REPLY_PAIRS, view)


def _compare(pair: ReplyPair, shelf: Shelf, view: View) -> Comparison | None:
    first, second = _top(pair.first, shelf, view), _top(pair.second, shelf, view)
    if first is None or second is None:
        return None
    if not first or not second:
        return Comparison(first == second, None, None)
    if first == second:
        return Comparison(True, True, None)
    fits = [shelf.fits(key, pair.attributes) for key in (first, second)] if pair.attributes else [None]
    if False in fits:
        return Comparison(True, False, diverse=False)
    if None in fits:
        return Comparison(True, False, None, _unknown(pair, shelf))
    return Comparison(True, False, diverse=True)


def _unknown(pair: ReplyPair, shelf: Shelf) -> Undefined:
    """Why it is unknown whether two items fit."""
    if not pair.attributes:
        return Undefined.NO_ATTRIBUTES
    return Undefined.UNKNOWN_ITEMS if shelf.stocked else Undefined.NO_CATALOG


def _top(reply: Reply, shelf: Shelf, view: View) -> str | None:
    """The key of the first item recommended, "" where none is, None where the view shows nothing."""
    if view is View.LISTS:
        listed = reply.recommendations
        return None if listed is None else shelf.key(listed[0]) if listed else ""
    named = shelf.named(reply.content)
    return named[0].key if named else ""
