from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.batch_result_body import BatchResultBody


T = TypeVar("T", bound="BatchResult")


@_attrs_define
class BatchResult:
    """What became of one line, as soon as it is known: a line of the answer.

    Attributes:
        line (int): The line's number in the request's body, from 1, empty lines counted.
        custom_id (None | str): Null where the line could not be read.
        status (int): The status that the route would have answered with.
        body (BatchResultBody): The route's answer, or a problem.
    """

    line: int
    custom_id: None | str
    status: int
    body: BatchResultBody

    def to_dict(self) -> dict[str, Any]:
        line = self.line

        custom_id: None | str
        custom_id = self.custom_id

        status = self.status

        body = self.body.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "line": line,
                "custom_id": custom_id,
                "status": status,
                "body": body,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_result_body import BatchResultBody  # noqa: PLC0415

        d = dict(src_dict)
        line = d.pop("line")

        def _parse_custom_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        custom_id = _parse_custom_id(d.pop("custom_id"))

        status = d.pop("status")

        body = BatchResultBody.from_dict(d.pop("body"))

        batch_result = cls(
            line=line,
            custom_id=custom_id,
            status=status,
            body=body,
        )

        return batch_result
