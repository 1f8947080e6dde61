"""Ratings by judges and people as columns, so that a hundred thousand need no objects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..domain.rounding import WHOLE
from ..errors import InvalidRequest
from .bootstrap import Matrix
from .coefficients import Indices

PEOPLE = "people"
"""The rater that is the mean of all human raters of a unit."""
NONE = -1
"""The code of a name, and the number, that a rating lacks."""
NAMES = ("conversation", "factor", "rater", "system", "judge", "evaluator_revision", "comparison_key", "domain", "stratum", "situation", "cluster")  # fmt: skip
NUMBERS = ("repeat", "round", "turn")
_FLOATS = ("score", "probability", "length")

Mask = NDArray[np.bool_]


class RaterKind(StrEnum):
    """Kind of rater."""

    JUDGE = "judge"
    HUMAN = "human"


NamedLabel = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One score by one rater."""

    conversation: Annotated[NamedLabel, Field(examples=["session-4711"])]
    """The unit of resampling. One name under two systems is one situation put to both."""
    system: NamedLabel | None = None
    """The system that talked; needed once a conversation, in any rating."""
    factor: Annotated[NamedLabel, Field(examples=["coherence"])]
    """Any name; ratings of one factor are compared."""
    rater: Annotated[NamedLabel, Field(examples=["openai:gpt-x"])]
    """A judge's or a person's name; `people` is taken: it is the mean of all human raters."""
    kind: RaterKind
    score: Annotated[float, Field(ge=-1e6, le=1e6)]
    """On one scale for all raters where kappa is wanted."""
    repeat: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] | None = None
    """The how-manieth asking; repeats are averaged, save for `repeat_spread`."""
    round: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    """The round of a debate whose debaters are the raters; the last counts."""
    turn: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] | None = None
    """Index of the message that this is about; the whole conversation by default."""
    length: Annotated[float, Field(ge=0, le=1e9)] | None = None
    """Length of what was rated, in words, for `length_correlation`."""


@dataclass(frozen=True)
class Ratings:
    """Ratings as columns. `names` holds the sorted names of each column of names. `codes` holds the place of each rating's name
    there, and its numbers; NONE where it lacks one. `values` holds scores, probabilities and lengths, NaN where it lacks one."""

    names: Mapping[str, Sequence[str]]
    codes: Mapping[str, Indices]
    values: Mapping[str, Matrix]
    human: Mask
    by_column: bool

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any] | None], *, by_column: bool = True) -> "Ratings":
        """Read columns of one length, or of a single entry that holds for all; those left out are empty.

        Raises InvalidRequest where lengths differ, for a rater named `people`, and for one who is a person and a judge."""
        given = {name: column for name, column in columns.items() if column is not None}
        size = max(map(len, given.values()))
        for name, column in given.items():
            if len(column) not in {1, size}:
                raise InvalidRequest.at(
                    f"/columns/{name}",
                    f"has {len(column)} entries, where other columns have {size}",
                    "send columns of equal length, or a single entry that applies to all ratings",
                )
        names, codes = {}, {}
        for name in NAMES:
            column = given.get(name, [None])
            names[name] = sorted({*column} - {None})
            code = {known: place for place, known in enumerate(names[name])}
            codes[name] = np.array([code.get(known, NONE) for known in column], dtype=np.intp)
        for name in NUMBERS:
            numbers = [NONE if number is None else number for number in given.get(name, [None])]
            codes[name] = np.array(numbers, dtype=np.intp)
        found = cls(
            names,
            {name: np.broadcast_to(column, size) for name, column in codes.items()},
            {name: np.broadcast_to(np.array(given.get(name, [None]), float), size) for name in _FLOATS},
            np.broadcast_to(np.array([kind == RaterKind.HUMAN for kind in given["kind"]], bool), size),
            by_column,
        )
        _check_raters(found)
        return found

    @classmethod
    def from_objects(cls, ratings: Iterable[Rating]) -> "Ratings":
        """Read ratings one by one. Raises InvalidRequest as `of` does."""
        given = list(ratings)
        columns = {one.name: [getattr(rating, one.name) for rating in given] for one in fields(Rating)}
        return cls.of(columns, by_column=False)

    def first(self, name: str) -> dict[str, int]:
        """Return the first rating of each factor or rater."""
        return dict(
            zip(self.names[name], np.unique(self.codes[name], return_index=True)[1].tolist(), strict=True)
        )

    def pointer(self, at: int, name: str) -> str:
        """Return a JSON pointer to one value of the request."""
        return f"/columns/{name}/{at}" if self.by_column else f"/ratings/{at}/{name}"


def _check_raters(ratings: Ratings) -> None:
    rater, names = ratings.codes["rater"], ratings.names["rater"]
    first_human = np.zeros(len(names), dtype=bool)
    first_human[rater[::-1]] = ratings.human[::-1]
    for wrong, what in (
        (np.array(names)[rater] == PEOPLE, "is the name of the mean of all human raters"),
        (ratings.human != first_human[rater], "rates as a person in one place and as a judge in another"),
    ):
        if wrong.any():
            at = int(wrong.argmax())
            detail = f"{names[rater[at]]!r} {what}"
            raise InvalidRequest.at(
                ratings.pointer(at, "rater"), detail, "give judges and people different names"
            )
