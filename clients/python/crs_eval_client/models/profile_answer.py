from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.flag import Flag
    from ..models.item_taste import ItemTaste
    from ..models.judge_ref import JudgeRef
    from ..models.usage import Usage


T = TypeVar("T", bound="ProfileAnswer")


@_attrs_define
class ProfileAnswer:
    """A profile for the `target-free` simulator.

    Attributes:
        seen (list[ItemTaste]):
        preferences (str): The user's general likes and dislikes, addressed to it.
        targets (list[str]): Held-out items that the user rated highly: what should be found.
        flags (list[Flag]):
        judge (JudgeRef): Who judged: the judge's name and the model that answered, as its provider names it.
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
    """

    seen: list[ItemTaste]
    preferences: str
    targets: list[str]
    flags: list[Flag]
    judge: JudgeRef
    usage: Usage

    def to_dict(self) -> dict[str, Any]:
        seen = []
        for seen_item_data in self.seen:
            seen_item = seen_item_data.to_dict()
            seen.append(seen_item)

        preferences = self.preferences

        targets = self.targets

        flags = []
        for flags_item_data in self.flags:
            flags_item = flags_item_data.to_dict()
            flags.append(flags_item)

        judge = self.judge.to_dict()

        usage = self.usage.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "seen": seen,
                "preferences": preferences,
                "targets": targets,
                "flags": flags,
                "judge": judge,
                "usage": usage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.flag import Flag  # noqa: PLC0415
        from ..models.item_taste import ItemTaste  # noqa: PLC0415
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415

        d = dict(src_dict)
        seen = []
        _seen = d.pop("seen")
        for seen_item_data in _seen:
            seen_item = ItemTaste.from_dict(seen_item_data)

            seen.append(seen_item)

        preferences = d.pop("preferences")

        targets = cast(list[str], d.pop("targets"))

        flags = []
        _flags = d.pop("flags")
        for flags_item_data in _flags:
            flags_item = Flag.from_dict(flags_item_data)

            flags.append(flags_item)

        judge = JudgeRef.from_dict(d.pop("judge"))

        usage = Usage.from_dict(d.pop("usage"))

        profile_answer = cls(
            seen=seen,
            preferences=preferences,
            targets=targets,
            flags=flags,
            judge=judge,
            usage=usage,
        )

        return profile_answer
