"""Replies of a recommender under test as it sends them."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ...domain.parts import ItemsPart
from ...simulators.recommender import Failure, RecommenderFailed, Reply
from ..wire.parts import FIELDS, Part, PartType, ShownItem

LONGEST_LABEL = 2_000
"""Characters of an id or title: no log may hold a longer one."""

Label = Annotated[str, Field(max_length=LONGEST_LABEL)]
_OF_ITEMS = ShownItem.model_fields.keys() - {"popularity"}


def _known(parts: object) -> object:
    """Keep what the contract knows. Other parts and fields are the system's own business, and `content` holds the texts."""
    if not isinstance(parts, list):
        return parts
    kept = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            kept.append(part)
        elif kind in FIELDS and kind != PartType.TEXT and (kind != PartType.TOOL_CALL or part.get("name")):
            needed, allowed, _ = FIELDS[PartType(kind)]
            own = {name: part[name] for name in ("type", *needed, *allowed) if name in part}
            kept.append(
                own | {"items": [_item(one) for one in own.get("items") or ()]} if "items" in needed else own
            )
    return kept


def _item(item: object) -> object:
    if not isinstance(item, dict):
        return item
    own: dict[str, Any] = {name: value for name, value in item.items() if name in _OF_ITEMS}
    if isinstance(values := own.get("attributes"), dict):
        own["attributes"] = {name: [one] if isinstance(one, str) else one for name, one in values.items()}
    return own


class Wire(BaseModel):
    """Fields that we do not know are the system's own business."""

    model_config = ConfigDict(strict=True, extra="ignore")


class Spoken(Wire):
    """A reply on the wire."""

    content: str | None = None
    recommendations: list[Label] | None = None
    parts: Annotated[list[Part] | None, BeforeValidator(_known)] = None

    def reply(self, recommendations: list[str] | None = None) -> Reply:
        """The reply as a value. Raises ValueError for a list beside parts that show other items."""
        items = self.recommendations if self.recommendations is not None else recommendations
        cleaned = None if items is None else tuple(item.strip() for item in items if item.strip())
        parts = tuple(part.value() for part in self.parts or ())
        if lists := [part.cards for part in parts if isinstance(part, ItemsPart)]:
            shown = tuple(card.reference for cards in lists for card in cards)
            if cleaned is not None and shown != cleaned:
                raise ValueError("`recommendations` and the items of `parts` differ")
            cleaned = shown
        return Reply((self.content or "").strip(), cleaned, parts)


def reply_from(said: object) -> Reply:
    """Read a reply `{content, recommendations, parts}`. Raises ValueError for any other value."""
    return Spoken.model_validate(said).reply()


def unreadable(wrong: ValueError) -> RecommenderFailed:
    """The failure of a reply that cannot be read: its first wrong field, and none of its text."""
    detail = str(wrong)
    if isinstance(wrong, ValidationError):
        first = wrong.errors()[0]
        matter = "should be an object" if first["type"] == "model_type" else first["msg"]
        detail = f"{'.'.join(str(part) for part in first['loc']) or 'the body'}: {matter}"
    return RecommenderFailed(Failure.UNREADABLE, f"its answer cannot be read: {detail}")
