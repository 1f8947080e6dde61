from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.domain_note import DomainNote
    from ..models.ladder_info import LadderInfo
    from ..models.level import Level
    from ..models.scale import Scale


T = TypeVar("T", bound="FactorInfo")


@_attrs_define
class FactorInfo:
    """One factor with its whole rubric.

    Attributes:
        slug (str):
        name (str):
        protocol (str):
        dimension (str):
        scale (Scale): The levels that a factor has, both ends included.
        needs (list[str]): Inputs without which it is not assessable.
        uses (list[str]): Inputs that make the judgement surer.
        rates (str):
        definition (str):
        levels (list[Level]): Best first.
        steps (list[str]):
        excludes (list[str]):
        notes (list[DomainNote]):
        ladders (list[LadderInfo]):
        source (str):
        revision (int):
    """

    slug: str
    name: str
    protocol: str
    dimension: str
    scale: Scale
    needs: list[str]
    uses: list[str]
    rates: str
    definition: str
    levels: list[Level]
    steps: list[str]
    excludes: list[str]
    notes: list[DomainNote]
    ladders: list[LadderInfo]
    source: str
    revision: int

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        name = self.name

        protocol = self.protocol

        dimension = self.dimension

        scale = self.scale.to_dict()

        needs = self.needs

        uses = self.uses

        rates = self.rates

        definition = self.definition

        levels = []
        for levels_item_data in self.levels:
            levels_item = levels_item_data.to_dict()
            levels.append(levels_item)

        steps = self.steps

        excludes = self.excludes

        notes = []
        for notes_item_data in self.notes:
            notes_item = notes_item_data.to_dict()
            notes.append(notes_item)

        ladders = []
        for ladders_item_data in self.ladders:
            ladders_item = ladders_item_data.to_dict()
            ladders.append(ladders_item)

        source = self.source

        revision = self.revision

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "slug": slug,
                "name": name,
                "protocol": protocol,
                "dimension": dimension,
                "scale": scale,
                "needs": needs,
                "uses": uses,
                "rates": rates,
                "definition": definition,
                "levels": levels,
                "steps": steps,
                "excludes": excludes,
                "notes": notes,
                "ladders": ladders,
                "source": source,
                "revision": revision,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.domain_note import DomainNote  # noqa: PLC0415
        from ..models.ladder_info import LadderInfo  # noqa: PLC0415
        from ..models.level import Level  # noqa: PLC0415
        from ..models.scale import Scale  # noqa: PLC0415

        d = dict(src_dict)
        slug = d.pop("slug")

        name = d.pop("name")

        protocol = d.pop("protocol")

        dimension = d.pop("dimension")

        scale = Scale.from_dict(d.pop("scale"))

        needs = cast(list[str], d.pop("needs"))

        uses = cast(list[str], d.pop("uses"))

        rates = d.pop("rates")

        definition = d.pop("definition")

        levels = []
        _levels = d.pop("levels")
        for levels_item_data in _levels:
            levels_item = Level.from_dict(levels_item_data)

            levels.append(levels_item)

        steps = cast(list[str], d.pop("steps"))

        excludes = cast(list[str], d.pop("excludes"))

        notes = []
        _notes = d.pop("notes")
        for notes_item_data in _notes:
            notes_item = DomainNote.from_dict(notes_item_data)

            notes.append(notes_item)

        ladders = []
        _ladders = d.pop("ladders")
        for ladders_item_data in _ladders:
            ladders_item = LadderInfo.from_dict(ladders_item_data)

            ladders.append(ladders_item)

        source = d.pop("source")

        revision = d.pop("revision")

        factor_info = cls(
            slug=slug,
            name=name,
            protocol=protocol,
            dimension=dimension,
            scale=scale,
            needs=needs,
            uses=uses,
            rates=rates,
            definition=definition,
            levels=levels,
            steps=steps,
            excludes=excludes,
            notes=notes,
            ladders=ladders,
            source=source,
            revision=revision,
        )

        return factor_info
