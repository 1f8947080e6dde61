"""An item as its card shows it, on one line that none of its fields can leave."""

from collections.abc import Iterator

from ...domain.parts import Card, Item
from ...prompts import one_line
from ..inquiry import Case

LONGEST_DESCRIPTION = 300


def card_line(card: Card, case: Case) -> str:
    """The title, and what the card says beside it. A reference is told by the title that the log or the catalogue knows for it."""
    known = case.catalogue.match(card.reference) if case.catalogue else None
    if card.item is None:
        return one_line(known.title if known else card.reference)
    named = known.title if known and card.item.title == card.reference else card.item.title
    facts = [*data_facts(card.item), *description(card.item)]
    return one_line(named) + (f" ({'; '.join(facts)})" if facts else "")


def data_facts(item: Item) -> Iterator[str]:
    """Price, rating, stock and attributes, each as `name: value`."""
    if item.price is not None:
        yield f"price: {money(item.price, item.currency)}"
    if item.rating is not None:
        yield f"rating: {item.rating:g}"
    if item.stock is not None:
        yield f"stock: {item.stock}"
    for name, values in item.attributes.items():
        yield f"{one_line(name)}: {one_line(', '.join(values))}"


def description(item: Item) -> Iterator[str]:
    """The beginning of an item's description."""
    if item.description:
        cut = item.description[:LONGEST_DESCRIPTION]
        yield one_line(cut if cut == item.description else f"{cut}…")


def money(price: float, currency: str | None) -> str:
    """A price with its currency."""
    amount = f"{price:.0f}" if price == int(price) else f"{price:.2f}"
    return f"{amount} {one_line(currency)}" if currency else amount
