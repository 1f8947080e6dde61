from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Reply")


@_attrs_define
class Reply:
    """A recommender's reply to one wording of a message.

    Attributes:
        content (str):
        recommendations (list[str] | None | Unset): The list shown with it, best first; leave it out where none is
            recorded.
    """

    content: str
    recommendations: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        content = self.content

        recommendations: list[str] | None | Unset
        if isinstance(self.recommendations, Unset):
            recommendations = UNSET
        elif isinstance(self.recommendations, list):
            recommendations = self.recommendations

        else:
            recommendations = self.recommendations

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "content": content,
            }
        )
        if recommendations is not UNSET:
            field_dict["recommendations"] = recommendations

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = d.pop("content")

        def _parse_recommendations(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                recommendations_type_0 = cast(list[str], data)

                return recommendations_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        recommendations = _parse_recommendations(d.pop("recommendations", UNSET))

        reply = cls(
            content=content,
            recommendations=recommendations,
        )

        return reply
