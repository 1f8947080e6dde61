from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.abilities import Abilities
    from ..models.metric_row import MetricRow


T = TypeVar("T", bound="MetricsAnswer")


@_attrs_define
class MetricsAnswer:
    """A tidy table, one row a figure, and the abilities.

    Attributes:
        rows (list[MetricRow]):
        abilities (Abilities): CONCEPT's six abilities, each with a score for each group.
    """

    rows: list[MetricRow]
    abilities: Abilities

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for rows_item_data in self.rows:
            rows_item = rows_item_data.to_dict()
            rows.append(rows_item)

        abilities = self.abilities.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rows": rows,
                "abilities": abilities,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.abilities import Abilities  # noqa: PLC0415
        from ..models.metric_row import MetricRow  # noqa: PLC0415

        d = dict(src_dict)
        rows = []
        _rows = d.pop("rows")
        for rows_item_data in _rows:
            rows_item = MetricRow.from_dict(rows_item_data)

            rows.append(rows_item)

        abilities = Abilities.from_dict(d.pop("abilities"))

        metrics_answer = cls(
            rows=rows,
            abilities=abilities,
        )

        return metrics_answer
