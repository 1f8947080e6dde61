from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.role import Role
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message_metadata_type_0 import MessageMetadataType0


T = TypeVar("T", bound="Message")


@_attrs_define
class Message:
    """One message of the conversation.

    Attributes:
        role (Role): Who wrote a message.
        content (str): The text; may be empty.
        id (None | str | Unset): The caller's name for this message; verdicts cite it.
        recommendations (list[str] | None | Unset): Items that the system showed with this reply, best first: ids of
            `items` or of the catalogue, else titles.
        thoughts (None | str | Unset): A simulated user's feelings; read by `concept-user-satisfaction` alone.
        created_at (None | str | Unset): When it was written; echoed, never read.
        metadata (MessageMetadataType0 | None | Unset):
    """

    role: Role
    content: str
    id: None | str | Unset = UNSET
    recommendations: list[str] | None | Unset = UNSET
    thoughts: None | str | Unset = UNSET
    created_at: None | str | Unset = UNSET
    metadata: MessageMetadataType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.message_metadata_type_0 import MessageMetadataType0  # noqa: PLC0415

        role = self.role.value

        content = self.content

        id: None | str | Unset
        if isinstance(self.id, Unset):
            id = UNSET
        else:
            id = self.id

        recommendations: list[str] | None | Unset
        if isinstance(self.recommendations, Unset):
            recommendations = UNSET
        elif isinstance(self.recommendations, list):
            recommendations = self.recommendations

        else:
            recommendations = self.recommendations

        thoughts: None | str | Unset
        if isinstance(self.thoughts, Unset):
            thoughts = UNSET
        else:
            thoughts = self.thoughts

        created_at: None | str | Unset
        if isinstance(self.created_at, Unset):
            created_at = UNSET
        else:
            created_at = self.created_at

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, MessageMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "role": role,
                "content": content,
            }
        )
        if id is not UNSET:
            field_dict["id"] = id
        if recommendations is not UNSET:
            field_dict["recommendations"] = recommendations
        if thoughts is not UNSET:
            field_dict["thoughts"] = thoughts
        if created_at is not UNSET:
            field_dict["created_at"] = created_at
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message_metadata_type_0 import MessageMetadataType0  # noqa: PLC0415

        d = dict(src_dict)
        role = Role(d.pop("role"))

        content = d.pop("content")

        def _parse_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        id = _parse_id(d.pop("id", UNSET))

        def _parse_recommendations(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                recommendations_type_0 = cast(list[str], data)

                return recommendations_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        recommendations = _parse_recommendations(d.pop("recommendations", UNSET))

        def _parse_thoughts(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        thoughts = _parse_thoughts(d.pop("thoughts", UNSET))

        def _parse_created_at(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        created_at = _parse_created_at(d.pop("created_at", UNSET))

        def _parse_metadata(data: object) -> MessageMetadataType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = MessageMetadataType0.from_dict(data)

                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageMetadataType0 | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))

        message = cls(
            role=role,
            content=content,
            id=id,
            recommendations=recommendations,
            thoughts=thoughts,
            created_at=created_at,
            metadata=metadata,
        )

        return message
