from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.factor_info import FactorInfo


T = TypeVar("T", bound="FactorsAnswer")


@_attrs_define
class FactorsAnswer:
    """All factors, protocol by protocol.

    Attributes:
        factors (list[FactorInfo]):
    """

    factors: list[FactorInfo]

    def to_dict(self) -> dict[str, Any]:
        factors = []
        for factors_item_data in self.factors:
            factors_item = factors_item_data.to_dict()
            factors.append(factors_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "factors": factors,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.factor_info import FactorInfo  # noqa: PLC0415

        d = dict(src_dict)
        factors = []
        _factors = d.pop("factors")
        for factors_item_data in _factors:
            factors_item = FactorInfo.from_dict(factors_item_data)

            factors.append(factors_item)

        factors_answer = cls(
            factors=factors,
        )

        return factors_answer
