from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.speech_status import SpeechStatus

if TYPE_CHECKING:
    from ..models.judge_ref import JudgeRef
    from ..models.speech_reason import SpeechReason
    from ..models.usage import Usage


T = TypeVar("T", bound="Statement")


@_attrs_define
class Statement:
    """What a role said in a round. A role without a usable answer is `failed`, and asked again in
    the next round.

        Attributes:
            role (str):
            status (SpeechStatus): Whether a role gave a usable answer.
            score (int | None): 0 would never use this system, 100 would always choose it.
            statement (None | str):
            judge (JudgeRef): Who judged: the judge's name and the model that answered, as its provider names it.
            reason (None | SpeechReason): Set where the role has no score.
            cached (bool):
            usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
                spend.
    """

    role: str
    status: SpeechStatus
    score: int | None
    statement: None | str
    judge: JudgeRef
    reason: None | SpeechReason
    cached: bool
    usage: Usage

    def to_dict(self) -> dict[str, Any]:
        from ..models.speech_reason import SpeechReason  # noqa: PLC0415

        role = self.role

        status = self.status.value

        score: int | None
        score = self.score

        statement: None | str
        statement = self.statement

        judge = self.judge.to_dict()

        reason: dict[str, Any] | None
        if isinstance(self.reason, SpeechReason):
            reason = self.reason.to_dict()
        else:
            reason = self.reason

        cached = self.cached

        usage = self.usage.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "role": role,
                "status": status,
                "score": score,
                "statement": statement,
                "judge": judge,
                "reason": reason,
                "cached": cached,
                "usage": usage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.speech_reason import SpeechReason  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415

        d = dict(src_dict)
        role = d.pop("role")

        status = SpeechStatus(d.pop("status"))

        def _parse_score(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        score = _parse_score(d.pop("score"))

        def _parse_statement(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        statement = _parse_statement(d.pop("statement"))

        judge = JudgeRef.from_dict(d.pop("judge"))

        def _parse_reason(data: object) -> None | SpeechReason:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reason_type_0 = SpeechReason.from_dict(data)

                return reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SpeechReason, data)

        reason = _parse_reason(d.pop("reason"))

        cached = d.pop("cached")

        usage = Usage.from_dict(d.pop("usage"))

        statement = cls(
            role=role,
            status=status,
            score=score,
            statement=statement,
            judge=judge,
            reason=reason,
            cached=cached,
            usage=usage,
        )

        return statement
