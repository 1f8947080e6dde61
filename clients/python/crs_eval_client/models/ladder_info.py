from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.ladder_step import LadderStep


T = TypeVar("T", bound="LadderInfo")


@_attrs_define
class LadderInfo:
    """How a computed count or share becomes a level: the first step that holds, else `floor`.

    Attributes:
        name (str):
        steps (list[LadderStep]):
        floor (int):
    """

    name: str
    steps: list[LadderStep]
    floor: int

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        steps = []
        for steps_item_data in self.steps:
            steps_item = steps_item_data.to_dict()
            steps.append(steps_item)

        floor = self.floor

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "steps": steps,
                "floor": floor,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ladder_step import LadderStep  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        steps = []
        _steps = d.pop("steps")
        for steps_item_data in _steps:
            steps_item = LadderStep.from_dict(steps_item_data)

            steps.append(steps_item)

        floor = d.pop("floor")

        ladder_info = cls(
            name=name,
            steps=steps,
            floor=floor,
        )

        return ladder_info
