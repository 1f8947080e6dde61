from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="Level")


@_attrs_define
class Level:
    """One level of a factor's scale and its standard.

    Attributes:
        level (int):
        standard (str):
    """

    level: int
    standard: str

    def to_dict(self) -> dict[str, Any]:
        level = self.level

        standard = self.standard

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "level": level,
                "standard": standard,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        level = d.pop("level")

        standard = d.pop("standard")

        level = cls(
            level=level,
            standard=standard,
        )

        return level
