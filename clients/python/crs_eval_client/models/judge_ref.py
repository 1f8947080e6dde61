from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="JudgeRef")


@_attrs_define
class JudgeRef:
    """Who judged: the judge's name and the model that answered, as its provider names it.

    Attributes:
        name (str):
        model (None | str):
    """

    name: str
    model: None | str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        model: None | str
        model = self.model

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "model": model,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_model(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        model = _parse_model(d.pop("model"))

        judge_ref = cls(
            name=name,
            model=model,
        )

        return judge_ref
