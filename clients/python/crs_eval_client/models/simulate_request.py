from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.cache_mode import CacheMode
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.session_log import SessionLog
    from ..models.simulator import Simulator


T = TypeVar("T", bound="SimulateRequest")


@_attrs_define
class SimulateRequest:
    """A user to simulate, and what was said so far.

    Attributes:
        simulator (Simulator): Which simulated user, and how it is set. Fields that a type does not know are refused.
        log (SessionLog): A log that may still be empty: a session that begins.
        crs (None | str | Unset): A recommender that the operator configured: the whole session is run with it.
        score (list[str] | None | Unset): With `crs`: factors or protocols to judge the session by.
        catalog (None | str | Unset): Name of a catalogue that the operator provides.
        cache (CacheMode | None | Unset): `use` unless said.
    """

    simulator: Simulator
    log: SessionLog
    crs: None | str | Unset = UNSET
    score: list[str] | None | Unset = UNSET
    catalog: None | str | Unset = UNSET
    cache: CacheMode | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        simulator = self.simulator.to_dict()

        log = self.log.to_dict()

        crs: None | str | Unset
        if isinstance(self.crs, Unset):
            crs = UNSET
        else:
            crs = self.crs

        score: list[str] | None | Unset
        if isinstance(self.score, Unset):
            score = UNSET
        elif isinstance(self.score, list):
            score = self.score

        else:
            score = self.score

        catalog: None | str | Unset
        if isinstance(self.catalog, Unset):
            catalog = UNSET
        else:
            catalog = self.catalog

        cache: None | str | Unset
        if isinstance(self.cache, Unset):
            cache = UNSET
        elif isinstance(self.cache, CacheMode):
            cache = self.cache.value
        else:
            cache = self.cache

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "simulator": simulator,
                "log": log,
            }
        )
        if crs is not UNSET:
            field_dict["crs"] = crs
        if score is not UNSET:
            field_dict["score"] = score
        if catalog is not UNSET:
            field_dict["catalog"] = catalog
        if cache is not UNSET:
            field_dict["cache"] = cache

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_log import SessionLog  # noqa: PLC0415
        from ..models.simulator import Simulator  # noqa: PLC0415

        d = dict(src_dict)
        simulator = Simulator.from_dict(d.pop("simulator"))

        log = SessionLog.from_dict(d.pop("log"))

        def _parse_crs(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        crs = _parse_crs(d.pop("crs", UNSET))

        def _parse_score(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                score_type_0 = cast(list[str], data)

                return score_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        score = _parse_score(d.pop("score", UNSET))

        def _parse_catalog(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        catalog = _parse_catalog(d.pop("catalog", UNSET))

        def _parse_cache(data: object) -> CacheMode | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                cache_type_0 = CacheMode(data)

                return cache_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CacheMode | None | Unset, data)

        cache = _parse_cache(d.pop("cache", UNSET))

        simulate_request = cls(
            simulator=simulator,
            log=log,
            crs=crs,
            score=score,
            catalog=catalog,
            cache=cache,
        )

        return simulate_request
