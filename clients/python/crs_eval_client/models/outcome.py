from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Outcome")


@_attrs_define
class Outcome:
    """How the session ended.

    Attributes:
        accepted (bool): Whether the user accepted a recommendation.
        message (int | None | Unset): The accepting message, as an index in `messages`.
    """

    accepted: bool
    message: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        accepted = self.accepted

        message: int | None | Unset
        if isinstance(self.message, Unset):
            message = UNSET
        else:
            message = self.message

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "accepted": accepted,
            }
        )
        if message is not UNSET:
            field_dict["message"] = message

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        accepted = d.pop("accepted")

        def _parse_message(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        message = _parse_message(d.pop("message", UNSET))

        outcome = cls(
            accepted=accepted,
            message=message,
        )

        return outcome
