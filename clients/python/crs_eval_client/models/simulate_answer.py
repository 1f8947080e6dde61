from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.flag import Flag
    from ..models.judge_ref import JudgeRef
    from ..models.notice import Notice
    from ..models.reply_pair import ReplyPair
    from ..models.rewording import Rewording
    from ..models.session_log import SessionLog
    from ..models.summary import Summary
    from ..models.usage import Usage
    from ..models.verdict import Verdict
    from ..models.worded_reply import WordedReply


T = TypeVar("T", bound="SimulateAnswer")


@_attrs_define
class SimulateAnswer:
    """The next user message, or a whole session, or rewordings. What does not apply is null.

    Attributes:
        message (None | str): What the user says next, or said last; null where it ends in silence.
        done (bool): Whether the session is over.
        outcome (None | str): Why it is over: `accepted`, `found`, `gave_up`, `turn_limit`, `already_ended`; with `crs`
            also `crs_error`, `crs_timeout`, `crs_silent`, `crs_flood`, `crs_unreadable`, `deadline`, `round_cap`,
            `simulator_failed`. The list may grow.
        detail (None | str): More on an outcome that went wrong.
        thoughts (None | str): What the user feels or makes of the items; never said aloud.
        satisfaction (int | None): 1-5, at the end, where the user knows it.
        rationale (None | str):
        removed (list[str]): Sentences that a guard took out of the user's messages.
        item (None | str): The item that was accepted or found.
        flags (list[Flag]):
        judge (JudgeRef | None): The model that played the user; null where there was none.
        usage (Usage): Tokens and cost. `input_tokens` includes cached input; `saved_tokens` is what cache hits did not
            spend.
        log (None | SessionLog): With `crs`: the session, ready for the other routes.
        verdicts (list[Verdict] | None): With `crs` and `score`.
        summaries (list[Summary] | None):
        comparison_key (None | str):
        paraphrases (list[Rewording] | None): `paraphrase`: the wordings.
        replies (list[WordedReply] | None): `paraphrase` with `crs`: the reply to the message as it was, then to each
            wording.
        reply_pairs (list[ReplyPair] | None): The same as pairs with the first, as `/computational-metrics` takes them.
        warnings (list[Notice]):
    """

    message: None | str
    done: bool
    outcome: None | str
    detail: None | str
    thoughts: None | str
    satisfaction: int | None
    rationale: None | str
    removed: list[str]
    item: None | str
    flags: list[Flag]
    judge: JudgeRef | None
    usage: Usage
    log: None | SessionLog
    verdicts: list[Verdict] | None
    summaries: list[Summary] | None
    comparison_key: None | str
    paraphrases: list[Rewording] | None
    replies: list[WordedReply] | None
    reply_pairs: list[ReplyPair] | None
    warnings: list[Notice]

    def to_dict(self) -> dict[str, Any]:
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.session_log import SessionLog  # noqa: PLC0415

        message: None | str
        message = self.message

        done = self.done

        outcome: None | str
        outcome = self.outcome

        detail: None | str
        detail = self.detail

        thoughts: None | str
        thoughts = self.thoughts

        satisfaction: int | None
        satisfaction = self.satisfaction

        rationale: None | str
        rationale = self.rationale

        removed = self.removed

        item: None | str
        item = self.item

        flags = []
        for flags_item_data in self.flags:
            flags_item = flags_item_data.to_dict()
            flags.append(flags_item)

        judge: dict[str, Any] | None
        if isinstance(self.judge, JudgeRef):
            judge = self.judge.to_dict()
        else:
            judge = self.judge

        usage = self.usage.to_dict()

        log: dict[str, Any] | None
        if isinstance(self.log, SessionLog):
            log = self.log.to_dict()
        else:
            log = self.log

        verdicts: list[dict[str, Any]] | None
        if isinstance(self.verdicts, list):
            verdicts = []
            for verdicts_type_0_item_data in self.verdicts:
                verdicts_type_0_item = verdicts_type_0_item_data.to_dict()
                verdicts.append(verdicts_type_0_item)

        else:
            verdicts = self.verdicts

        summaries: list[dict[str, Any]] | None
        if isinstance(self.summaries, list):
            summaries = []
            for summaries_type_0_item_data in self.summaries:
                summaries_type_0_item = summaries_type_0_item_data.to_dict()
                summaries.append(summaries_type_0_item)

        else:
            summaries = self.summaries

        comparison_key: None | str
        comparison_key = self.comparison_key

        paraphrases: list[dict[str, Any]] | None
        if isinstance(self.paraphrases, list):
            paraphrases = []
            for paraphrases_type_0_item_data in self.paraphrases:
                paraphrases_type_0_item = paraphrases_type_0_item_data.to_dict()
                paraphrases.append(paraphrases_type_0_item)

        else:
            paraphrases = self.paraphrases

        replies: list[dict[str, Any]] | None
        if isinstance(self.replies, list):
            replies = []
            for replies_type_0_item_data in self.replies:
                replies_type_0_item = replies_type_0_item_data.to_dict()
                replies.append(replies_type_0_item)

        else:
            replies = self.replies

        reply_pairs: list[dict[str, Any]] | None
        if isinstance(self.reply_pairs, list):
            reply_pairs = []
            for reply_pairs_type_0_item_data in self.reply_pairs:
                reply_pairs_type_0_item = reply_pairs_type_0_item_data.to_dict()
                reply_pairs.append(reply_pairs_type_0_item)

        else:
            reply_pairs = self.reply_pairs

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "message": message,
                "done": done,
                "outcome": outcome,
                "detail": detail,
                "thoughts": thoughts,
                "satisfaction": satisfaction,
                "rationale": rationale,
                "removed": removed,
                "item": item,
                "flags": flags,
                "judge": judge,
                "usage": usage,
                "log": log,
                "verdicts": verdicts,
                "summaries": summaries,
                "comparison_key": comparison_key,
                "paraphrases": paraphrases,
                "replies": replies,
                "reply_pairs": reply_pairs,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.flag import Flag  # noqa: PLC0415
        from ..models.judge_ref import JudgeRef  # noqa: PLC0415
        from ..models.notice import Notice  # noqa: PLC0415
        from ..models.reply_pair import ReplyPair  # noqa: PLC0415
        from ..models.rewording import Rewording  # noqa: PLC0415
        from ..models.session_log import SessionLog  # noqa: PLC0415
        from ..models.summary import Summary  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415
        from ..models.worded_reply import WordedReply  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_message(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message = _parse_message(d.pop("message"))

        done = d.pop("done")

        def _parse_outcome(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        outcome = _parse_outcome(d.pop("outcome"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        def _parse_thoughts(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        thoughts = _parse_thoughts(d.pop("thoughts"))

        def _parse_satisfaction(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        satisfaction = _parse_satisfaction(d.pop("satisfaction"))

        def _parse_rationale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rationale = _parse_rationale(d.pop("rationale"))

        removed = cast(list[str], d.pop("removed"))

        def _parse_item(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        item = _parse_item(d.pop("item"))

        flags = []
        _flags = d.pop("flags")
        for flags_item_data in _flags:
            flags_item = Flag.from_dict(flags_item_data)

            flags.append(flags_item)

        def _parse_judge(data: object) -> JudgeRef | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                judge_type_0 = JudgeRef.from_dict(data)

                return judge_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(JudgeRef | None, data)

        judge = _parse_judge(d.pop("judge"))

        usage = Usage.from_dict(d.pop("usage"))

        def _parse_log(data: object) -> None | SessionLog:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                log_type_0 = SessionLog.from_dict(data)

                return log_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SessionLog, data)

        log = _parse_log(d.pop("log"))

        def _parse_verdicts(data: object) -> list[Verdict] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                verdicts_type_0 = []
                _verdicts_type_0 = data
                for verdicts_type_0_item_data in _verdicts_type_0:
                    verdicts_type_0_item = Verdict.from_dict(verdicts_type_0_item_data)

                    verdicts_type_0.append(verdicts_type_0_item)

                return verdicts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Verdict] | None, data)

        verdicts = _parse_verdicts(d.pop("verdicts"))

        def _parse_summaries(data: object) -> list[Summary] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                summaries_type_0 = []
                _summaries_type_0 = data
                for summaries_type_0_item_data in _summaries_type_0:
                    summaries_type_0_item = Summary.from_dict(summaries_type_0_item_data)

                    summaries_type_0.append(summaries_type_0_item)

                return summaries_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Summary] | None, data)

        summaries = _parse_summaries(d.pop("summaries"))

        def _parse_comparison_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        comparison_key = _parse_comparison_key(d.pop("comparison_key"))

        def _parse_paraphrases(data: object) -> list[Rewording] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                paraphrases_type_0 = []
                _paraphrases_type_0 = data
                for paraphrases_type_0_item_data in _paraphrases_type_0:
                    paraphrases_type_0_item = Rewording.from_dict(paraphrases_type_0_item_data)

                    paraphrases_type_0.append(paraphrases_type_0_item)

                return paraphrases_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Rewording] | None, data)

        paraphrases = _parse_paraphrases(d.pop("paraphrases"))

        def _parse_replies(data: object) -> list[WordedReply] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                replies_type_0 = []
                _replies_type_0 = data
                for replies_type_0_item_data in _replies_type_0:
                    replies_type_0_item = WordedReply.from_dict(replies_type_0_item_data)

                    replies_type_0.append(replies_type_0_item)

                return replies_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[WordedReply] | None, data)

        replies = _parse_replies(d.pop("replies"))

        def _parse_reply_pairs(data: object) -> list[ReplyPair] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                reply_pairs_type_0 = []
                _reply_pairs_type_0 = data
                for reply_pairs_type_0_item_data in _reply_pairs_type_0:
                    reply_pairs_type_0_item = ReplyPair.from_dict(reply_pairs_type_0_item_data)

                    reply_pairs_type_0.append(reply_pairs_type_0_item)

                return reply_pairs_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ReplyPair] | None, data)

        reply_pairs = _parse_reply_pairs(d.pop("reply_pairs"))

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = Notice.from_dict(warnings_item_data)

            warnings.append(warnings_item)

        simulate_answer = cls(
            message=message,
            done=done,
            outcome=outcome,
            detail=detail,
            thoughts=thoughts,
            satisfaction=satisfaction,
            rationale=rationale,
            removed=removed,
            item=item,
            flags=flags,
            judge=judge,
            usage=usage,
            log=log,
            verdicts=verdicts,
            summaries=summaries,
            comparison_key=comparison_key,
            paraphrases=paraphrases,
            replies=replies,
            reply_pairs=reply_pairs,
            warnings=warnings,
        )

        return simulate_answer
