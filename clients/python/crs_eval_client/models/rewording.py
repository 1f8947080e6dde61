from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="Rewording")


@_attrs_define
class Rewording:
    """The message in other words.

    Attributes:
        text (str):
        by_rule (bool): Made without a model: exchanged words rather than a new sentence.
    """

    text: str
    by_rule: bool

    def to_dict(self) -> dict[str, Any]:
        text = self.text

        by_rule = self.by_rule

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "text": text,
                "by_rule": by_rule,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text = d.pop("text")

        by_rule = d.pop("by_rule")

        rewording = cls(
            text=text,
            by_rule=by_rule,
        )

        return rewording
