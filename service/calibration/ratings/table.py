"""Ratings as columns: names as codes, numbers as arrays, so that a hundred thousand need no objects."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidRequest
from ..estimates.sample import Codes, Floats

NAMES = ("conversation", "factor", "rater", "system", "judge", "evaluator_revision", "comparison_key", "domain", "stratum", "situation", "cluster")  # fmt: skip
NUMBERS = ("repeat", "round", "turn")
HUMAN = "human"
NONE = -1
"""The code of a name, and the number, that a rating lacks."""

Mask = NDArray[np.bool_]


class Vocabulary:
    """Names and their codes, in the order in which they are first met."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self.names: list[str] = []
        """All names, by code."""

    def encode(self, names: Sequence[str | None]) -> Codes:
        """Return the codes of some names: a single one, where all are equal."""
        some = names[:1] if names.count(names[0]) == len(names) else names
        for name in dict.fromkeys(some):
            if name is not None and name not in self._codes:
                self._codes[name] = len(self.names)
                self.names.append(name)
        return np.array([NONE if name is None else self._codes[name] for name in some], dtype=np.intp)

    def code(self, name: str) -> int:
        """Return a name's code, NONE where it was never met."""
        return self._codes.get(name, NONE)

    def __len__(self) -> int:
        return len(self._codes)


@dataclass(frozen=True)
class Ratings:
    """All ratings of a request. `names` holds the vocabulary of each column of names, `codes` the ratings' codes in it and their
    numbers; NONE where a rating lacks one. `probability` is NaN where it does."""

    names: Mapping[str, Vocabulary]
    codes: Mapping[str, Codes]
    score: Floats
    probability: Floats
    human: Mask
    by_column: bool

    def __len__(self) -> int:
        return len(self.score)

    def pointer(self, at: int, name: str) -> str:
        """Return a JSON pointer to one value of the request."""
        return f"/columns/{name}/{at}" if self.by_column else f"/ratings/{at}/{name}"


class Table:
    """Ratings as they come in, part by part; `by_column` says that the request has columns."""

    def __init__(self, *, by_column: bool = True) -> None:
        self._by_column = by_column
        self._names = {name: Vocabulary() for name in NAMES}
        self._parts: dict[str, list[NDArray[Any]]] = defaultdict(list)

    def add(self, columns: Mapping[str, Sequence[Any] | None]) -> None:
        """Add ratings. Columns are of one length, or of a single entry that holds for all; those left out are empty.

        Raises InvalidRequest where their lengths differ."""
        given = {name: column for name, column in columns.items() if column is not None}
        size = max(len(column) for column in given.values())
        for name, column in given.items():
            if len(column) not in {1, size}:
                raise InvalidRequest.at(
                    f"/columns/{name}",
                    f"has {len(column)} entries, where other columns have {size}",
                    "send columns of one length, or a single entry that holds for all ratings",
                )
        part: dict[str, NDArray[Any]] = {
            name: self._names[name].encode(given.get(name, [None])) for name in NAMES
        }
        for name in NUMBERS:
            numbers = [NONE if number is None else number for number in given.get(name, [None])]
            part[name] = np.array(numbers, dtype=np.intp)
        for name in ("score", "probability"):
            part[name] = np.array(given.get(name, [None]), dtype=np.float64)
        part["human"] = np.array([kind == HUMAN for kind in given["kind"]])
        for name, found in part.items():
            self._parts[name].append(np.broadcast_to(found, size))

    def ratings(self) -> Ratings:
        """Return all that was added."""
        whole = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        return Ratings(
            self._names,
            {name: whole[name] for name in (*NAMES, *NUMBERS)},
            score=whole["score"],
            probability=whole["probability"],
            human=whole["human"],
            by_column=self._by_column,
        )
