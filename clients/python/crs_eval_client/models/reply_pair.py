from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.reply import Reply


T = TypeVar("T", bound="ReplyPair")


@_attrs_define
class ReplyPair:
    """Replies to two wordings of one message, after the same conversation.

    Attributes:
        first (Reply): A recommender's reply to one wording of a message.
        second (Reply): A recommender's reply to one wording of a message.
        attributes (list[str] | None | Unset): What the user wants: tells diverse recommendations from sensitive ones.
    """

    first: Reply
    second: Reply
    attributes: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        first = self.first.to_dict()

        second = self.second.to_dict()

        attributes: list[str] | None | Unset
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, list):
            attributes = self.attributes

        else:
            attributes = self.attributes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "first": first,
                "second": second,
            }
        )
        if attributes is not UNSET:
            field_dict["attributes"] = attributes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reply import Reply  # noqa: PLC0415

        d = dict(src_dict)
        first = Reply.from_dict(d.pop("first"))

        second = Reply.from_dict(d.pop("second"))

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

        reply_pair = cls(
            first=first,
            second=second,
            attributes=attributes,
        )

        return reply_pair
