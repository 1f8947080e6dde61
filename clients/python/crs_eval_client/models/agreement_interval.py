from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="AgreementInterval")


@_attrs_define
class AgreementInterval:
    """A percentile interval of a bootstrap over conversations.

    Attributes:
        low (float):
        high (float):
        level (float):
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

        agreement_interval = cls(
            low=low,
            high=high,
            level=level,
        )

        return agreement_interval
