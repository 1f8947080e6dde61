from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.scope import Scope
from ..models.unit import Unit
from ..models.view import View

if TYPE_CHECKING:
    from ..models.interval import Interval
    from ..models.metric_row_group import MetricRowGroup


T = TypeVar("T", bound="MetricRow")


@_attrs_define
class MetricRow:
    """One figure.

    Attributes:
        metric (str):
        view (None | View): Whose side it is seen from.
        scope (None | Scope): What of a session it reads.
        k (int | None): Where lists were cut; null for the whole list.
        turn (int | None): Up to, or at, which turn, from 1; null for the whole session.
        group (MetricRowGroup): The labels of `group_by`, and what tells apart figures of one metric.
        value (float | None): Null where `undefined` says why. Shares are fractions.
        unit (Unit): What a value counts. Shares are fractions; points are those of a 1-5 scale.
        n (int): What the value is a mean over: conversations, titles, pairs or groups.
        interval (Interval | None): Null without a value, and below two units.
        undefined (None | str): A code from a published list that may grow.
    """

    metric: str
    view: None | View
    scope: None | Scope
    k: int | None
    turn: int | None
    group: MetricRowGroup
    value: float | None
    unit: Unit
    n: int
    interval: Interval | None
    undefined: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.interval import Interval  # noqa: PLC0415

        metric = self.metric

        view: None | str
        if isinstance(self.view, View):
            view = self.view.value
        else:
            view = self.view

        scope: None | str
        if isinstance(self.scope, Scope):
            scope = self.scope.value
        else:
            scope = self.scope

        k: int | None
        k = self.k

        turn: int | None
        turn = self.turn

        group = self.group.to_dict()

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
                "metric": metric,
                "view": view,
                "scope": scope,
                "k": k,
                "turn": turn,
                "group": group,
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
        from ..models.metric_row_group import MetricRowGroup  # noqa: PLC0415

        d = dict(src_dict)
        metric = d.pop("metric")

        def _parse_view(data: object) -> None | View:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                view_type_0 = View(data)

                return view_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | View, data)

        view = _parse_view(d.pop("view"))

        def _parse_scope(data: object) -> None | Scope:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scope_type_0 = Scope(data)

                return scope_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Scope, data)

        scope = _parse_scope(d.pop("scope"))

        def _parse_k(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        k = _parse_k(d.pop("k"))

        def _parse_turn(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        turn = _parse_turn(d.pop("turn"))

        group = MetricRowGroup.from_dict(d.pop("group"))

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

        metric_row = cls(
            metric=metric,
            view=view,
            scope=scope,
            k=k,
            turn=turn,
            group=group,
            value=value,
            unit=unit,
            n=n,
            interval=interval,
            undefined=undefined,
        )

        return metric_row
