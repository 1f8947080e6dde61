from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="Flag")


@_attrs_define
class Flag:
    """A remark that a reader must not miss.

    Attributes:
        code (str): From a published list that may grow.
        message (int | None): Index in `messages`, where it concerns one.
        detail (str):
    """

    code: str
    message: int | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        message: int | None
        message = self.message

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "message": message,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        def _parse_message(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        message = _parse_message(d.pop("message"))

        detail = d.pop("detail")

        flag = cls(
            code=code,
            message=message,
            detail=detail,
        )

        return flag
