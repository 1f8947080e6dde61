from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.cache_mode import CacheMode
from ..models.grouping import Grouping
from ..models.layout import Layout
from ..models.list_source import ListSource
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.budget import Budget
    from ..models.debate_request_judges_type_0 import DebateRequestJudgesType0
    from ..models.log import Log
    from ..models.role_request import RoleRequest
    from ..models.verdict import Verdict


T = TypeVar("T", bound="DebateRequest")


@_attrs_define
class DebateRequest:
    """A log to be scored and debated, or to be debated on `verdicts` alone.

    Attributes:
        log (Log): One session between a user and a conversational recommender.
        judge (None | str | Unset): `builtin` or `name:model`, as the operator allows; the operator's default unless
            said.
        samples (int | None | Unset): How many times to ask an LLM judge; 1 unless said.
        cache (CacheMode | None | Unset): `use` unless said; `refresh` asks anew and stores; `off` leaves the cache
            alone; `only` never asks.
        layout (Layout | None | Unset): What an LLM's prompt puts first; `auto` unless said.
        catalog (None | str | Unset): Name of a catalogue that the operator provides.
        list_cutoff (int | None | Unset): Items of each reply's list that count; the operator's setting unless said.
        list_source (ListSource | None | Unset): Where recommended items are read; `auto` unless said.
        factors (list[str] | None | Unset): What is scored first: slugs, or names of protocols; those of the roles
            unless said.
        grouping (Grouping | None | Unset): How many factors one call to an LLM answers; `separate` unless said.
        verdicts (list[Verdict] | None | Unset): Verdicts to debate instead of asking for any, as `/score` answered
            them.
        judges (DebateRequestJudgesType0 | None | Unset): Role to judge; `judge`, else the operator's settings for roles
            that it leaves out.
        roles (list[RoleRequest] | None | Unset): The service's own roles unless said.
        max_rounds (int | None | Unset): 4 unless said.
        seed (int | None | Unset): Decides in which order the roles read one another's statements; 0 unless said.
        budget (Budget | None | Unset):
    """

    log: Log
    judge: None | str | Unset = UNSET
    samples: int | None | Unset = UNSET
    cache: CacheMode | None | Unset = UNSET
    layout: Layout | None | Unset = UNSET
    catalog: None | str | Unset = UNSET
    list_cutoff: int | None | Unset = UNSET
    list_source: ListSource | None | Unset = UNSET
    factors: list[str] | None | Unset = UNSET
    grouping: Grouping | None | Unset = UNSET
    verdicts: list[Verdict] | None | Unset = UNSET
    judges: DebateRequestJudgesType0 | None | Unset = UNSET
    roles: list[RoleRequest] | None | Unset = UNSET
    max_rounds: int | None | Unset = UNSET
    seed: int | None | Unset = UNSET
    budget: Budget | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.budget import Budget  # noqa: PLC0415
        from ..models.debate_request_judges_type_0 import DebateRequestJudgesType0  # noqa: PLC0415

        log = self.log.to_dict()

        judge: None | str | Unset
        if isinstance(self.judge, Unset):
            judge = UNSET
        else:
            judge = self.judge

        samples: int | None | Unset
        if isinstance(self.samples, Unset):
            samples = UNSET
        else:
            samples = self.samples

        cache: None | str | Unset
        if isinstance(self.cache, Unset):
            cache = UNSET
        elif isinstance(self.cache, CacheMode):
            cache = self.cache.value
        else:
            cache = self.cache

        layout: None | str | Unset
        if isinstance(self.layout, Unset):
            layout = UNSET
        elif isinstance(self.layout, Layout):
            layout = self.layout.value
        else:
            layout = self.layout

        catalog: None | str | Unset
        if isinstance(self.catalog, Unset):
            catalog = UNSET
        else:
            catalog = self.catalog

        list_cutoff: int | None | Unset
        if isinstance(self.list_cutoff, Unset):
            list_cutoff = UNSET
        else:
            list_cutoff = self.list_cutoff

        list_source: None | str | Unset
        if isinstance(self.list_source, Unset):
            list_source = UNSET
        elif isinstance(self.list_source, ListSource):
            list_source = self.list_source.value
        else:
            list_source = self.list_source

        factors: list[str] | None | Unset
        if isinstance(self.factors, Unset):
            factors = UNSET
        elif isinstance(self.factors, list):
            factors = self.factors

        else:
            factors = self.factors

        grouping: None | str | Unset
        if isinstance(self.grouping, Unset):
            grouping = UNSET
        elif isinstance(self.grouping, Grouping):
            grouping = self.grouping.value
        else:
            grouping = self.grouping

        verdicts: list[dict[str, Any]] | None | Unset
        if isinstance(self.verdicts, Unset):
            verdicts = UNSET
        elif isinstance(self.verdicts, list):
            verdicts = []
            for verdicts_type_0_item_data in self.verdicts:
                verdicts_type_0_item = verdicts_type_0_item_data.to_dict()
                verdicts.append(verdicts_type_0_item)

        else:
            verdicts = self.verdicts

        judges: dict[str, Any] | None | Unset
        if isinstance(self.judges, Unset):
            judges = UNSET
        elif isinstance(self.judges, DebateRequestJudgesType0):
            judges = self.judges.to_dict()
        else:
            judges = self.judges

        roles: list[dict[str, Any]] | None | Unset
        if isinstance(self.roles, Unset):
            roles = UNSET
        elif isinstance(self.roles, list):
            roles = []
            for roles_type_0_item_data in self.roles:
                roles_type_0_item = roles_type_0_item_data.to_dict()
                roles.append(roles_type_0_item)

        else:
            roles = self.roles

        max_rounds: int | None | Unset
        if isinstance(self.max_rounds, Unset):
            max_rounds = UNSET
        else:
            max_rounds = self.max_rounds

        seed: int | None | Unset
        if isinstance(self.seed, Unset):
            seed = UNSET
        else:
            seed = self.seed

        budget: dict[str, Any] | None | Unset
        if isinstance(self.budget, Unset):
            budget = UNSET
        elif isinstance(self.budget, Budget):
            budget = self.budget.to_dict()
        else:
            budget = self.budget

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "log": log,
            }
        )
        if judge is not UNSET:
            field_dict["judge"] = judge
        if samples is not UNSET:
            field_dict["samples"] = samples
        if cache is not UNSET:
            field_dict["cache"] = cache
        if layout is not UNSET:
            field_dict["layout"] = layout
        if catalog is not UNSET:
            field_dict["catalog"] = catalog
        if list_cutoff is not UNSET:
            field_dict["list_cutoff"] = list_cutoff
        if list_source is not UNSET:
            field_dict["list_source"] = list_source
        if factors is not UNSET:
            field_dict["factors"] = factors
        if grouping is not UNSET:
            field_dict["grouping"] = grouping
        if verdicts is not UNSET:
            field_dict["verdicts"] = verdicts
        if judges is not UNSET:
            field_dict["judges"] = judges
        if roles is not UNSET:
            field_dict["roles"] = roles
        if max_rounds is not UNSET:
            field_dict["max_rounds"] = max_rounds
        if seed is not UNSET:
            field_dict["seed"] = seed
        if budget is not UNSET:
            field_dict["budget"] = budget

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.budget import Budget  # noqa: PLC0415
        from ..models.debate_request_judges_type_0 import DebateRequestJudgesType0  # noqa: PLC0415
        from ..models.log import Log  # noqa: PLC0415
        from ..models.role_request import RoleRequest  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415

        d = dict(src_dict)
        log = Log.from_dict(d.pop("log"))

        def _parse_judge(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        judge = _parse_judge(d.pop("judge", UNSET))

        def _parse_samples(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        samples = _parse_samples(d.pop("samples", UNSET))

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

        def _parse_layout(data: object) -> Layout | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                layout_type_0 = Layout(data)

                return layout_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Layout | None | Unset, data)

        layout = _parse_layout(d.pop("layout", UNSET))

        def _parse_catalog(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        catalog = _parse_catalog(d.pop("catalog", UNSET))

        def _parse_list_cutoff(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        list_cutoff = _parse_list_cutoff(d.pop("list_cutoff", UNSET))

        def _parse_list_source(data: object) -> ListSource | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                list_source_type_0 = ListSource(data)

                return list_source_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ListSource | None | Unset, data)

        list_source = _parse_list_source(d.pop("list_source", UNSET))

        def _parse_factors(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                factors_type_0 = cast(list[str], data)

                return factors_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        factors = _parse_factors(d.pop("factors", UNSET))

        def _parse_grouping(data: object) -> Grouping | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                grouping_type_0 = Grouping(data)

                return grouping_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Grouping | None | Unset, data)

        grouping = _parse_grouping(d.pop("grouping", UNSET))

        def _parse_verdicts(data: object) -> list[Verdict] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                verdicts_type_0 = []
                _verdicts_type_0 = data
                for verdicts_type_0_item_data in _verdicts_type_0:
                    verdicts_type_0_item = Verdict.from_dict(verdicts_type_0_item_data)

                    verdicts_type_0.append(verdicts_type_0_item)

                return verdicts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Verdict] | None | Unset, data)

        verdicts = _parse_verdicts(d.pop("verdicts", UNSET))

        def _parse_judges(data: object) -> DebateRequestJudgesType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                judges_type_0 = DebateRequestJudgesType0.from_dict(data)

                return judges_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DebateRequestJudgesType0 | None | Unset, data)

        judges = _parse_judges(d.pop("judges", UNSET))

        def _parse_roles(data: object) -> list[RoleRequest] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                roles_type_0 = []
                _roles_type_0 = data
                for roles_type_0_item_data in _roles_type_0:
                    roles_type_0_item = RoleRequest.from_dict(roles_type_0_item_data)

                    roles_type_0.append(roles_type_0_item)

                return roles_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[RoleRequest] | None | Unset, data)

        roles = _parse_roles(d.pop("roles", UNSET))

        def _parse_max_rounds(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_rounds = _parse_max_rounds(d.pop("max_rounds", UNSET))

        def _parse_seed(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        seed = _parse_seed(d.pop("seed", UNSET))

        def _parse_budget(data: object) -> Budget | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                budget_type_0 = Budget.from_dict(data)

                return budget_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Budget | None | Unset, data)

        budget = _parse_budget(d.pop("budget", UNSET))

        debate_request = cls(
            log=log,
            judge=judge,
            samples=samples,
            cache=cache,
            layout=layout,
            catalog=catalog,
            list_cutoff=list_cutoff,
            list_source=list_source,
            factors=factors,
            grouping=grouping,
            verdicts=verdicts,
            judges=judges,
            roles=roles,
            max_rounds=max_rounds,
            seed=seed,
            budget=budget,
        )

        return debate_request
