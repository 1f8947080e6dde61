"""Labels that come back: exports of the sheet, filled-in CSV, and any ratings that `crs-eval agreement` takes."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from ...importing.entries import Fault, plain_name
from ..exits import CommandError
from ..files import read_text
from ..inputs import Json, entries, format_faults
from .sheet import ANNOTATOR, CONVERSATION, KEY, QUESTION_MARK, WANTED, key_content

_HUMAN = "human"
_PEOPLE = "people"
Name = Annotated[str, Field(pattern=r"\S")]
Word = Annotated[str | None, Field(coerce_numbers_to_str=True)]


@dataclass(frozen=True)
class ConversationLabel:
    """A rating by a person. `repeat` counts how often this person had rated the conversation before. `digest` tells the
    log that was read; `probability` and `stratum` say how it was drawn, `domain` what it is about. They are None where the
    label does not say."""

    conversation: Name
    system: Word
    factor: Name
    rater: Name
    score: Annotated[float, Field(strict=True, allow_inf_nan=False)]
    repeat: Annotated[int, Field(ge=0)] = 0
    digest: Word = None
    probability: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    stratum: Word = None
    domain: Word = None

    @classmethod
    def of(cls, value: Json) -> "ConversationLabel":
        """The label that a rating's fields make. Raises ValueError that names what is wrong."""
        try:
            known = {name: given for name, given in value.items() if given is not None}
            label: ConversationLabel = _LABEL.validate_python({"system": None, **known})
        except ValidationError as wrong:
            raise ValueError(f"{wrong.errors()[0]['loc'][0]}: {wrong.errors()[0]['msg']}") from None
        if label.rater.strip().casefold() == _PEOPLE:
            raise ValueError(f"{_PEOPLE!r} stands for all annotators together; rename its rater")
        return label


_LABEL = TypeAdapter(ConversationLabel)


def read_labels(paths: Sequence[str]) -> list[ConversationLabel]:
    """The labels of these files, or of folders of JSON. Raises CommandError that names every place that is none."""
    faults: list[Fault] = []
    found = [label for path in paths for label in _labels_at(path, faults)]
    if faults:
        raise CommandError(format_faults(faults))
    if not found:
        raise CommandError(f"{', '.join(paths)}: no labels found.")
    return found


def holds_labels(path: str) -> bool:
    """Return whether a file holds what people said rather than what a judge said."""
    if not Path(path).is_file():
        return False
    if plain_name(Path(path)).suffix.lower() == ".csv":
        return True
    first = next(entries([path], []), None)
    return first is not None and isinstance(first.value, dict) and _is_of_people(first.value)


def _is_of_people(value: Json) -> bool:
    """Return whether a rating is of a person: it says so, or says nothing but who rated."""
    return value.get("kind", _HUMAN if "rater" in value else None) == _HUMAN


def _labels_at(path: str, faults: list[Fault]) -> Iterator[ConversationLabel]:
    if plain_name(Path(path)).suffix.lower() == ".csv":
        return _from_csv(Path(path), faults)
    return _from_json(path, faults)


def _from_json(path: str, faults: list[Fault]) -> Iterator[ConversationLabel]:
    for entry in entries([path], faults):
        value = entry.value
        if not isinstance(value, dict):
            faults.append(Fault(entry.place, "not a JSON object"))
        elif _is_of_people(value) and value.get("turn") is None:
            # Ratings of single messages and of judges may stand in the same file: no labels of a conversation.
            yield from _label(entry.place, value, faults)


def _label(place: str, value: Json, faults: list[Fault]) -> Iterator[ConversationLabel]:
    try:
        yield ConversationLabel.of(value)
    except ValueError as error:
        faults.append(Fault(place, f"no label: {error}"))


def _from_csv(path: Path, faults: list[Fault]) -> Iterator[ConversationLabel]:
    text = read_text(path)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.partition(CONVERSATION)[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [name.partition(QUESTION_MARK)[0].strip() for name in next(rows, [])]
    if KEY not in names:
        faults.append(Fault(str(path), f"no sheet: it has no column {KEY!r}"))
        return
    for number, cells in enumerate(rows, 2):
        row = dict(zip(names, cells, strict=False))
        if any(part.strip() for part in cells):
            yield from _row_labels(f"{path}:{number}", path, row, faults)


def _row_labels(
    place: str, path: Path, row: dict[str, str], faults: list[Fault]
) -> Iterator[ConversationLabel]:
    key, _, again = row[KEY].strip().partition(".")
    about = key_content(key)
    if about is None:
        faults.append(Fault(place, f"its {KEY!r} is not that of a sheet"))
        return
    rater = row.get(ANNOTATOR, "").strip() or plain_name(path).stem
    for factor, given in row.items():
        if factor in (KEY, ANNOTATOR, WANTED, CONVERSATION) or not given.strip():
            continue
        try:
            score = float(given.strip().replace(",", "."))
        except ValueError:
            wrong = f"{given.strip()[:40]!r} is not a number; leave it empty if you cannot say"
            faults.append(Fault(place, f"{factor}: {wrong}"))
            continue
        value = {**about, "factor": factor, "rater": rater, "score": score, "repeat": int(again == "1")}
        yield from _label(place, value, faults)
