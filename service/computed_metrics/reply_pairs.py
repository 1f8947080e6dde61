"""Replies to two wordings of one message, compared.

CONCEPT section 3. The pairs come from the caller, or from a run that asked the recommender twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from .figures import Undefined, View
from .item_index import ItemIndex


@dataclass(frozen=True, slots=True)
class Reply:
    """The recommender's words, and the list it showed; None where none is recorded."""

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


def compare(pairs: Sequence[ReplyPair], item_index: ItemIndex, view: View) -> list[Comparison | None]:
    """Each pair in a view, None where the view does not show it: `lists` needs both lists recorded,
    `text` reads the titles in both texts."""
    return [_compare(pair, item_index, view) for pair in pairs]


def default_view(pairs: Sequence[ReplyPair]) -> View:
    """Lists where any pair records both, else text."""
    listed = any(
        pair.first.recommendations is not None and pair.second.recommendations is not None for pair in pairs
    )
    return View.LISTS if listed else View.TEXT


def _compare(pair: ReplyPair, item_index: ItemIndex, view: View) -> Comparison | None:
    first, second = _top(pair.first, item_index, view), _top(pair.second, item_index, view)
    if first is None or second is None:
        return None
    if not first or not second:
        return Comparison(first == second, None, None)
    if first == second:
        return Comparison(True, True, None)
    fits = [item_index.fits(key, pair.attributes) for key in (first, second)] if pair.attributes else [None]
    if False in fits:
        return Comparison(True, False, diverse=False)
    if None in fits:
        return Comparison(True, False, None, _unknown(pair, item_index))
    return Comparison(True, False, diverse=True)


def _unknown(pair: ReplyPair, item_index: ItemIndex) -> Undefined:
    """Return the reason why it is unknown whether two items fit."""
    if not pair.attributes:
        return Undefined.NO_ATTRIBUTES
    return Undefined.UNKNOWN_ITEMS if item_index.stocked else Undefined.NO_CATALOG


def _top(reply: Reply, item_index: ItemIndex, view: View) -> str | None:
    """The key of the first item recommended, "" where none is, None where the view shows nothing."""
    if view is View.LISTS:
        listed = reply.recommendations
        return None if listed is None else item_index.key(listed[0]) if listed else ""
    named = item_index.named(reply.content)
    return named[0].key if named else ""
