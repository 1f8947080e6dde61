from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.rater_kind import RaterKind
from ..types import UNSET, Unset

T = TypeVar("T", bound="Rating")


@_attrs_define
class Rating:
    """One score by one rater.

    Attributes:
        conversation (str): The unit of resampling. One name under two systems is one situation put to both.
        factor (str): Any name; ratings of one factor are compared.
        rater (str): A judge's or a person's name; `people` is taken: it is the mean of all human raters.
        kind (RaterKind): Who rates.
        score (float): On one scale for all raters where kappa is wanted.
        system (None | str | Unset): Who talked; needed once a conversation, in any rating.
        repeat (int | None | Unset): The how-manieth asking; repeats are averaged, save for `repeat_spread`.
        round_ (int | None | Unset): The round of a debate whose debaters are the raters; the last counts.
        turn (int | None | Unset): Which message this is about; the whole conversation unless said.
        length (float | None | Unset): Length of what was rated, in words, for `length_correlation`.
    """

    conversation: str
    factor: str
    rater: str
    kind: RaterKind
    score: float
    system: None | str | Unset = UNSET
    repeat: int | None | Unset = UNSET
    round_: int | None | Unset = UNSET
    turn: int | None | Unset = UNSET
    length: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        conversation = self.conversation

        factor = self.factor

        rater = self.rater

        kind = self.kind.value

        score = self.score

        system: None | str | Unset
        if isinstance(self.system, Unset):
            system = UNSET
        else:
            system = self.system

        repeat: int | None | Unset
        if isinstance(self.repeat, Unset):
            repeat = UNSET
        else:
            repeat = self.repeat

        round_: int | None | Unset
        if isinstance(self.round_, Unset):
            round_ = UNSET
        else:
            round_ = self.round_

        turn: int | None | Unset
        if isinstance(self.turn, Unset):
            turn = UNSET
        else:
            turn = self.turn

        length: float | None | Unset
        if isinstance(self.length, Unset):
            length = UNSET
        else:
            length = self.length

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "conversation": conversation,
                "factor": factor,
                "rater": rater,
                "kind": kind,
                "score": score,
            }
        )
        if system is not UNSET:
            field_dict["system"] = system
        if repeat is not UNSET:
            field_dict["repeat"] = repeat
        if round_ is not UNSET:
            field_dict["round"] = round_
        if turn is not UNSET:
            field_dict["turn"] = turn
        if length is not UNSET:
            field_dict["length"] = length

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        conversation = d.pop("conversation")

        factor = d.pop("factor")

        rater = d.pop("rater")

        kind = RaterKind(d.pop("kind"))

        score = d.pop("score")

        def _parse_system(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        system = _parse_system(d.pop("system", UNSET))

        def _parse_repeat(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        repeat = _parse_repeat(d.pop("repeat", UNSET))

        def _parse_round_(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        round_ = _parse_round_(d.pop("round", UNSET))

        def _parse_turn(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        turn = _parse_turn(d.pop("turn", UNSET))

        def _parse_length(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        length = _parse_length(d.pop("length", UNSET))

        rating = cls(
            conversation=conversation,
            factor=factor,
            rater=rater,
            kind=kind,
            score=score,
            system=system,
            repeat=repeat,
            round_=round_,
            turn=turn,
            length=length,
        )

        return rating
