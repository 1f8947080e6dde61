from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.ability_part import AbilityPart
    from ..models.ability_score_group import AbilityScoreGroup
    from ..models.interval import Interval


T = TypeVar("T", bound="AbilityScore")


@_attrs_define
class AbilityScore:
    """One ability of one group.

    Attributes:
        group (AbilityScoreGroup): The labels of `group_by`, and what tells apart figures of one metric.
        score (float | None): 1 to 5, higher is better; coordination: from 0, lower is steadier.
        interval (Interval | None):
        n (int): Conversations; reply pairs for reliability; groups for coordination.
        parts (list[AbilityPart]):
        missing (list[str]): Parts that have no value; an ability of 1 to 5 has no score without all of them.
        undefined (None | str): A code from a published list that may grow.
    """

    group: AbilityScoreGroup
    score: float | None
    interval: Interval | None
    n: int
    parts: list[AbilityPart]
    missing: list[str]
    undefined: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.interval import Interval  # noqa: PLC0415

        group = self.group.to_dict()

        score: float | None
        score = self.score

        interval: dict[str, Any] | None
        if isinstance(self.interval, Interval):
            interval = self.interval.to_dict()
        else:
            interval = self.interval

        n = self.n

        parts = []
        for parts_item_data in self.parts:
            parts_item = parts_item_data.to_dict()
            parts.append(parts_item)

        missing = self.missing

        undefined: None | str
        undefined = self.undefined

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "group": group,
                "score": score,
                "interval": interval,
                "n": n,
                "parts": parts,
                "missing": missing,
                "undefined": undefined,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ability_part import AbilityPart  # noqa: PLC0415
        from ..models.ability_score_group import AbilityScoreGroup  # noqa: PLC0415
        from ..models.interval import Interval  # noqa: PLC0415

        d = dict(src_dict)
        group = AbilityScoreGroup.from_dict(d.pop("group"))

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        def _parse_interval(data: object) -> Interval | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                interval_type_0 = Interval.from_dict(data)

                return interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Interval | None, data)

        interval = _parse_interval(d.pop("interval"))

        n = d.pop("n")

        parts = []
        _parts = d.pop("parts")
        for parts_item_data in _parts:
            parts_item = AbilityPart.from_dict(parts_item_data)

            parts.append(parts_item)

        missing = cast(list[str], d.pop("missing"))

        def _parse_undefined(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        undefined = _parse_undefined(d.pop("undefined"))

        ability_score = cls(
            group=group,
            score=score,
            interval=interval,
            n=n,
            parts=parts,
            missing=missing,
            undefined=undefined,
        )

        return ability_score
