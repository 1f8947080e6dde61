from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="Interval")


@_attrs_define
class Interval:
    """A percentile interval of a bootstrap over conversations (reply pairs for reliability).

    Attributes:
        low (float):
        high (float):
        level (float): The share of resampled values that it covers.
    """

    low: float
    high: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        low = self.low

        high = self.high

        level = self.level

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "low": low,
                "high": high,
                "level": level,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        low = d.pop("low")

        high = d.pop("high")

        level = d.pop("level")

        interval = cls(
            low=low,
            high=high,
            level=level,
        )

        return interval
