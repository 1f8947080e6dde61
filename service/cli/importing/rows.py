"""Conversations in rows, a message each: INSPIRED's TSV files, and CSV files of one's own."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..exits import CommandError
from ..files import read_content
from ..inputs import Fault, Json, bad_byte
from .imported import Imported, UnreadableError, Wanted, log_of, rating, role_of, unread

Row = Mapping[str, str]
LABEL = "label:"
SEPARATOR = "|"
"""Between the items of a list: titles hold commas."""
INSPIRED_COLUMNS = ("dialog_id", "speaker", "text")
CSV_COLUMNS = ("conversation", "role", "content")
# The release has other names for two columns than its own description.
_INSPIRED_LABELS = {"first_label": "strategy", "expert_label": "strategy", "second_label": "second_strategy"}
_INSPIRED_CASES = ("case", "fine_label")
_INSPIRED_READ = (*INSPIRED_COLUMNS, *_INSPIRED_LABELS, *_INSPIRED_CASES, "utt_id", "turn_id")
_CSV_READ = (*CSV_COLUMNS, "recommendations", "system", "domain", "created_at", "rater")
_QUOTE = "QUOTATION_MARK"


def read_inspired(paths: Sequence[str], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """INSPIRED (Hayati et al. 2020): each utterance a message; strategies are labels of messages."""
    for place, name, rows in _conversations(paths, "\t", INSPIRED_COLUMNS, {}, faults):
        messages = [
            {"role": role_of(row["speaker"]), "content": row["text"].replace(_QUOTE, '"')} for row in rows
        ]
        labels = []
        for index, row in enumerate(rows):
            given = {to: row[column] for column, to in _INSPIRED_LABELS.items() if row.get(column)}
            if given:
                labels.append({"conversation": name, "message": index, **given})
        case = next((row[name] for row in rows for name in _INSPIRED_CASES if row.get(name)), "")
        outcome = {"accepted": case.startswith("accept")} if case else None
        log = log_of(wanted, id=name, system="human", domain="movie", messages=messages, outcome=outcome)
        yield Imported(place, log, labels, _left(rows, _INSPIRED_READ))


def read_csv(paths: Sequence[str], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """CSV: `conversation`, `role`, `content`; maybe `recommendations` (separated by |), `system`, `domain`,
    `created_at`, `rater`, and columns `label:<factor>`, read once a conversation (`turn` where it stands
    in several rows)."""
    for place, name, rows in _conversations(paths, ",", CSV_COLUMNS, wanted.columns, faults):
        messages = [_csv_message(row) for row in rows]
        first = {
            field: next((row[field] for row in rows if row.get(field)), None)
            for field in ("system", "domain")
        }
        log = log_of(wanted, id=name, messages=messages, **first)
        labels = list(_csv_labels(name, rows, log.get("system"), place, faults))
        read = [*_CSV_READ, *(column for column in rows[0] if column.startswith(LABEL))]
        yield Imported(place, log, labels, _left(rows, read))


def _left(rows: Sequence[Row], read: Sequence[str]) -> "Counter[str]":
    return sum((unread(row, read) for row in rows), Counter())


def _csv_message(row: Row) -> Json:
    message: Json = {"role": role_of(row["role"]), "content": row["content"]}
    if row.get("recommendations"):
        titles = [title.strip() for title in row["recommendations"].split(SEPARATOR)]
        message["recommendations"] = [title for title in titles if title]
    if row.get("created_at"):
        message["created_at"] = row["created_at"]
    return message


def _csv_labels(
    name: str, rows: Sequence[Row], system: str | None, place: str, faults: list[Fault]
) -> Iterator[Json]:
    for column in rows[0]:
        if not column.startswith(LABEL):
            continue
        given = [(index, row[column]) for index, row in enumerate(rows) if row.get(column)]
        for index, text in given:
            rater = rows[index].get("rater") or "people"
            try:
                score = float(text)
            except ValueError:
                faults.append(Fault(place, f"{column} of message {index} is no number: {text[:40]!r}"))
                continue
            turn = index if len(given) > 1 else None
            factor = column.removeprefix(LABEL)
            yield rating(
                name, factor, score, "annotators" if rater == "people" else rater, system=system, turn=turn
            )


def _conversations(
    paths: Sequence[str],
    delimiter: str,
    needed: Sequence[str],
    columns: Mapping[str, str],
    faults: list[Fault],
) -> Iterator[tuple[str, str, list[Row]]]:
    """The rows of each conversation with the place of its first one. A conversation with a row that
    cannot be read is left out: half of one would be judged as if it were whole."""
    key = needed[0]
    for path in paths:
        grouped: dict[str, list[Row]] = {}
        places: dict[str, str] = {}
        broken: set[str] = set()
        for number, row, wrong in _rows(path, delimiter, needed, columns):
            place = f"{path}:{number}"
            name = row.get(key, "").strip()
            reason = wrong or (None if name else f"no {key}") or _unknown_role(row, needed[1])
            if reason:
                faults.append(Fault(place, reason + (f"; {name!r} is left out" if name else "")))
                broken.add(name)
                continue
            grouped.setdefault(name, []).append(row)
            places.setdefault(name, place)
        yield from ((places[name], name, rows) for name, rows in grouped.items() if name not in broken)


def _unknown_role(row: Row, column: str) -> str | None:
    try:
        role_of(row[column])
    except UnreadableError as error:
        return str(error)
    return None


def _rows(
    path: str, delimiter: str, needed: Sequence[str], columns: Mapping[str, str]
) -> Iterator[tuple[int, Row, str | None]]:
    """Line number, values by our names of columns, and what is wrong. Raises CommandError without a header."""
    # Bytes that are not UTF-8 become lone surrogates, so that they spoil the row they stand in and no other.
    text = read_content(path).decode("utf-8-sig", "surrogateescape")
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [name.strip() for name in next(reader, [])]
    ours = {theirs: name for name, theirs in columns.items()}
    named = [ours.get(name, name) for name in header]
    missing = [name for name in needed if name not in named]
    if missing:
        told = f"{path} has no column {', '.join(missing)}; it has {', '.join(header) or 'none'}."
        raise CommandError(f"{told} --column {missing[0]}=THEIRS says which one it is.")
    begins = 2
    for values in reader:
        wrong = next(filter(None, map(bad_byte, values)), None)
        if len(values) != len(named):
            wrong = f"{len(values)} values, where the header has {len(named)}"
        if values:
            yield begins, dict(zip(named, values, strict=False)), wrong
        begins = reader.line_num + 1
