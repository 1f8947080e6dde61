"""The list in a model's answer, validated: every entry has the factor's form, or the list is rejected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....domain.rubric import Factor, Form, Itemised, Part
from ....llm.answer_text import printable
from ....text.words import title_key
from ..answer import Unreadable, last_object
from .outline import ITEM_FORMS, Outline

ENTRIES_REVISION = 2
"""Raised with every change that makes another list of the same answer, or another level of the same list."""

MOST_ENTRIES = 1000
LONGEST_NOTE = 300
SIMILARITIES = {
    "wanted": "are wanted",
    "very": "are very similar",
    "somewhat": "are somewhat similar",
    "not": "are not",
}
"""Kinds of likeness, the best first, in the words of a summary."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list; parts that its form lacks are empty."""

    message: int | None = None
    note: str = ""
    source: str = ""
    applies: bool = True
    holds: bool = True
    quote: str = ""
    kind: str = ""
    item: str = ""
    corrected_by: int | None = None
    characteristics: tuple[tuple[str, str], ...] = ()


Entries = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class EntryList:
    """A factor's list. `unread` says which replies the model seems to have left unread; None where it read all."""

    entries: Entries
    unread: str | None = None


def read_entries(text: str, factors: Sequence[Factor], outline: Outline) -> dict[str, EntryList | Unreadable]:
    """Each factor's list in an answer, by slug: those of `last_object`."""
    slugs = {factor.slug for factor in factors}
    found = last_object(text, {"items", *slugs}, '"items"')
    if isinstance(found, Unreadable):
        return dict.fromkeys(slugs, found)
    alone = len(factors) == 1 and "items" in found
    return {
        factor.slug: _list(found if alone else found.get(factor.slug), factor, outline) for factor in factors
    }


def lists_problem(text: str, factors: Sequence[Factor], outline: Outline) -> str | None:
    """Return why an answer does not hold a whole list for every factor; None where it does."""
    found = read_entries(text, factors, outline)
    lists = (found[factor.slug] for factor in factors)
    problems = (one.problem if isinstance(one, Unreadable) else one.unread for one in lists)
    return next(filter(None, problems), None)


def _list(raw: object, factor: Factor, outline: Outline) -> EntryList | Unreadable:
    asked, items = factor.itemised, raw.get("items") if isinstance(raw, dict) else None
    assert asked is not None
    keys = outline.keys(factor)
    if keys is not None and isinstance(items, dict):
        if missing := [key for key in keys if not isinstance(items.get(key), dict)]:
            return Unreadable(f'{factor.slug}: there is no entry under "{missing[0]}"')
        listed = [(key, _completed(items[key], key, factor, outline)) for key in keys]
    elif isinstance(items, list) and len(items) <= MOST_ENTRIES:
        listed = [(str(number), one) for number, one in enumerate(items, 1)]
    else:
        return Unreadable(f'{factor.slug}: "items" does not hold the entries, at most {MOST_ENTRIES}')
    entries: list[Entry] = []
    for name, one in listed:
        entry = _entry(one, asked, outline)
        if isinstance(entry, str):
            return Unreadable(f"{factor.slug}, entry {name}: {entry}")
        entries.append(entry)
    if problem := next(_gaps(entries, asked, outline), None):
        return Unreadable(f"{factor.slug}: {problem}")
    return EntryList(tuple(entries), None if keys is not None else _unread(raw, outline))


def _completed(entry: Mapping[str, Any], key: str, factor: Factor, outline: Outline) -> dict[str, Any]:
    asked = factor.itemised
    assert asked is not None
    if asked.form in ITEM_FORMS and outline.items is not None:
        return {**entry, asked.keys[Part.ITEM].name: outline.items[int(key) - 1]}
    return {**entry, "message": int(key)}


def _unread(raw: object, outline: Outline) -> str | None:
    """Return what says that the model did not read all replies: a wrong number, or none beside an empty list."""
    read = raw.get("replies_read") if isinstance(raw, dict) else None
    if read is None and isinstance(raw, dict) and raw.get("items"):
        return None
    if isinstance(read, int) and not isinstance(read, bool) and outline.is_all(read):
        return None
    return f'"replies_read" is {read!r:.20}, and the log has {outline.replies} messages of the recommender'


