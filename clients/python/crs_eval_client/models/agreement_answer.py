from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.agreement_row import AgreementRow
    from ..models.notice import Notice


T = TypeVar("T", bound="AgreementAnswer")


@_attrs_define
class AgreementAnswer:
    """A tidy table: one row a figure.

    Attributes:
        rows (list[AgreementRow]):
        warnings (list[Notice]):
    """

    rows: list[AgreementRow]
    warnings: list[Notice]

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for rows_item_data in self.rows:
            rows_item = rows_item_data.to_dict()
            rows.append(rows_item)

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rows": rows,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agreement_row import AgreementRow  # noqa: PLC0415
        from ..models.notice import Notice  # noqa: PLC0415

        d = dict(src_dict)
        rows = []
        _rows = d.pop("rows")
        for rows_item_data in _rows:
            rows_item = AgreementRow.from_dict(rows_item_data)

            rows.append(rows_item)

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = Notice.from_dict(warnings_item_data)

            warnings.append(warnings_item)

        agreement_answer = cls(
            rows=rows,
            warnings=warnings,
        )

        return agreement_answer
