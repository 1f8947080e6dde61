from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="ItemTaste")


@_attrs_define
class ItemTaste:
    """What the user liked and disliked about an item that it has seen.

    Attributes:
        item (str):
        likes (list[str]):
        dislikes (list[str]):
    """

    item: str
    likes: list[str]
    dislikes: list[str]

    def to_dict(self) -> dict[str, Any]:
        item = self.item

        likes = self.likes

        dislikes = self.dislikes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "item": item,
                "likes": likes,
                "dislikes": dislikes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        item = d.pop("item")

        likes = cast(list[str], d.pop("likes"))

        dislikes = cast(list[str], d.pop("dislikes"))

        item_taste = cls(
            item=item,
            likes=likes,
            dislikes=dislikes,
        )

        return item_taste
