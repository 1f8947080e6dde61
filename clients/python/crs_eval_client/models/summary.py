from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.scale import Scale
    from ..models.summary_dimensions import SummaryDimensions


T = TypeVar("T", bound="Summary")


@_attrs_define
class Summary:
    """The verdicts of one protocol in a few numbers.

    Attributes:
        protocol (str):
        scale (Scale): The levels that a factor has, both ends included.
        mean (float | None): Over scored factors; null where there is none.
        dimensions (SummaryDimensions): The mean of each dimension's scored factors.
        assessed (int):
        not_assessable (int):
        failed (int):
        total (float | None): Sum of the scores; null where nothing was scored.
    """

    protocol: str
    scale: Scale
    mean: float | None
    dimensions: SummaryDimensions
    assessed: int
    not_assessable: int
    failed: int
    total: float | None

    def to_dict(self) -> dict[str, Any]:
        protocol = self.protocol

        scale = self.scale.to_dict()

        mean: float | None
        mean = self.mean

        dimensions = self.dimensions.to_dict()

        assessed = self.assessed

        not_assessable = self.not_assessable

        failed = self.failed

        total: float | None
        total = self.total

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "protocol": protocol,
                "scale": scale,
                "mean": mean,
                "dimensions": dimensions,
                "assessed": assessed,
                "not_assessable": not_assessable,
                "failed": failed,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.scale import Scale  # noqa: PLC0415
        from ..models.summary_dimensions import SummaryDimensions  # noqa: PLC0415

        d = dict(src_dict)
        protocol = d.pop("protocol")

        scale = Scale.from_dict(d.pop("scale"))

        def _parse_mean(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean = _parse_mean(d.pop("mean"))

        dimensions = SummaryDimensions.from_dict(d.pop("dimensions"))

        assessed = d.pop("assessed")

        not_assessable = d.pop("not_assessable")

        failed = d.pop("failed")

        def _parse_total(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        total = _parse_total(d.pop("total"))

        summary = cls(
            protocol=protocol,
            scale=scale,
            mean=mean,
            dimensions=dimensions,
            assessed=assessed,
            not_assessable=not_assessable,
            failed=failed,
            total=total,
        )

        return summary
