from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.judge_ref import JudgeRef
    from ..models.notice import Notice
    from ..models.round_ import Round
    from ..models.usage import Usage
    from ..models.verdict import Verdict


T = TypeVar("T", bound="DebateAnswer")


@_attrs_define
class DebateAnswer:
    """A debate, the verdicts that it was about, and what it took.

    Attributes:
        overall (float): Mean of the last round's scores, 0-100.
        rounds (list[Round]):
        converged (bool): Whether the last round agreed on one score.
        roles_counted (int): How many scores `overall` is the mean of.
        factor_mean (float | None): Mean of the roles' verdicts as shares of their scales, times 100, to compare
            `overall` with.
        verdicts (list[Verdict]):
        judges (list[JudgeRef]): All who scored or debated.
        comparison_key (str): Answers compare only where their keys are equal.
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
        warnings (list[Notice]):
    """

    overall: float
    rounds: list[Round]
    converged: bool
    roles_counted: int
    factor_mean: float | None
    verdicts: list[Verdict]
    judges: list[JudgeRef]
    comparison_key: str
    usage: Usage
    warnings: list[Notice]

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

        verdicts = []
        for verdicts_item_data in self.verdicts:
            verdicts_item = verdicts_item_data.to_dict()
            verdicts.append(verdicts_item)

        judges = []
        for judges_item_data in self.judges:
            judges_item = judges_item_data.to_dict()
            judges.append(judges_item)

        comparison_key = self.comparison_key

        usage = self.usage.to_dict()

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "overall": overall,
                "rounds": rounds,
                "converged": converged,
                "roles_counted": roles_counted,
                "factor_mean": factor_mean,
                "verdicts": verdicts,
                "judges": judges,
                "comparison_key": comparison_key,
                "usage": usage,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.notice import Notice  # noqa: PLC0415
        from ..models.round_ import Round  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415

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

        verdicts = []
        _verdicts = d.pop("verdicts")
        for verdicts_item_data in _verdicts:
            verdicts_item = Verdict.from_dict(verdicts_item_data)

            verdicts.append(verdicts_item)

        judges = []
        _judges = d.pop("judges")
        for judges_item_data in _judges:
            judges_item = JudgeRef.from_dict(judges_item_data)

            judges.append(judges_item)

        comparison_key = d.pop("comparison_key")

        usage = Usage.from_dict(d.pop("usage"))

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = Notice.from_dict(warnings_item_data)

            warnings.append(warnings_item)

        debate_answer = cls(
            overall=overall,
            rounds=rounds,
            converged=converged,
            roles_counted=roles_counted,
            factor_mean=factor_mean,
            verdicts=verdicts,
            judges=judges,
            comparison_key=comparison_key,
            usage=usage,
            warnings=warnings,
        )

        return debate_answer
