from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.batch_line_body import BatchLineBody


T = TypeVar("T", bound="BatchLine")


@_attrs_define
class BatchLine:
    """One request of a batch: a line of its body.

    Attributes:
        custom_id (str): The caller's name of the line; no two lines may share one.
        path (str): The route that the body goes to, such as `/score`; always by POST.
        body (BatchLineBody): What would be posted to that route.
    """

    custom_id: str
    path: str
    body: BatchLineBody

    def to_dict(self) -> dict[str, Any]:
        custom_id = self.custom_id

        path = self.path

        body = self.body.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "custom_id": custom_id,
                "path": path,
                "body": body,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_line_body import BatchLineBody  # noqa: PLC0415

        d = dict(src_dict)
        custom_id = d.pop("custom_id")

        path = d.pop("path")

        body = BatchLineBody.from_dict(d.pop("body"))

        batch_line = cls(
            custom_id=custom_id,
            path=path,
            body=body,
        )

        return batch_line
