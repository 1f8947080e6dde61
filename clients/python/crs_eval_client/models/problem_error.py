from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ProblemError")


@_attrs_define
class ProblemError:
    """One thing wrong with the request.

    Attributes:
        pointer (str): JSON pointer into the body; empty for the body itself.
        detail (str):
        fix (str): What to send instead.
    """

    pointer: str
    detail: str
    fix: str

    def to_dict(self) -> dict[str, Any]:
        pointer = self.pointer

        detail = self.detail

        fix = self.fix

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "pointer": pointer,
                "detail": detail,
                "fix": fix,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pointer = d.pop("pointer")

        detail = d.pop("detail")

        fix = d.pop("fix")

        problem_error = cls(
            pointer=pointer,
            detail=detail,
            fix=fix,
        )

        return problem_error
