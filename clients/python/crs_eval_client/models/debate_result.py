from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.round_ import Round


T = TypeVar("T", bound="DebateResult")


@_attrs_define
class DebateResult:
    """How a debate went and ended.

    Attributes:
        overall (float): Mean of the last round's scores, 0-100.
        rounds (list[Round]):
        converged (bool): Whether the last round agreed on one score.
        roles_counted (int): How many scores `overall` is the mean of.
        factor_mean (float | None): Mean of the roles' verdicts as shares of their scales, times 100, to compare
            `overall` with.
    """

    overall: float
    rounds: list[Round]
    converged: bool
    roles_counted: int
    factor_mean: float | None

    def to_dict(self) -> dict[str, Any]:
        overall = self.overall

        rounds = []
        for rounds_item_data in self.rounds:
            rounds_item = rounds_item_data.to_dict()
            rounds.append(rounds_item)

        converged = self.converged

        roles_counted = self.roles_counted

        factor_mean: float | None
        factor_mean = self.factor_mean

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "overall": overall,
                "rounds": rounds,
                "converged": converged,
                "roles_counted": roles_counted,
                "factor_mean": factor_mean,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.round_ import Round  # noqa: PLC0415

        d = dict(src_dict)
        overall = d.pop("overall")

        rounds = []
        _rounds = d.pop("rounds")
        for rounds_item_data in _rounds:
            rounds_item = Round.from_dict(rounds_item_data)

            rounds.append(rounds_item)

        converged = d.pop("converged")

        roles_counted = d.pop("roles_counted")

        def _parse_factor_mean(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        factor_mean = _parse_factor_mean(d.pop("factor_mean"))

        debate_result = cls(
            overall=overall,
            rounds=rounds,
            converged=converged,
            roles_counted=roles_counted,
            factor_mean=factor_mean,
        )

        return debate_result
