from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="TurnScore")


@_attrs_define
class TurnScore:
    """The factor's score for one reply.

    Attributes:
        message (int): Index in `messages`.
        score (float):
    """

    message: int
    score: float

    def to_dict(self) -> dict[str, Any]:
        message = self.message

        score = self.score

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "message": message,
                "score": score,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        message = d.pop("message")

        score = d.pop("score")

        turn_score = cls(
            message=message,
            score=score,
        )

        return turn_score
