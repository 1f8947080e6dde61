"""Items in every spelling: titles, ids, cards with a price and a picture."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Json
from .leftovers import as_text, loaded

SEPARATOR = "|"
"""Between the items of a list in one cell: titles hold commas."""
FIELDS = (
    "recommendations", "recommended_items", "recommended", "rec_items", "items", "products", "cards", "recs", "recommended_products",
    "recommended_movies", "suggested_items", "suggested_products", "shown_items", "shown_products",
)  # fmt: skip
"""Fields of a message that hold what was shown."""
_IDS = (
    "id", "item_id", "itemId", "product_id", "productId", "sku", "asin", "track_id", "movie_id", "movieId", "_id",
)  # fmt: skip
_TITLES = (
    "title", "name", "label", "product_name", "productName", "item_name", "track_name", "product_title", "text", "header",
)  # fmt: skip
_WRAPPERS_OF_ONE = ("item", "product", "card")
_WRAPPERS = (*_WRAPPERS_OF_ONE, "items", "products", "cards", "elements", "results")
LONGEST_TITLE = 2000


def shown(value: Any) -> tuple[list[str], list[Json]] | None:
    """The references and the items that a value shows, best first; None where it shows none that can be named.

    A list of titles or ids, of item objects, of either inside `items` or the like, or one string, `|` between titles."""
    if isinstance(value, str):
        listed = loaded(value)
        found = _of_list(listed) if isinstance(listed, list) else None
        return found or ([title.strip() for title in value.split(SEPARATOR) if title.strip()], [])
    if isinstance(value, Mapping):
        inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), list)), None)
        return shown(inner) if inner is not None else _of_list([value])
    return _of_list(value) if isinstance(value, list) else None


def _of_list(value: Sequence[Any]) -> tuple[list[str], list[Json]] | None:
    references: list[str] = []
    items: list[Json] = []
    for one in value:
        if isinstance(one, str | int | float) and not isinstance(one, bool):
            reference = str(one).strip()
        elif (item := item_of(one)) is not None:
            items.append(item)
            reference = str(item.get("id") or item["title"])
        else:
            return None
        if not reference or len(reference) > LONGEST_TITLE:
            return None
        references.append(reference)
    return references, [item for item in items if len(item) > 1]


def item_of(value: Any) -> Json | None:
    """An item object as a log has it: id, title, description, and all else that is text or numbers as attributes. None
    where it has neither a title nor an id."""
    if not isinstance(value, Mapping):
        return None
    held = (value[name] for name in _WRAPPERS_OF_ONE if isinstance(value.get(name), Mapping))
    if (inner := next(held, None)) is not None:
        around = {name: part for name, part in value.items() if not isinstance(part, Mapping)}
        return item_of({**around, **inner})
    ids = (name for name in _IDS if isinstance(value.get(name), str | int) and str(value[name]).strip())
    titles = (name for name in _TITLES if isinstance(value.get(name), str) and value[name].strip())
    id_field, title_field = next(ids, None), next(titles, None)
    named = title_field or id_field
    if named is None or "text" in (value.get("type"), value.get("content_type")):
        return None
    item: Json = {"title": str(value[named]).strip()[:LONGEST_TITLE]}
    if id_field:
        item["id"] = str(value[id_field]).strip()
    if isinstance(value.get("description"), str) and value["description"]:
        item["description"] = value["description"]
    attributes = _attributes(value, {id_field, title_field, "description"})
    return {**item, "attributes": attributes} if attributes else item


def _attributes(value: Mapping[str, Any], read: set[str | None]) -> dict[str, list[str]]:
    """Every other field by its name; those of a field `attributes` by their own."""
    found: dict[str, list[str]] = {}
    for name, part in value.items():
        if name in read or part in (None, "", [], {}):
            continue
        if name == "attributes" and isinstance(part, Mapping):
            found.update(_attributes(part, set()))
        else:
            found[str(name)] = [as_text(one) for one in (part if isinstance(part, list) else [part])]
    return found
