from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.item import Item
    from ..models.message import Message
    from ..models.outcome import Outcome
    from ..models.session_log_metadata_type_0 import SessionLogMetadataType0
    from ..models.user import User


T = TypeVar("T", bound="SessionLog")


@_attrs_define
class SessionLog:
    """A log that may still be empty: a session that begins.

    Attributes:
        messages (list[Message]): What was said so far; empty to begin.
        id (None | str | Unset): The caller's name for this conversation.
        system (None | str | Unset): Which recommender spoke.
        domain (None | str | Unset): movie (default), book, music, restaurant, shopping, sport, travel, health, or any
            word.
        history (list[Message] | None | Unset): Earlier messages: context only, never rated.
        ground_truth (list[str] | None | Unset): Items that the user really wanted, where known.
        user (None | Unset | User):
        items (list[Item] | None | Unset): Metadata of items that the conversation is about.
        outcome (None | Outcome | Unset):
        complete (bool | None | Unset): False for a conversation that still goes on; true unless said.
        metadata (None | SessionLogMetadataType0 | Unset):
    """

    messages: list[Message]
    id: None | str | Unset = UNSET
    system: None | str | Unset = UNSET
    domain: None | str | Unset = UNSET
    history: list[Message] | None | Unset = UNSET
    ground_truth: list[str] | None | Unset = UNSET
    user: None | Unset | User = UNSET
    items: list[Item] | None | Unset = UNSET
    outcome: None | Outcome | Unset = UNSET
    complete: bool | None | Unset = UNSET
    metadata: None | SessionLogMetadataType0 | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.outcome import Outcome  # noqa: PLC0415
        from ..models.session_log_metadata_type_0 import SessionLogMetadataType0  # noqa: PLC0415
        from ..models.user import User  # noqa: PLC0415

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        id: None | str | Unset
        if isinstance(self.id, Unset):
            id = UNSET
        else:
            id = self.id

        system: None | str | Unset
        if isinstance(self.system, Unset):
            system = UNSET
        else:
            system = self.system

        domain: None | str | Unset
        if isinstance(self.domain, Unset):
            domain = UNSET
        else:
            domain = self.domain

        history: list[dict[str, Any]] | None | Unset
        if isinstance(self.history, Unset):
            history = UNSET
        elif isinstance(self.history, list):
            history = []
            for history_type_0_item_data in self.history:
                history_type_0_item = history_type_0_item_data.to_dict()
                history.append(history_type_0_item)

        else:
            history = self.history

        ground_truth: list[str] | None | Unset
        if isinstance(self.ground_truth, Unset):
            ground_truth = UNSET
        elif isinstance(self.ground_truth, list):
            ground_truth = self.ground_truth

        else:
            ground_truth = self.ground_truth

        user: dict[str, Any] | None | Unset
        if isinstance(self.user, Unset):
            user = UNSET
        elif isinstance(self.user, User):
            user = self.user.to_dict()
        else:
            user = self.user

        items: list[dict[str, Any]] | None | Unset
        if isinstance(self.items, Unset):
            items = UNSET
        elif isinstance(self.items, list):
            items = []
            for items_type_0_item_data in self.items:
                items_type_0_item = items_type_0_item_data.to_dict()
                items.append(items_type_0_item)

        else:
            items = self.items

        outcome: dict[str, Any] | None | Unset
        if isinstance(self.outcome, Unset):
            outcome = UNSET
        elif isinstance(self.outcome, Outcome):
            outcome = self.outcome.to_dict()
        else:
            outcome = self.outcome

        complete: bool | None | Unset
        if isinstance(self.complete, Unset):
            complete = UNSET
        else:
            complete = self.complete

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, SessionLogMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "messages": messages,
            }
        )
        if id is not UNSET:
            field_dict["id"] = id
        if system is not UNSET:
            field_dict["system"] = system
        if domain is not UNSET:
            field_dict["domain"] = domain
        if history is not UNSET:
            field_dict["history"] = history
        if ground_truth is not UNSET:
            field_dict["ground_truth"] = ground_truth
        if user is not UNSET:
            field_dict["user"] = user
        if items is not UNSET:
            field_dict["items"] = items
        if outcome is not UNSET:
            field_dict["outcome"] = outcome
        if complete is not UNSET:
            field_dict["complete"] = complete
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.item import Item  # noqa: PLC0415
        from ..models.message import Message  # noqa: PLC0415
        from ..models.outcome import Outcome  # noqa: PLC0415
        from ..models.session_log_metadata_type_0 import SessionLogMetadataType0  # noqa: PLC0415
        from ..models.user import User  # noqa: PLC0415

        d = dict(src_dict)
        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = Message.from_dict(messages_item_data)

            messages.append(messages_item)

        def _parse_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        id = _parse_id(d.pop("id", UNSET))

        def _parse_system(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        system = _parse_system(d.pop("system", UNSET))

        def _parse_domain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        domain = _parse_domain(d.pop("domain", UNSET))

        def _parse_history(data: object) -> list[Message] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                history_type_0 = []
                _history_type_0 = data
                for history_type_0_item_data in _history_type_0:
                    history_type_0_item = Message.from_dict(history_type_0_item_data)

                    history_type_0.append(history_type_0_item)

                return history_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Message] | None | Unset, data)

        history = _parse_history(d.pop("history", UNSET))

        def _parse_ground_truth(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                ground_truth_type_0 = cast(list[str], data)

                return ground_truth_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        ground_truth = _parse_ground_truth(d.pop("ground_truth", UNSET))

        def _parse_user(data: object) -> None | Unset | User:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                user_type_0 = User.from_dict(data)

                return user_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | User, data)

        user = _parse_user(d.pop("user", UNSET))

        def _parse_items(data: object) -> list[Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                items_type_0 = []
                _items_type_0 = data
                for items_type_0_item_data in _items_type_0:
                    items_type_0_item = Item.from_dict(items_type_0_item_data)

                    items_type_0.append(items_type_0_item)

                return items_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Item] | None | Unset, data)

        items = _parse_items(d.pop("items", UNSET))

        def _parse_outcome(data: object) -> None | Outcome | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                outcome_type_0 = Outcome.from_dict(data)

                return outcome_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Outcome | Unset, data)

        outcome = _parse_outcome(d.pop("outcome", UNSET))

        def _parse_complete(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        complete = _parse_complete(d.pop("complete", UNSET))

        def _parse_metadata(data: object) -> None | SessionLogMetadataType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = SessionLogMetadataType0.from_dict(data)

                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SessionLogMetadataType0 | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))

        session_log = cls(
            messages=messages,
            id=id,
            system=system,
            domain=domain,
            history=history,
            ground_truth=ground_truth,
            user=user,
            items=items,
            outcome=outcome,
            complete=complete,
            metadata=metadata,
        )

        return session_log
