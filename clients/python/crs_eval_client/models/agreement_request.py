from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.statistic import Statistic
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.agreement_request_scales_type_0 import AgreementRequestScalesType0
    from ..models.rating import Rating


T = TypeVar("T", bound="AgreementRequest")


@_attrs_define
class AgreementRequest:
    """Ratings of any judges and people, and what is to be said of them.

    Attributes:
        ratings (list[Rating]):
        statistics (list[Statistic] | None | Unset): All unless said.
        bootstrap (int | None | Unset): Resamples of conversations behind the 95 % intervals; 1000 unless said, 0 for no
            intervals.
        scales (AgreementRequestScalesType0 | None | Unset): Levels by factor, for Randolph's kappa; those of this
            service's own factors are known, others reach from the lowest to the highest score given.
    """

    ratings: list[Rating]
    statistics: list[Statistic] | None | Unset = UNSET
    bootstrap: int | None | Unset = UNSET
    scales: AgreementRequestScalesType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.agreement_request_scales_type_0 import AgreementRequestScalesType0  # noqa: PLC0415

        ratings = []
        for ratings_item_data in self.ratings:
            ratings_item = ratings_item_data.to_dict()
            ratings.append(ratings_item)

        statistics: list[str] | None | Unset
        if isinstance(self.statistics, Unset):
            statistics = UNSET
        elif isinstance(self.statistics, list):
            statistics = []
            for statistics_type_0_item_data in self.statistics:
                statistics_type_0_item = statistics_type_0_item_data.value
                statistics.append(statistics_type_0_item)

        else:
            statistics = self.statistics

        bootstrap: int | None | Unset
        if isinstance(self.bootstrap, Unset):
            bootstrap = UNSET
        else:
            bootstrap = self.bootstrap

        scales: dict[str, Any] | None | Unset
        if isinstance(self.scales, Unset):
            scales = UNSET
        elif isinstance(self.scales, AgreementRequestScalesType0):
            scales = self.scales.to_dict()
        else:
            scales = self.scales

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "ratings": ratings,
            }
        )
        if statistics is not UNSET:
            field_dict["statistics"] = statistics
        if bootstrap is not UNSET:
            field_dict["bootstrap"] = bootstrap
        if scales is not UNSET:
            field_dict["scales"] = scales

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agreement_request_scales_type_0 import AgreementRequestScalesType0  # noqa: PLC0415
        from ..models.rating import Rating  # noqa: PLC0415

        d = dict(src_dict)
        ratings = []
        _ratings = d.pop("ratings")
        for ratings_item_data in _ratings:
            ratings_item = Rating.from_dict(ratings_item_data)

            ratings.append(ratings_item)

        def _parse_statistics(data: object) -> list[Statistic] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                statistics_type_0 = []
                _statistics_type_0 = data
                for statistics_type_0_item_data in _statistics_type_0:
                    statistics_type_0_item = Statistic(statistics_type_0_item_data)

                    statistics_type_0.append(statistics_type_0_item)

                return statistics_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Statistic] | None | Unset, data)

        statistics = _parse_statistics(d.pop("statistics", UNSET))

        def _parse_bootstrap(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        bootstrap = _parse_bootstrap(d.pop("bootstrap", UNSET))

        def _parse_scales(data: object) -> AgreementRequestScalesType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scales_type_0 = AgreementRequestScalesType0.from_dict(data)

                return scales_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AgreementRequestScalesType0 | None | Unset, data)

        scales = _parse_scales(d.pop("scales", UNSET))

        agreement_request = cls(
            ratings=ratings,
            statistics=statistics,
            bootstrap=bootstrap,
            scales=scales,
        )

        return agreement_request
