from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="Reason")


@_attrs_define
class Reason:
    """Why there is no score.

    Attributes:
        code (str): From a published list that may grow.
        detail (str):
        missing (list[str]): The inputs that would make the factor assessable.
    """

    code: str
    detail: str
    missing: list[str]

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        missing = self.missing

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "detail": detail,
                "missing": missing,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        missing = cast(list[str], d.pop("missing"))

        reason = cls(
            code=code,
            detail=detail,
            missing=missing,
        )

        return reason
