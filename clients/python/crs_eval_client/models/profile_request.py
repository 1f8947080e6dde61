from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.cache_mode import CacheMode
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.review import Review


T = TypeVar("T", bound="ProfileRequest")


@_attrs_define
class ProfileRequest:
    """Reviews to make a user's profile from.

    Attributes:
        reviews (list[Review]):
        domain (None | str | Unset): movie unless said.
        judge (None | str | Unset): `builtin` or `name:model`, as the operator allows; the operator's default unless
            said.
        cache (CacheMode | None | Unset): `use` unless said.
    """

    reviews: list[Review]
    domain: None | str | Unset = UNSET
    judge: None | str | Unset = UNSET
    cache: CacheMode | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        reviews = []
        for reviews_item_data in self.reviews:
            reviews_item = reviews_item_data.to_dict()
            reviews.append(reviews_item)

        domain: None | str | Unset
        if isinstance(self.domain, Unset):
            domain = UNSET
        else:
            domain = self.domain

        judge: None | str | Unset
        if isinstance(self.judge, Unset):
            judge = UNSET
        else:
            judge = self.judge

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
                "reviews": reviews,
            }
        )
        if domain is not UNSET:
            field_dict["domain"] = domain
        if judge is not UNSET:
            field_dict["judge"] = judge
        if cache is not UNSET:
            field_dict["cache"] = cache

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.review import Review  # noqa: PLC0415

        d = dict(src_dict)
        reviews = []
        _reviews = d.pop("reviews")
        for reviews_item_data in _reviews:
            reviews_item = Review.from_dict(reviews_item_data)

            reviews.append(reviews_item)

        def _parse_domain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        domain = _parse_domain(d.pop("domain", UNSET))

        def _parse_judge(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        judge = _parse_judge(d.pop("judge", UNSET))

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

        profile_request = cls(
            reviews=reviews,
            domain=domain,
            judge=judge,
            cache=cache,
        )

        return profile_request
