from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="WordedReply")


@_attrs_define
class WordedReply:
    """What the recommender answered to one wording.

    Attributes:
        text (str):
        content (None | str): Null where it gave no usable reply.
        recommendations (list[str] | None):
        failure (None | str): How it failed.
        detail (None | str):
    """

    text: str
    content: None | str
    recommendations: list[str] | None
    failure: None | str
    detail: None | str

    def to_dict(self) -> dict[str, Any]:
        text = self.text

        content: None | str
        content = self.content

        recommendations: list[str] | None
        if isinstance(self.recommendations, list):
            recommendations = self.recommendations

        else:
            recommendations = self.recommendations

        failure: None | str
        failure = self.failure

        detail: None | str
        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "text": text,
                "content": content,
                "recommendations": recommendations,
                "failure": failure,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text = d.pop("text")

        def _parse_content(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        content = _parse_content(d.pop("content"))

        def _parse_recommendations(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                recommendations_type_0 = cast(list[str], data)

                return recommendations_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        recommendations = _parse_recommendations(d.pop("recommendations"))

        def _parse_failure(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        failure = _parse_failure(d.pop("failure"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        worded_reply = cls(
            text=text,
            content=content,
            recommendations=recommendations,
            failure=failure,
            detail=detail,
        )

        return worded_reply
