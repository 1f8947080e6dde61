from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="RoleRequest")


@_attrs_define
class RoleRequest:
    """A participant: one of the service's roles by `name` alone, or one of the caller's own, with
    `description` and `factors`.

        Attributes:
            name (str):
            description (None | str | Unset): Who it is and what it cares about, addressed to it.
            factors (list[str] | None | Unset): Slugs of the factors that it answers for.
    """

    name: str
    description: None | str | Unset = UNSET
    factors: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        factors: list[str] | None | Unset
        if isinstance(self.factors, Unset):
            factors = UNSET
        elif isinstance(self.factors, list):
            factors = self.factors

        else:
            factors = self.factors

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if description is not UNSET:
            field_dict["description"] = description
        if factors is not UNSET:
            field_dict["factors"] = factors

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))

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

        role_request = cls(
            name=name,
            description=description,
            factors=factors,
        )

        return role_request