def _entry(raw: object, asked: Itemised, outline: Outline) -> Entry | str:
    """The entry, or what is wrong with it."""
    if not isinstance(raw, dict):
        return "it is no object"
    parts: dict[str, Any] = {}
    if asked.form not in ITEM_FORMS:
        message = raw.get("message")
        if problem := _misplaced(message, asked.form, outline):
            return problem
        parts["message"] = message
    for part, key in asked.keys.items():
        value = raw.get(key.name)
        if problem := _wrong(value, part, asked, outline):
            return f'"{key.name}" {problem}'
        parts[part.value] = _value(value, part)
    entry = Entry(**parts)
    corrected = entry.corrected_by
    if corrected is not None and (corrected not in outline.turn_of or corrected <= (entry.message or 0)):
        return f'"{asked.keys[Part.CORRECTED_BY].name}" is no later message of the recommender'
    if not entry.applies and entry.holds:
        return f'"{asked.keys[Part.HOLDS].name}" is true and "{asked.keys[Part.APPLIES].name}" is false'
    return entry


def _misplaced(message: object, form: Form, outline: Outline) -> str | None:
    if isinstance(message, bool) or not isinstance(message, int):
        return '"message" is no number'
    if form is Form.OBJECTIONS:
        return None if message in outline.users else f"message {message} is none of the user's"
    if form is Form.NOTES:
        return None if message in outline.notes else f"message {message} has no note"
    return None if message in outline.turn_of else f"message {message} is none of the recommender's"


def _wrong(value: object, part: Part, asked: Itemised, outline: Outline) -> str | None:
    match part:
        case Part.APPLIES | Part.HOLDS:
            return None if isinstance(value, bool) else "is neither true nor false"
        case Part.CORRECTED_BY:
            fits = value is None or (isinstance(value, int) and not isinstance(value, bool))
            return None if fits else "is neither a number nor null"
        case Part.KIND:
            kinds = kinds_of(asked, outline.domain)
            return None if value in kinds else f"is none of {', '.join(kinds)}"
        case Part.CHARACTERISTICS:
            return (
                None
                if isinstance(value, list) and all(map(_is_pair, value))
                else "is no list of characteristics"
            )
        case Part.ITEM:
            return None if isinstance(value, str) and value.strip() else "is empty"
        case _:
            return None if isinstance(value, str) else "is no text"


def _is_pair(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), str) and value[name].strip() for name in ("dimension", "value")
    )


def _value(value: Any, part: Part) -> Any:
    if part is Part.CHARACTERISTICS:
        return tuple((_plain(one["dimension"]), _plain(one["value"])) for one in value)
    if part is Part.QUOTE:
        return printable(value).strip()
    return printable(value).strip()[:LONGEST_NOTE] if isinstance(value, str) else value


def _plain(text: str) -> str:
    return " ".join(printable(text).casefold().split())


def kinds_of(asked: Itemised, domain: str) -> tuple[str, ...]:
    """The kinds that an entry may be of."""
    return tuple(SIMILARITIES) if asked.form is Form.SIMILARITY else tuple(asked.kinds_in(domain))


def _gaps(entries: Sequence[Entry], asked: Itemised, outline: Outline) -> Iterator[str]:
    """Yield the required entries that a list leaves out. Models without schemas may write a list in place of an object."""
    if asked.form is Form.REPLIES:
        covered = {outline.turn_of[entry.message] for entry in entries if entry.message is not None}
        if missing := [messages[0] for turn, messages in enumerate(outline.turns) if turn not in covered]:
            yield f"there is no entry for the reply [{missing[0]}]"
    if asked.form is Form.NOTES and (
        missing_notes := set(outline.notes) - {entry.message for entry in entries}
    ):
        yield f"there is no entry for the note of message {min(missing_notes)}"
    if asked.form in ITEM_FORMS and outline.items is not None:
        known = set(map(title_key, outline.items))
        covered_items = known & {title_key(entry.item) for entry in entries}
        if 2 * len(covered_items) < len(known):
            yield f"it holds {len(covered_items)} of the {len(known)} items in the list"


def by_title(entries: Sequence[Entry]) -> Mapping[str, list[Entry]]:
    """The entries of each item."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(title_key(entry.item), []).append(entry)
    return found
