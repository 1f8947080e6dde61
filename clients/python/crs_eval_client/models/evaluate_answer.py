from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.debate_failure import DebateFailure
    from ..models.debate_result import DebateResult
    from ..models.judge_ref import JudgeRef
    from ..models.metrics_answer import MetricsAnswer
    from ..models.notice import Notice
    from ..models.summary import Summary
    from ..models.usage import Usage
    from ..models.verdict import Verdict


T = TypeVar("T", bound="EvaluateAnswer")


@_attrs_define
class EvaluateAnswer:
    """All that can be said of one log.

    Attributes:
        verdicts (list[Verdict]):
        summaries (list[Summary]):
        debate (DebateResult | None): Null where none was asked for, or where it failed.
        debate_failure (DebateFailure | None):
        metrics (MetricsAnswer): A tidy table, one row a figure, and the abilities.
        judges (list[JudgeRef]): All who scored or debated.
        comparison_key (str): Answers compare only where their keys are equal.
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
        warnings (list[Notice]):
    """

    verdicts: list[Verdict]
    summaries: list[Summary]
    debate: DebateResult | None
    debate_failure: DebateFailure | None
    metrics: MetricsAnswer
    judges: list[JudgeRef]
    comparison_key: str
    usage: Usage
    warnings: list[Notice]

    def to_dict(self) -> dict[str, Any]:
        from ..models.debate_failure import DebateFailure  # noqa: PLC0415
        from ..models.debate_result import DebateResult  # noqa: PLC0415

        verdicts = []
        for verdicts_item_data in self.verdicts:
            verdicts_item = verdicts_item_data.to_dict()
            verdicts.append(verdicts_item)

        summaries = []
        for summaries_item_data in self.summaries:
            summaries_item = summaries_item_data.to_dict()
            summaries.append(summaries_item)

        debate: dict[str, Any] | None
        if isinstance(self.debate, DebateResult):
            debate = self.debate.to_dict()
        else:
            debate = self.debate

        debate_failure: dict[str, Any] | None
        if isinstance(self.debate_failure, DebateFailure):
            debate_failure = self.debate_failure.to_dict()
        else:
            debate_failure = self.debate_failure

        metrics = self.metrics.to_dict()

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
                "verdicts": verdicts,
                "summaries": summaries,
                "debate": debate,
                "debate_failure": debate_failure,
                "metrics": metrics,
                "judges": judges,
                "comparison_key": comparison_key,
                "usage": usage,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.debate_failure import DebateFailure  # noqa: PLC0415
        from ..models.debate_result import DebateResult  # noqa: PLC0415
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.metrics_answer import MetricsAnswer  # noqa: PLC0415
        from ..models.notice import Notice  # noqa: PLC0415
        from ..models.summary import Summary  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415

        d = dict(src_dict)
        verdicts = []
        _verdicts = d.pop("verdicts")
        for verdicts_item_data in _verdicts:
            verdicts_item = Verdict.from_dict(verdicts_item_data)

            verdicts.append(verdicts_item)

        summaries = []
        _summaries = d.pop("summaries")
        for summaries_item_data in _summaries:
            summaries_item = Summary.from_dict(summaries_item_data)

            summaries.append(summaries_item)

        def _parse_debate(data: object) -> DebateResult | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                debate_type_0 = DebateResult.from_dict(data)

                return debate_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DebateResult | None, data)

        debate = _parse_debate(d.pop("debate"))

        def _parse_debate_failure(data: object) -> DebateFailure | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                debate_failure_type_0 = DebateFailure.from_dict(data)

                return debate_failure_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DebateFailure | None, data)

        debate_failure = _parse_debate_failure(d.pop("debate_failure"))

        metrics = MetricsAnswer.from_dict(d.pop("metrics"))

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

        evaluate_answer = cls(
            verdicts=verdicts,
            summaries=summaries,
            debate=debate,
            debate_failure=debate_failure,
            metrics=metrics,
            judges=judges,
            comparison_key=comparison_key,
            usage=usage,
            warnings=warnings,
        )

        return evaluate_answer
