from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.judge_ref import JudgeRef
    from ..models.notice import Notice
    from ..models.summary import Summary
    from ..models.usage import Usage
    from ..models.verdict import Verdict


T = TypeVar("T", bound="ScoreAnswer")


@_attrs_define
class ScoreAnswer:
    """Verdicts in the order asked, and what sums them up.

    Attributes:
        verdicts (list[Verdict]):
        summaries (list[Summary]):
        judges (list[JudgeRef]):
        comparison_key (str): Answers compare only where their keys are equal.
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
        warnings (list[Notice]):
    """

    verdicts: list[Verdict]
    summaries: list[Summary]
    judges: list[JudgeRef]
    comparison_key: str
    usage: Usage
    warnings: list[Notice]

    def to_dict(self) -> dict[str, Any]:
        verdicts = []
        for verdicts_item_data in self.verdicts:
            verdicts_item = verdicts_item_data.to_dict()
            verdicts.append(verdicts_item)

        summaries = []
        for summaries_item_data in self.summaries:
            summaries_item = summaries_item_data.to_dict()
            summaries.append(summaries_item)

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

        score_answer = cls(
            verdicts=verdicts,
            summaries=summaries,
            judges=judges,
            comparison_key=comparison_key,
            usage=usage,
            warnings=warnings,
        )

        return score_answer
