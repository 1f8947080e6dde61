from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.problem_error import ProblemError
    from ..models.round_ import Round
    from ..models.usage import Usage
    from ..models.verdict import Verdict


T = TypeVar("T", bound="DebateProblem")


@_attrs_define
class DebateProblem:
    """An error after which verdicts and rounds are at hand: those had before it.

    Attributes:
        type_ (str):
        title (str):
        status (int):
        detail (str):
        request_id (str): Also in the `X-Request-ID` header and in the service's log.
        retryable (bool): Whether the same request may succeed later.
        errors (list[ProblemError]):
        verdicts (list[Verdict]):
        rounds (list[Round]):
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
    """

    type_: str
    title: str
    status: int
    detail: str
    request_id: str
    retryable: bool
    errors: list[ProblemError]
    verdicts: list[Verdict]
    rounds: list[Round]
    usage: Usage
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

        rounds = []
        for rounds_item_data in self.rounds:
            rounds_item = rounds_item_data.to_dict()
            rounds.append(rounds_item)

        usage = self.usage.to_dict()

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
                "rounds": rounds,
                "usage": usage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem_error import ProblemError  # noqa: PLC0415
        from ..models.round_ import Round  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415
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

        rounds = []
        _rounds = d.pop("rounds")
        for rounds_item_data in _rounds:
            rounds_item = Round.from_dict(rounds_item_data)

            rounds.append(rounds_item)

        usage = Usage.from_dict(d.pop("usage"))

        debate_problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            request_id=request_id,
            retryable=retryable,
            errors=errors,
            verdicts=verdicts,
            rounds=rounds,
            usage=usage,
        )

        debate_problem.additional_properties = d
        return debate_problem

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
