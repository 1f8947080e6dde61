from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Review")


@_attrs_define
class Review:
    """A review that the user wrote.

    Attributes:
        item (str):
        text (str):
        rating (float | None | Unset): On any scale, higher is better.
        held_out (bool | None | Unset): True to keep it from the simulated user: neither text nor item reaches a prompt.
    """

    item: str
    text: str
    rating: float | None | Unset = UNSET
    held_out: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        item = self.item

        text = self.text

        rating: float | None | Unset
        if isinstance(self.rating, Unset):
            rating = UNSET
        else:
            rating = self.rating

        held_out: bool | None | Unset
        if isinstance(self.held_out, Unset):
            held_out = UNSET
        else:
            held_out = self.held_out

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "item": item,
                "text": text,
            }
        )
        if rating is not UNSET:
            field_dict["rating"] = rating
        if held_out is not UNSET:
            field_dict["held_out"] = held_out

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        item = d.pop("item")

        text = d.pop("text")

        def _parse_rating(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        rating = _parse_rating(d.pop("rating", UNSET))

        def _parse_held_out(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        held_out = _parse_held_out(d.pop("held_out", UNSET))

        review = cls(
            item=item,
            text=text,
            rating=rating,
            held_out=held_out,
        )

        return review
