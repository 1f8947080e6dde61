from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SeenItem")


@_attrs_define
class SeenItem:
    """An item that the user knows already.

    Attributes:
        item (str):
        review (None | str | Unset):
    """

    item: str
    review: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        item = self.item

        review: None | str | Unset
        if isinstance(self.review, Unset):
            review = UNSET
        else:
            review = self.review

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "item": item,
            }
        )
        if review is not UNSET:
            field_dict["review"] = review

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        item = d.pop("item")

        def _parse_review(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        review = _parse_review(d.pop("review", UNSET))

        seen_item = cls(
            item=item,
            review=review,
        )

        return seen_item
