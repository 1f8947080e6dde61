from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.status import Status

if TYPE_CHECKING:
    from ..models.evidence import Evidence
    from ..models.flag import Flag
    from ..models.judge_ref import JudgeRef
    from ..models.reason import Reason
    from ..models.sample_info import SampleInfo
    from ..models.scale import Scale
    from ..models.turn_score import TurnScore
    from ..models.usage import Usage


T = TypeVar("T", bound="Verdict")


@_attrs_define
class Verdict:
    """One factor judged on one log. `status` says which fields carry something.

    Attributes:
        factor (str):
        status (Status): What became of a question.
        score (float | None): On `scale`; null unless scored. The mean over readable draws.
        level (int | None): The level nearest to `score`, halves down.
        scale (Scale): The levels that a factor has, both ends included.
        rationale (None | str):
        evidence (list[Evidence]):
        turns (list[TurnScore] | None):
        confidence (float | None): 0-1; null where the judge gives none.
        reason (None | Reason): Set unless scored.
        flags (list[Flag]):
        judge (JudgeRef): Who judged: the judge's name and the model that answered, as its provider names it.
        evaluator_revision (str): Changes whenever the same log could get another score.
        samples (SampleInfo): Repeated draws: how many were asked for, how many could be read, and how far they lie
            apart.
        cached (bool):
        prompt_hash (None | str):
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
    """

    factor: str
    status: Status
    score: float | None
    level: int | None
    scale: Scale
    rationale: None | str
    evidence: list[Evidence]
    turns: list[TurnScore] | None
    confidence: float | None
    reason: None | Reason
    flags: list[Flag]
    judge: JudgeRef
    evaluator_revision: str
    samples: SampleInfo
    cached: bool
    prompt_hash: None | str
    usage: Usage

    def to_dict(self) -> dict[str, Any]:
        from ..models.reason import Reason  # noqa: PLC0415

        factor = self.factor

        status = self.status.value

        score: float | None
        score = self.score

        level: int | None
        level = self.level

        scale = self.scale.to_dict()

        rationale: None | str
        rationale = self.rationale

        evidence = []
        for evidence_item_data in self.evidence:
            evidence_item = evidence_item_data.to_dict()
            evidence.append(evidence_item)

        turns: list[dict[str, Any]] | None
        if isinstance(self.turns, list):
            turns = []
            for turns_type_0_item_data in self.turns:
                turns_type_0_item = turns_type_0_item_data.to_dict()
                turns.append(turns_type_0_item)

        else:
            turns = self.turns

        confidence: float | None
        confidence = self.confidence

        reason: dict[str, Any] | None
        if isinstance(self.reason, Reason):
            reason = self.reason.to_dict()
        else:
            reason = self.reason

        flags = []
        for flags_item_data in self.flags:
            flags_item = flags_item_data.to_dict()
            flags.append(flags_item)

        judge = self.judge.to_dict()

        evaluator_revision = self.evaluator_revision

        samples = self.samples.to_dict()

        cached = self.cached

        prompt_hash: None | str
        prompt_hash = self.prompt_hash

        usage = self.usage.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "factor": factor,
                "status": status,
                "score": score,
                "level": level,
                "scale": scale,
                "rationale": rationale,
                "evidence": evidence,
                "turns": turns,
                "confidence": confidence,
                "reason": reason,
                "flags": flags,
                "judge": judge,
                "evaluator_revision": evaluator_revision,
                "samples": samples,
                "cached": cached,
                "prompt_hash": prompt_hash,
                "usage": usage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.evidence import Evidence  # noqa: PLC0415
        from ..models.flag import Flag  # noqa: PLC0415
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.reason import Reason  # noqa: PLC0415
        from ..models.sample_info import SampleInfo  # noqa: PLC0415
        from ..models.scale import Scale  # noqa: PLC0415
        from ..models.turn_score import TurnScore  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415

        d = dict(src_dict)
        factor = d.pop("factor")

        status = Status(d.pop("status"))

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        def _parse_level(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        level = _parse_level(d.pop("level"))

        scale = Scale.from_dict(d.pop("scale"))

        def _parse_rationale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rationale = _parse_rationale(d.pop("rationale"))

        evidence = []
        _evidence = d.pop("evidence")
        for evidence_item_data in _evidence:
            evidence_item = Evidence.from_dict(evidence_item_data)

            evidence.append(evidence_item)

        def _parse_turns(data: object) -> list[TurnScore] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                turns_type_0 = []
                _turns_type_0 = data
                for turns_type_0_item_data in _turns_type_0:
                    turns_type_0_item = TurnScore.from_dict(turns_type_0_item_data)

                    turns_type_0.append(turns_type_0_item)

                return turns_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TurnScore] | None, data)

        turns = _parse_turns(d.pop("turns"))

        def _parse_confidence(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        confidence = _parse_confidence(d.pop("confidence"))

        def _parse_reason(data: object) -> None | Reason:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reason_type_0 = Reason.from_dict(data)

                return reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Reason, data)

        reason = _parse_reason(d.pop("reason"))

        flags = []
        _flags = d.pop("flags")
        for flags_item_data in _flags:
            flags_item = Flag.from_dict(flags_item_data)

            flags.append(flags_item)

        judge = JudgeRef.from_dict(d.pop("judge"))

        evaluator_revision = d.pop("evaluator_revision")

        samples = SampleInfo.from_dict(d.pop("samples"))

        cached = d.pop("cached")

        def _parse_prompt_hash(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        prompt_hash = _parse_prompt_hash(d.pop("prompt_hash"))

        usage = Usage.from_dict(d.pop("usage"))

        verdict = cls(
            factor=factor,
            status=status,
            score=score,
            level=level,
            scale=scale,
            rationale=rationale,
            evidence=evidence,
            turns=turns,
            confidence=confidence,
            reason=reason,
            flags=flags,
            judge=judge,
            evaluator_revision=evaluator_revision,
            samples=samples,
            cached=cached,
            prompt_hash=prompt_hash,
            usage=usage,
        )

        return verdict
