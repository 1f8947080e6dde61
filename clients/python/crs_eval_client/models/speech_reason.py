from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="SpeechReason")


@_attrs_define
class SpeechReason:
    """Why a role has no score.

    Attributes:
        code (str): From a published list that may grow.
        detail (str):
    """

    code: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        speech_reason = cls(
            code=code,
            detail=detail,
        )

        return speech_reason
