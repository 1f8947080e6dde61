from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.seen_item import SeenItem


T = TypeVar("T", bound="User")


@_attrs_define
class User:
    """What is known of the user.

    Attributes:
        persona (None | str | Unset): One of CONCEPT's personas, in any case.
        age_group (None | str | Unset): children, teens, adults or seniors, in any case.
        attributes (list[str] | None | Unset): What the wanted items must be like.
        preferences (None | str | Unset): General likes and dislikes, as a narrative.
        seen (list[SeenItem] | None | Unset):
    """

    persona: None | str | Unset = UNSET
    age_group: None | str | Unset = UNSET
    attributes: list[str] | None | Unset = UNSET
    preferences: None | str | Unset = UNSET
    seen: list[SeenItem] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        persona: None | str | Unset
        if isinstance(self.persona, Unset):
            persona = UNSET
        else:
            persona = self.persona

        age_group: None | str | Unset
        if isinstance(self.age_group, Unset):
            age_group = UNSET
        else:
            age_group = self.age_group

        attributes: list[str] | None | Unset
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, list):
            attributes = self.attributes

        else:
            attributes = self.attributes

        preferences: None | str | Unset
        if isinstance(self.preferences, Unset):
            preferences = UNSET
        else:
            preferences = self.preferences

        seen: list[dict[str, Any]] | None | Unset
        if isinstance(self.seen, Unset):
            seen = UNSET
        elif isinstance(self.seen, list):
            seen = []
            for seen_type_0_item_data in self.seen:
                seen_type_0_item = seen_type_0_item_data.to_dict()
                seen.append(seen_type_0_item)

        else:
            seen = self.seen

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if persona is not UNSET:
            field_dict["persona"] = persona
        if age_group is not UNSET:
            field_dict["age_group"] = age_group
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if preferences is not UNSET:
            field_dict["preferences"] = preferences
        if seen is not UNSET:
            field_dict["seen"] = seen

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.seen_item import SeenItem  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_persona(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        persona = _parse_persona(d.pop("persona", UNSET))

        def _parse_age_group(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        age_group = _parse_age_group(d.pop("age_group", UNSET))

        def _parse_attributes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                attributes_type_0 = cast(list[str], data)

                return attributes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        attributes = _parse_attributes(d.pop("attributes", UNSET))

        def _parse_preferences(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        preferences = _parse_preferences(d.pop("preferences", UNSET))

        def _parse_seen(data: object) -> list[SeenItem] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                seen_type_0 = []
                _seen_type_0 = data
                for seen_type_0_item_data in _seen_type_0:
                    seen_type_0_item = SeenItem.from_dict(seen_type_0_item_data)

                    seen_type_0.append(seen_type_0_item)

                return seen_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[SeenItem] | None | Unset, data)

        seen = _parse_seen(d.pop("seen", UNSET))

        user = cls(
            persona=persona,
            age_group=age_group,
            attributes=attributes,
            preferences=preferences,
            seen=seen,
        )

        return user
