from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.statement import Statement


T = TypeVar("T", bound="Round")


@_attrs_define
class Round:
    """One round: all roles spoke at once, none having heard the others of the same round.

    Attributes:
        round_ (int): 1 is the first.
        statements (list[Statement]): In the order in which the next round reads them.
        all_agree (bool): Every role gave a score, and all are equal.
        major_agree (bool): At least three quarters of the roles gave the same score.
        spread (int | None): Highest score minus lowest; null where no role gave one.
    """

    round_: int
    statements: list[Statement]
    all_agree: bool
    major_agree: bool
    spread: int | None

    def to_dict(self) -> dict[str, Any]:
        round_ = self.round_

        statements = []
        for statements_item_data in self.statements:
            statements_item = statements_item_data.to_dict()
            statements.append(statements_item)

        all_agree = self.all_agree

        major_agree = self.major_agree

        spread: int | None
        spread = self.spread

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "round": round_,
                "statements": statements,
                "all_agree": all_agree,
                "major_agree": major_agree,
                "spread": spread,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.statement import Statement  # noqa: PLC0415

        d = dict(src_dict)
        round_ = d.pop("round")

        statements = []
        _statements = d.pop("statements")
        for statements_item_data in _statements:
            statements_item = Statement.from_dict(statements_item_data)

            statements.append(statements_item)

        all_agree = d.pop("all_agree")

        major_agree = d.pop("major_agree")

        def _parse_spread(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        spread = _parse_spread(d.pop("spread"))

        round_ = cls(
            round_=round_,
            statements=statements,
            all_agree=all_agree,
            major_agree=major_agree,
            spread=spread,
        )

        return round_
