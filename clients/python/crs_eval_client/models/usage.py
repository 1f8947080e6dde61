from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="Usage")


@_attrs_define
class Usage:
    """Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not spend.

    Attributes:
        input_tokens (int):
        output_tokens (int):
        cached_input_tokens (int):
        cost (float | None): Null where no price is configured.
        saved_tokens (int):
    """

    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost: float | None
    saved_tokens: int

    def to_dict(self) -> dict[str, Any]:
        input_tokens = self.input_tokens

        output_tokens = self.output_tokens

        cached_input_tokens = self.cached_input_tokens

        cost: float | None
        cost = self.cost

        saved_tokens = self.saved_tokens

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "input_tokens": input_tokens,
                "output_tokens": output_tokens,
                "cached_input_tokens": cached_input_tokens,
                "cost": cost,
                "saved_tokens": saved_tokens,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_tokens = d.pop("input_tokens")

        output_tokens = d.pop("output_tokens")

        cached_input_tokens = d.pop("cached_input_tokens")

        def _parse_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        cost = _parse_cost(d.pop("cost"))

        saved_tokens = d.pop("saved_tokens")

        usage = cls(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cached_input_tokens=cached_input_tokens,
            cost=cost,
            saved_tokens=saved_tokens,
        )

        return usage
