from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="Evidence")


@_attrs_define
class Evidence:
    """What a verdict rests on.

    Attributes:
        message (int | None): Index in `messages`.
        message_id (None | str):
        quote (None | str): Words that occur in that message.
        effect (float | None): How far this moved the score, in points of the scale.
    """

    message: int | None
    message_id: None | str
    quote: None | str
    effect: float | None

    def to_dict(self) -> dict[str, Any]:
        message: int | None
        message = self.message

        message_id: None | str
        message_id = self.message_id

        quote: None | str
        quote = self.quote

        effect: float | None
        effect = self.effect

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "message": message,
                "message_id": message_id,
                "quote": quote,
                "effect": effect,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_message(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        message = _parse_message(d.pop("message"))

        def _parse_message_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message_id = _parse_message_id(d.pop("message_id"))

        def _parse_quote(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        quote = _parse_quote(d.pop("quote"))

        def _parse_effect(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        effect = _parse_effect(d.pop("effect"))

        evidence = cls(
            message=message,
            message_id=message_id,
            quote=quote,
            effect=effect,
        )

        return evidence
