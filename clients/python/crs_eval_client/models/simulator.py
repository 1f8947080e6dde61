from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.simulator_type import SimulatorType
from ..types import UNSET, Unset

T = TypeVar("T", bound="Simulator")


@_attrs_define
class Simulator:
    """Which simulated user, and how it is set. Fields that a type does not know are refused.

    Attributes:
        type_ (SimulatorType): The kinds of simulated users; `paraphrase` rewords what a user said.
        judge (None | str | Unset): The model that plays the user, `name:model`; the operator's default unless said.
            `scripted` takes none; `paraphrase` goes by rules without one.
        seed (int | None | Unset): 0 unless said; the same seed, the same user.
        min_rounds (int | None | Unset): `target`: 3 unless said.
        max_rounds (int | None | Unset): 5 (`target`), 10 (`persona`, `scripted`) or 20 (`target-free`) unless said.
        list_cutoff (int | None | Unset): `target`: how far down a list the wanted item counts; 10 unless said.
        items_on_screen (int | None | Unset): `target-free`: how many items of a list it looks at; 4 unless said.
        count (int | None | Unset): `paraphrase`: how many wordings; 3 unless said.
    """

    type_: SimulatorType
    judge: None | str | Unset = UNSET
    seed: int | None | Unset = UNSET
    min_rounds: int | None | Unset = UNSET
    max_rounds: int | None | Unset = UNSET
    list_cutoff: int | None | Unset = UNSET
    items_on_screen: int | None | Unset = UNSET
    count: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_.value

        judge: None | str | Unset
        if isinstance(self.judge, Unset):
            judge = UNSET
        else:
            judge = self.judge

        seed: int | None | Unset
        if isinstance(self.seed, Unset):
            seed = UNSET
        else:
            seed = self.seed

        min_rounds: int | None | Unset
        if isinstance(self.min_rounds, Unset):
            min_rounds = UNSET
        else:
            min_rounds = self.min_rounds

        max_rounds: int | None | Unset
        if isinstance(self.max_rounds, Unset):
            max_rounds = UNSET
        else:
            max_rounds = self.max_rounds

        list_cutoff: int | None | Unset
        if isinstance(self.list_cutoff, Unset):
            list_cutoff = UNSET
        else:
            list_cutoff = self.list_cutoff

        items_on_screen: int | None | Unset
        if isinstance(self.items_on_screen, Unset):
            items_on_screen = UNSET
        else:
            items_on_screen = self.items_on_screen

        count: int | None | Unset
        if isinstance(self.count, Unset):
            count = UNSET
        else:
            count = self.count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
            }
        )
        if judge is not UNSET:
            field_dict["judge"] = judge
        if seed is not UNSET:
            field_dict["seed"] = seed
        if min_rounds is not UNSET:
            field_dict["min_rounds"] = min_rounds
        if max_rounds is not UNSET:
            field_dict["max_rounds"] = max_rounds
        if list_cutoff is not UNSET:
            field_dict["list_cutoff"] = list_cutoff
        if items_on_screen is not UNSET:
            field_dict["items_on_screen"] = items_on_screen
        if count is not UNSET:
            field_dict["count"] = count

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = SimulatorType(d.pop("type"))

        def _parse_judge(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        judge = _parse_judge(d.pop("judge", UNSET))

        def _parse_seed(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        seed = _parse_seed(d.pop("seed", UNSET))

        def _parse_min_rounds(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_rounds = _parse_min_rounds(d.pop("min_rounds", UNSET))

        def _parse_max_rounds(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_rounds = _parse_max_rounds(d.pop("max_rounds", UNSET))

        def _parse_list_cutoff(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        list_cutoff = _parse_list_cutoff(d.pop("list_cutoff", UNSET))

        def _parse_items_on_screen(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        items_on_screen = _parse_items_on_screen(d.pop("items_on_screen", UNSET))

        def _parse_count(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        count = _parse_count(d.pop("count", UNSET))

        simulator = cls(
            type_=type_,
            judge=judge,
            seed=seed,
            min_rounds=min_rounds,
            max_rounds=max_rounds,
            list_cutoff=list_cutoff,
            items_on_screen=items_on_screen,
            count=count,
        )

        return simulator
