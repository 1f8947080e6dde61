"""Items in every spelling: titles, ids, cards with a price and a picture."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Json
from .leftovers import loaded

SEPARATOR = "|"
"""Between the items of a list in one cell: titles hold commas."""
FIELDS = (
    "recommendations", "recommended_items", "recommended", "rec_items", "items", "products", "cards", "recs",
)  # fmt: skip
"""Fields of a message that hold what was shown."""
_IDS = (
    "id", "item_id", "itemId", "product_id", "productId", "sku", "asin", "track_id", "movie_id", "movieId", "_id",
)  # fmt: skip
_TITLES = (
    "title", "name", "label", "product_name", "productName", "item_name", "track_name", "product_title", "text", "header",
)  # fmt: skip
_WRAPPERS = ("item", "product", "card", "items", "products", "cards", "elements", "results")
LONGEST_TITLE = 2000


def shown(value: Any) -> tuple[list[str], list[Json]] | None:
    """The references and the items that a value shows, best first; None where it shows none that can be named.

    A list of titles or ids, of item objects, of either inside `items` or the like, or one string, `|` between titles."""
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, Mapping):
        inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), list)), None)
        return shown(inner) if inner is not None else _of_list([value])
    return _of_list(value) if isinstance(value, list) else None


def _of_text(text: str) -> tuple[list[str], list[Json]]:
    if text.lstrip().startswith("["):
        listed = loaded(text)
        found = _of_list(listed) if isinstance(listed, list) else None
        if found is not None:
            return found
    return [title.strip() for title in text.split(SEPARATOR) if title.strip()], []


def _of_list(value: Sequence[Any]) -> tuple[list[str], list[Json]] | None:
    references: list[str] = []
    items: list[Json] = []
    for one in value:
        if isinstance(one, bool) or one is None:
            return None
        if isinstance(one, str | int | float):
            reference = str(one).strip()
        else:
            item = item_of(one)
            if item is None:
                return None
            items.append(item)
            reference = str(item.get("id") or item["title"])
        if not reference or len(reference) > LONGEST_TITLE:
            return None
        references.append(reference)
    return references, [item for item in items if len(item) > 1]


def item_of(value: Any) -> Json | None:
    """An item object as a log has it: id, title, description, and all else that is text or numbers as attributes. None
    where it has neither a title nor an id."""
    if not isinstance(value, Mapping):
        return None
    inner = next(
        (value[name] for name in ("item", "product", "card") if isinstance(value.get(name), Mapping)), None
    )
    if inner is not None:
        return item_of(
            {**{name: part for name, part in value.items() if not isinstance(part, Mapping)}, **inner}
        )
    id_field = next(
        (name for name in _IDS if isinstance(value.get(name), str | int) and str(value[name]).strip()), None
    )
    title_field = next(
        (name for name in _TITLES if isinstance(value.get(name), str) and value[name].strip()), None
    )
    if id_field is None and title_field is None:
        return None
    title = str(value[title_field] if title_field else value[id_field or ""]).strip()
    item: Json = {"title": title[:LONGEST_TITLE]}
    if id_field:
        item["id"] = str(value[id_field]).strip()
    if isinstance(value.get("description"), str) and value["description"]:
        item["description"] = value["description"]
    attributes = _attributes(value, {id_field, title_field, "description"})
    if attributes:
        item["attributes"] = attributes
    return item


def _attributes(value: Mapping[str, Any], read: set[str | None]) -> dict[str, list[str]]:
    """Every other field by its name; those of a field `attributes` by their own."""
    found: dict[str, list[str]] = {}
    for name, part in value.items():
        if name in read or part in (None, "", [], {}):
            continue
        if name == "attributes" and isinstance(part, Mapping):
            found.update(_attributes(part, set()))
            continue
        parts = part if isinstance(part, list) else [part]
        found[str(name)] = [
            one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in parts
        ]
    return found
