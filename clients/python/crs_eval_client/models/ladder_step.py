from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="LadderStep")


@_attrs_define
class LadderStep:
    """Values up to `at_most`, from `at_least` on, or greater than `above` reach `level`; one of the three is set.

    Attributes:
        at_most (float | None):
        at_least (float | None):
        above (float | None):
        level (int):
    """

    at_most: float | None
    at_least: float | None
    above: float | None
    level: int

    def to_dict(self) -> dict[str, Any]:
        at_most: float | None
        at_most = self.at_most

        at_least: float | None
        at_least = self.at_least

        above: float | None
        above = self.above

        level = self.level

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "at_most": at_most,
                "at_least": at_least,
                "above": above,
                "level": level,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_at_most(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        at_most = _parse_at_most(d.pop("at_most"))

        def _parse_at_least(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        at_least = _parse_at_least(d.pop("at_least"))

        def _parse_above(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        above = _parse_above(d.pop("above"))

        level = d.pop("level")

        ladder_step = cls(
            at_most=at_most,
            at_least=at_least,
            above=above,
            level=level,
        )

        return ladder_step
