from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.ability_score import AbilityScore


T = TypeVar("T", bound="Abilities")


@_attrs_define
class Abilities:
    """CONCEPT's six abilities, each with a score for each group.

    Attributes:
        quality (list[AbilityScore]):
        reliability (list[AbilityScore]):
        cooperation (list[AbilityScore]):
        social_awareness (list[AbilityScore]):
        identity (list[AbilityScore]):
        coordination (list[AbilityScore]):
    """

    quality: list[AbilityScore]
    reliability: list[AbilityScore]
    cooperation: list[AbilityScore]
    social_awareness: list[AbilityScore]
    identity: list[AbilityScore]
    coordination: list[AbilityScore]

    def to_dict(self) -> dict[str, Any]:
        quality = []
        for quality_item_data in self.quality:
            quality_item = quality_item_data.to_dict()
            quality.append(quality_item)

        reliability = []
        for reliability_item_data in self.reliability:
            reliability_item = reliability_item_data.to_dict()
            reliability.append(reliability_item)

        cooperation = []
        for cooperation_item_data in self.cooperation:
            cooperation_item = cooperation_item_data.to_dict()
            cooperation.append(cooperation_item)

        social_awareness = []
        for social_awareness_item_data in self.social_awareness:
            social_awareness_item = social_awareness_item_data.to_dict()
            social_awareness.append(social_awareness_item)

        identity = []
        for identity_item_data in self.identity:
            identity_item = identity_item_data.to_dict()
            identity.append(identity_item)

        coordination = []
        for coordination_item_data in self.coordination:
            coordination_item = coordination_item_data.to_dict()
            coordination.append(coordination_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "quality": quality,
                "reliability": reliability,
                "cooperation": cooperation,
                "social_awareness": social_awareness,
                "identity": identity,
                "coordination": coordination,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ability_score import AbilityScore  # noqa: PLC0415

        d = dict(src_dict)
        quality = []
        _quality = d.pop("quality")
        for quality_item_data in _quality:
            quality_item = AbilityScore.from_dict(quality_item_data)

            quality.append(quality_item)

        reliability = []
        _reliability = d.pop("reliability")
        for reliability_item_data in _reliability:
            reliability_item = AbilityScore.from_dict(reliability_item_data)

            reliability.append(reliability_item)

        cooperation = []
        _cooperation = d.pop("cooperation")
        for cooperation_item_data in _cooperation:
            cooperation_item = AbilityScore.from_dict(cooperation_item_data)

            cooperation.append(cooperation_item)

        social_awareness = []
        _social_awareness = d.pop("social_awareness")
        for social_awareness_item_data in _social_awareness:
            social_awareness_item = AbilityScore.from_dict(social_awareness_item_data)

            social_awareness.append(social_awareness_item)

        identity = []
        _identity = d.pop("identity")
        for identity_item_data in _identity:
            identity_item = AbilityScore.from_dict(identity_item_data)

            identity.append(identity_item)

        coordination = []
        _coordination = d.pop("coordination")
        for coordination_item_data in _coordination:
            coordination_item = AbilityScore.from_dict(coordination_item_data)

            coordination.append(coordination_item)

        abilities = cls(
            quality=quality,
            reliability=reliability,
            cooperation=cooperation,
            social_awareness=social_awareness,
            identity=identity,
            coordination=coordination,
        )

        return abilities
