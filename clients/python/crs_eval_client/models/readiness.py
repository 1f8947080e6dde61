from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="Readiness")


@_attrs_define
class Readiness:
    """The service can take requests.

    Attributes:
        status (str):
        factors (int): How many factors are loaded.
        catalogs (list[str]): Catalogues that requests can name.
        default_judge (str):
    """

    status: str
    factors: int
    catalogs: list[str]
    default_judge: str

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        factors = self.factors

        catalogs = self.catalogs

        default_judge = self.default_judge

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "status": status,
                "factors": factors,
                "catalogs": catalogs,
                "default_judge": default_judge,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = d.pop("status")

        factors = d.pop("factors")

        catalogs = cast(list[str], d.pop("catalogs"))

        default_judge = d.pop("default_judge")

        readiness = cls(
            status=status,
            factors=factors,
            catalogs=catalogs,
            default_judge=default_judge,
        )

        return readiness
