from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DomainNote")


@_attrs_define
class DomainNote:
    """What changes for a factor in one domain; `other` stands for domains without a note.

    Attributes:
        domain (str):
        note (str):
    """

    domain: str
    note: str

    def to_dict(self) -> dict[str, Any]:
        domain = self.domain

        note = self.note

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "domain": domain,
                "note": note,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        domain = d.pop("domain")

        note = d.pop("note")

        domain_note = cls(
            domain=domain,
            note=note,
        )

        return domain_note
