from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="SampleInfo")


@_attrs_define
class SampleInfo:
    """Repeated draws: how many were asked for, how many could be read, and how far they lie apart.

    Attributes:
        requested (int):
        n (int):
        scores (list[float]):
        spread (float | None):
    """

    requested: int
    n: int
    scores: list[float]
    spread: float | None

    def to_dict(self) -> dict[str, Any]:
        requested = self.requested

        n = self.n

        scores = self.scores

        spread: float | None
        spread = self.spread

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "requested": requested,
                "n": n,
                "scores": scores,
                "spread": spread,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        requested = d.pop("requested")

        n = d.pop("n")

        scores = cast(list[float], d.pop("scores"))

        def _parse_spread(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        spread = _parse_spread(d.pop("spread"))

        sample_info = cls(
            requested=requested,
            n=n,
            scores=scores,
            spread=spread,
        )

        return sample_info
