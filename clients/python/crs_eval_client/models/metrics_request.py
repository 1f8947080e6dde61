from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.label import Label
from ..models.matching import Matching
from ..models.metric import Metric
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.log import Log
    from ..models.reply_pair import ReplyPair
    from ..models.verdict import Verdict


T = TypeVar("T", bound="MetricsRequest")


@_attrs_define
class MetricsRequest:
    """Logs to compute metrics over.

    Attributes:
        logs (list[Log]):
        verdicts (list[list[Verdict]] | None | Unset): For each log, in order, its verdicts: CONCEPT's abilities read
            those of its factors.
        reply_pairs (list[ReplyPair] | None | Unset): What reliability is computed from; not grouped.
        metrics (list[Metric] | None | Unset): All unless said.
        k (list[int] | None | Unset): Where lists are cut, beside the whole list; 1, 10, 25, 50 unless said.
        turns (list[int] | None | Unset): Where sessions are cut for success, beside the whole; 3, 5, 10 unless said.
        group_by (list[Label] | None | Unset): Any of system, persona, age_group, attributes, domain: figures for each
            combination that occurs.
        catalog (None | str | Unset): Name of a catalogue that the operator provides.
        matching (Matching | None | Unset): `strict` unless said; `published` repeats the rules behind CONCEPT's tables,
            unsound as they are.
    """

    logs: list[Log]
    verdicts: list[list[Verdict]] | None | Unset = UNSET
    reply_pairs: list[ReplyPair] | None | Unset = UNSET
    metrics: list[Metric] | None | Unset = UNSET
    k: list[int] | None | Unset = UNSET
    turns: list[int] | None | Unset = UNSET
    group_by: list[Label] | None | Unset = UNSET
    catalog: None | str | Unset = UNSET
    matching: Matching | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        logs = []
        for logs_item_data in self.logs:
            logs_item = logs_item_data.to_dict()
            logs.append(logs_item)

        verdicts: list[list[dict[str, Any]]] | None | Unset
        if isinstance(self.verdicts, Unset):
            verdicts = UNSET
        elif isinstance(self.verdicts, list):
            verdicts = []
            for verdicts_type_0_item_data in self.verdicts:
                verdicts_type_0_item = []
                for verdicts_type_0_item_item_data in verdicts_type_0_item_data:
                    verdicts_type_0_item_item = verdicts_type_0_item_item_data.to_dict()
                    verdicts_type_0_item.append(verdicts_type_0_item_item)

                verdicts.append(verdicts_type_0_item)

        else:
            verdicts = self.verdicts

        reply_pairs: list[dict[str, Any]] | None | Unset
        if isinstance(self.reply_pairs, Unset):
            reply_pairs = UNSET
        elif isinstance(self.reply_pairs, list):
            reply_pairs = []
            for reply_pairs_type_0_item_data in self.reply_pairs:
                reply_pairs_type_0_item = reply_pairs_type_0_item_data.to_dict()
                reply_pairs.append(reply_pairs_type_0_item)

        else:
            reply_pairs = self.reply_pairs

        metrics: list[str] | None | Unset
        if isinstance(self.metrics, Unset):
            metrics = UNSET
        elif isinstance(self.metrics, list):
            metrics = []
            for metrics_type_0_item_data in self.metrics:
                metrics_type_0_item = metrics_type_0_item_data.value
                metrics.append(metrics_type_0_item)

        else:
            metrics = self.metrics

        k: list[int] | None | Unset
        if isinstance(self.k, Unset):
            k = UNSET
        elif isinstance(self.k, list):
            k = self.k

        else:
            k = self.k

        turns: list[int] | None | Unset
        if isinstance(self.turns, Unset):
            turns = UNSET
        elif isinstance(self.turns, list):
            turns = self.turns

        else:
            turns = self.turns

        group_by: list[str] | None | Unset
        if isinstance(self.group_by, Unset):
            group_by = UNSET
        elif isinstance(self.group_by, list):
            group_by = []
            for group_by_type_0_item_data in self.group_by:
                group_by_type_0_item = group_by_type_0_item_data.value
                group_by.append(group_by_type_0_item)

        else:
            group_by = self.group_by

        catalog: None | str | Unset
        if isinstance(self.catalog, Unset):
            catalog = UNSET
        else:
            catalog = self.catalog

        matching: None | str | Unset
        if isinstance(self.matching, Unset):
            matching = UNSET
        elif isinstance(self.matching, Matching):
            matching = self.matching.value
        else:
            matching = self.matching

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "logs": logs,
            }
        )
        if verdicts is not UNSET:
            field_dict["verdicts"] = verdicts
        if reply_pairs is not UNSET:
            field_dict["reply_pairs"] = reply_pairs
        if metrics is not UNSET:
            field_dict["metrics"] = metrics
        if k is not UNSET:
            field_dict["k"] = k
        if turns is not UNSET:
            field_dict["turns"] = turns
        if group_by is not UNSET:
            field_dict["group_by"] = group_by
        if catalog is not UNSET:
            field_dict["catalog"] = catalog
        if matching is not UNSET:
            field_dict["matching"] = matching

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.log import Log  # noqa: PLC0415
        from ..models.reply_pair import ReplyPair  # noqa: PLC0415
        from ..models.verdict import Verdict  # noqa: PLC0415

        d = dict(src_dict)
        logs = []
        _logs = d.pop("logs")
        for logs_item_data in _logs:
            logs_item = Log.from_dict(logs_item_data)

            logs.append(logs_item)

        def _parse_verdicts(data: object) -> list[list[Verdict]] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                verdicts_type_0 = []
                _verdicts_type_0 = data
                for verdicts_type_0_item_data in _verdicts_type_0:
                    verdicts_type_0_item = []
                    _verdicts_type_0_item = verdicts_type_0_item_data
                    for verdicts_type_0_item_item_data in _verdicts_type_0_item:
                        verdicts_type_0_item_item = Verdict.from_dict(verdicts_type_0_item_item_data)

                        verdicts_type_0_item.append(verdicts_type_0_item_item)

                    verdicts_type_0.append(verdicts_type_0_item)

                return verdicts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[list[Verdict]] | None | Unset, data)

        verdicts = _parse_verdicts(d.pop("verdicts", UNSET))

        def _parse_reply_pairs(data: object) -> list[ReplyPair] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
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
            return cast(list[ReplyPair] | None | Unset, data)

        reply_pairs = _parse_reply_pairs(d.pop("reply_pairs", UNSET))

        def _parse_metrics(data: object) -> list[Metric] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                metrics_type_0 = []
                _metrics_type_0 = data
                for metrics_type_0_item_data in _metrics_type_0:
                    metrics_type_0_item = Metric(metrics_type_0_item_data)

                    metrics_type_0.append(metrics_type_0_item)

                return metrics_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Metric] | None | Unset, data)

        metrics = _parse_metrics(d.pop("metrics", UNSET))

        def _parse_k(data: object) -> list[int] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                k_type_0 = cast(list[int], data)

                return k_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None | Unset, data)

        k = _parse_k(d.pop("k", UNSET))

        def _parse_turns(data: object) -> list[int] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                turns_type_0 = cast(list[int], data)

                return turns_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None | Unset, data)

        turns = _parse_turns(d.pop("turns", UNSET))

        def _parse_group_by(data: object) -> list[Label] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                group_by_type_0 = []
                _group_by_type_0 = data
                for group_by_type_0_item_data in _group_by_type_0:
                    group_by_type_0_item = Label(group_by_type_0_item_data)

                    group_by_type_0.append(group_by_type_0_item)

                return group_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Label] | None | Unset, data)

        group_by = _parse_group_by(d.pop("group_by", UNSET))

        def _parse_catalog(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        catalog = _parse_catalog(d.pop("catalog", UNSET))

        def _parse_matching(data: object) -> Matching | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                matching_type_0 = Matching(data)

                return matching_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Matching | None | Unset, data)

        matching = _parse_matching(d.pop("matching", UNSET))

        metrics_request = cls(
            logs=logs,
            verdicts=verdicts,
            reply_pairs=reply_pairs,
            metrics=metrics,
            k=k,
            turns=turns,
            group_by=group_by,
            catalog=catalog,
            matching=matching,
        )

        return metrics_request
