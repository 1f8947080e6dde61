from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Budget")


@_attrs_define
class Budget:
    """What the request may spend; exceeding it ends in a 402 that carries what was done.

    Attributes:
        tokens (int | None | Unset): Input and output together; cache hits are free.
        cost (float | None | Unset): In the currency of the operator's prices; 422 where none are configured.
    """

    tokens: int | None | Unset = UNSET
    cost: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        tokens: int | None | Unset
        if isinstance(self.tokens, Unset):
            tokens = UNSET
        else:
            tokens = self.tokens

        cost: float | None | Unset
        if isinstance(self.cost, Unset):
            cost = UNSET
        else:
            cost = self.cost

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if cost is not UNSET:
            field_dict["cost"] = cost

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tokens = _parse_tokens(d.pop("tokens", UNSET))

        def _parse_cost(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        cost = _parse_cost(d.pop("cost", UNSET))

        budget = cls(
            tokens=tokens,
            cost=cost,
        )

        return budget
