from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.unit import Unit

if TYPE_CHECKING:
    from ..models.interval import Interval


T = TypeVar("T", bound="AbilityPart")


@_attrs_define
class AbilityPart:
    """A share, a judged mean or a coordination that an ability rests on.

    Attributes:
        name (str):
        value (float | None):
        unit (Unit): What a value counts. Shares are fractions; points are those of a 1-5 scale.
        n (int):
        interval (Interval | None):
        undefined (None | str): A code from a published list that may grow.
    """

    name: str
    value: float | None
    unit: Unit
    n: int
    interval: Interval | None
    undefined: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.interval import Interval  # noqa: PLC0415

        name = self.name

        value: float | None
        value = self.value

        unit = self.unit.value

        n = self.n

        interval: dict[str, Any] | None
        if isinstance(self.interval, Interval):
            interval = self.interval.to_dict()
        else:
            interval = self.interval

        undefined: None | str
        undefined = self.undefined

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "value": value,
                "unit": unit,
                "n": n,
                "interval": interval,
                "undefined": undefined,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.interval import Interval  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_value(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        value = _parse_value(d.pop("value"))

        unit = Unit(d.pop("unit"))

        n = d.pop("n")

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

        def _parse_undefined(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        undefined = _parse_undefined(d.pop("undefined"))

        ability_part = cls(
            name=name,
            value=value,
            unit=unit,
            n=n,
            interval=interval,
            undefined=undefined,
        )

        return ability_part
