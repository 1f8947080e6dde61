from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.item_attributes_type_0 import ItemAttributesType0


T = TypeVar("T", bound="Item")


@_attrs_define
class Item:
    """What is known of an item.

    Attributes:
        title (str):
        id (None | str | Unset): The name that `recommendations` and `ground_truth` may use.
        attributes (ItemAttributesType0 | None | Unset): Values by dimension.
        popularity (float | None | Unset): Percentile in its catalogue; 1 is the best known.
        description (None | str | Unset):
    """

    title: str
    id: None | str | Unset = UNSET
    attributes: ItemAttributesType0 | None | Unset = UNSET
    popularity: float | None | Unset = UNSET
    description: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.item_attributes_type_0 import ItemAttributesType0  # noqa: PLC0415

        title = self.title

        id: None | str | Unset
        if isinstance(self.id, Unset):
            id = UNSET
        else:
            id = self.id

        attributes: dict[str, Any] | None | Unset
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, ItemAttributesType0):
            attributes = self.attributes.to_dict()
        else:
            attributes = self.attributes

        popularity: float | None | Unset
        if isinstance(self.popularity, Unset):
            popularity = UNSET
        else:
            popularity = self.popularity

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "title": title,
            }
        )
        if id is not UNSET:
            field_dict["id"] = id
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if popularity is not UNSET:
            field_dict["popularity"] = popularity
        if description is not UNSET:
            field_dict["description"] = description

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.item_attributes_type_0 import ItemAttributesType0  # noqa: PLC0415

        d = dict(src_dict)
        title = d.pop("title")

        def _parse_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        id = _parse_id(d.pop("id", UNSET))

        def _parse_attributes(data: object) -> ItemAttributesType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                attributes_type_0 = ItemAttributesType0.from_dict(data)

                return attributes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ItemAttributesType0 | None | Unset, data)

        attributes = _parse_attributes(d.pop("attributes", UNSET))

        def _parse_popularity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        popularity = _parse_popularity(d.pop("popularity", UNSET))

        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))

        item = cls(
            title=title,
            id=id,
            attributes=attributes,
            popularity=popularity,
            description=description,
        )

        return item
