from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.problem_error import ProblemError
    from ..models.verdict import Verdict


T = TypeVar("T", bound="ScoreProblem")


@_attrs_define
class ScoreProblem:
    """An error after which some verdicts, failed ones, are at hand.

    Attributes:
        type_ (str):
        title (str):
        status (int):
        detail (str):
        request_id (str): Also in the `X-Request-ID` header and in the service's log.
        retryable (bool): Whether the same request may succeed later.
        errors (list[ProblemError]):
        verdicts (list[Verdict]):
    """

    type_: str
    title: str
    status: int
    detail: str
    request_id: str
    retryable: bool
    errors: list[ProblemError]
    verdicts: list[Verdict]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        request_id = self.request_id

        retryable = self.retryable

        errors = []
        for errors_item_data in self.errors:
            errors_item = errors_item_data.to_dict()
            errors.append(errors_item)

        verdicts = []
        for verdicts_item_data in self.verdicts:
            verdicts_item = verdicts_item_data.to_dict()
            verdicts.append(verdicts_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "title": title,
                "status": status,
                "detail": detail,
                "request_id": request_id,
                "retryable": retryable,
                "errors": errors,
                "verdicts": verdicts,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem_error import ProblemError  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415

        d = dict(src_dict)
        type_ = d.pop("type")

        title = d.pop("title")

        status = d.pop("status")

        detail = d.pop("detail")

        request_id = d.pop("request_id")

        retryable = d.pop("retryable")

        errors = []
        _errors = d.pop("errors")
        for errors_item_data in _errors:
            errors_item = ProblemError.from_dict(errors_item_data)

            errors.append(errors_item)

        verdicts = []
        _verdicts = d.pop("verdicts")
        for verdicts_item_data in _verdicts:
            verdicts_item = Verdict.from_dict(verdicts_item_data)

            verdicts.append(verdicts_item)

        score_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            request_id=request_id,
            retryable=retryable,
            errors=errors,
            verdicts=verdicts,
        )

        score_problem.additional_properties = d
        return score_problem

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
