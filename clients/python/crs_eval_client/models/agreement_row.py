from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.figure_unit import FigureUnit
from ..models.over import Over

if TYPE_CHECKING:
    from ..models.agreement_interval import AgreementInterval


T = TypeVar("T", bound="AgreementRow")


@_attrs_define
class AgreementRow:
    """One figure.

    Attributes:
        statistic (str):
        over (Over): What a figure is taken over: all pairs; one system; pairs within one system each; the systems'
            means; or, in the judge's place, the people's mean of the system (what knowing who talks gives).
        factor (None | str): Null for figures of all factors together.
        other_factor (None | str): The second factor of `coupling`.
        rater (None | str):
        other (None | str): Whom the rater is compared with; `people` is their mean.
        system (None | str):
        other_system (None | str): The second system of a preference.
        round_ (int | None):
        value (float | None):
        unit (FigureUnit): What a value counts: a coefficient of at most 1, a share of 0-1, points of the factor's
            scale.
        n (int): Pairs of scores, of conversations or of factors, systems or debates.
        conversations (int): How many were resampled.
        interval (AgreementInterval | None): Null where the value is, with fewer than two conversations, and where half
            of the resamples leave the figure undefined.
        undefined (None | str): Why the value is null; from a published list that may grow.
    """

    statistic: str
    over: Over
    factor: None | str
    other_factor: None | str
    rater: None | str
    other: None | str
    system: None | str
    other_system: None | str
    round_: int | None
    value: float | None
    unit: FigureUnit
    n: int
    conversations: int
    interval: AgreementInterval | None
    undefined: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.agreement_interval import AgreementInterval  # noqa: PLC0415

        statistic = self.statistic

        over = self.over.value

        factor: None | str
        factor = self.factor

        other_factor: None | str
        other_factor = self.other_factor

        rater: None | str
        rater = self.rater

        other: None | str
        other = self.other

        system: None | str
        system = self.system

        other_system: None | str
        other_system = self.other_system

        round_: int | None
        round_ = self.round_

        value: float | None
        value = self.value

        unit = self.unit.value

        n = self.n

        conversations = self.conversations

        interval: dict[str, Any] | None
        if isinstance(self.interval, AgreementInterval):
            interval = self.interval.to_dict()
        else:
            interval = self.interval

        undefined: None | str
        undefined = self.undefined

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "statistic": statistic,
                "over": over,
                "factor": factor,
                "other_factor": other_factor,
                "rater": rater,
                "other": other,
                "system": system,
                "other_system": other_system,
                "round": round_,
                "value": value,
                "unit": unit,
                "n": n,
                "conversations": conversations,
                "interval": interval,
                "undefined": undefined,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agreement_interval import AgreementInterval  # noqa: PLC0415

        d = dict(src_dict)
        statistic = d.pop("statistic")

        over = Over(d.pop("over"))

        def _parse_factor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        factor = _parse_factor(d.pop("factor"))

        def _parse_other_factor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        other_factor = _parse_other_factor(d.pop("other_factor"))

        def _parse_rater(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rater = _parse_rater(d.pop("rater"))

        def _parse_other(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        other = _parse_other(d.pop("other"))

        def _parse_system(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        system = _parse_system(d.pop("system"))

        def _parse_other_system(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        other_system = _parse_other_system(d.pop("other_system"))

        def _parse_round_(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        round_ = _parse_round_(d.pop("round"))

        def _parse_value(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        value = _parse_value(d.pop("value"))

        unit = FigureUnit(d.pop("unit"))

        n = d.pop("n")

        conversations = d.pop("conversations")

        def _parse_interval(data: object) -> AgreementInterval | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                interval_type_0 = AgreementInterval.from_dict(data)

                return interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AgreementInterval | None, data)

        interval = _parse_interval(d.pop("interval"))

        def _parse_undefined(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        undefined = _parse_undefined(d.pop("undefined"))

        agreement_row = cls(
            statistic=statistic,
            over=over,
            factor=factor,
            other_factor=other_factor,
            rater=rater,
            other=other,
            system=system,
            other_system=other_system,
            round_=round_,
            value=value,
            unit=unit,
            n=n,
            conversations=conversations,
            interval=interval,
            undefined=undefined,
        )

        return agreement_row
