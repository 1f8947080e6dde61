"""An example of `--map` and `--roles` from a file's own fields, for files in no known format."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..imported import SpeakerError
from ..rows import KEYS, ORDERS, conversations_by
from ..talk import speakers, times

FORMS = (
    'Write each conversation on a line of its own as {"messages": [{"role": "user", "content": "Hi"}]}, or as text in which each '
    "message begins with a name and a colon: User: Hi. Where a row holds a question and its answer, name both: --map "
    "user=FIELD,assistant=FIELD"
)
"""The advice for a file in which nothing looks like messages."""
_LONGEST_NAME = 40
_MOST = 50
"""Objects that are looked at."""
_DEEPEST = 4
_FEW_NAMES = 3
_SIGN = re.compile(r"\w")


def suggestion(values: Sequence[Any]) -> str | None:
    """Options that may read these values; None where nothing in them looks like messages."""
    lists: dict[str | None, list[Mapping[str, Any]]] = {}
    for at, rows in _lists(values[:_MOST], None, 0):
        lists.setdefault(at, []).extend(rows)
    longest = sorted(lists, key=lambda at: -len(lists[at]))
    return next(filter(None, (_options(at, lists[at][:_MOST]) for at in longest)), None)


def _options(at: str | None, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The options for messages in a list of this name, None for the entries themselves. The text is what has most words."""
    columns: dict[str, list[str]] = {}
    for row in rows:
        for name, text in _texts(row, "", 0):
            columns.setdefault(name, []).append(text)
    texts = [name for name in columns if not _is_mark(name) and _is_prose(columns[name])]
    content = max(texts, key=lambda name: len(" ".join(columns[name]).split()), default=None)
    full = {name: found for name, found in columns.items() if len(found) == len(rows) and name != content}
    role = _role(full)
    if content is None or role is None:
        return None
    named = any(key in full for key in KEYS)
    others = {name: found for name, found in full.items() if name != role}
    conversation = None if at or named else conversations_by(others, full[role])
    fields = {"messages": at, "conversation": conversation, "role": role, "content": content}
    given = speakers.quoted(",".join(f"{ours}={theirs}" for ours, theirs in fields.items() if theirs))
    return " ".join(filter(None, (f"--map {given}", _roles_of(full[role]))))


def _roles_of(names: Sequence[str]) -> str | None:
    """The option that gives these names roles; None where nobody needs it."""
    try:
        speakers.other_side(names)
    except SpeakerError:
        return speakers.roles_example(names)
    return None


def _lists(value: Any, name: str | None, depth: int) -> Iterator[tuple[str | None, list[Mapping[str, Any]]]]:
    """The lists of objects in a value, each with its name."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        yield name, [one for one in value if isinstance(one, Mapping)]
        for part in value[:_MOST]:
            yield from _lists(part, name, depth + 1)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _lists(part, str(key), depth + 1)


def _texts(row: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, part in row.items():
        if isinstance(part, str) and part.strip():
            yield f"{prefix}{name}", part.strip()
        elif isinstance(part, Mapping) and depth < _DEEPEST:
            yield from _texts(part, f"{prefix}{name}.", depth + 1)


def _is_mark(name: str) -> bool:
    """Return whether a field names a conversation, its order, a time or a thing."""
    plain = name.rpartition(".")[2]
    return plain in (*KEYS, *ORDERS, *times.FIELDS, "id") or plain.casefold().endswith(
        ("_id", "date", "time")
    )


def _is_prose(texts: Sequence[str]) -> bool:
    """Return whether most texts begin with a letter, as no number and no time does."""
    first = [_SIGN.search(text) for text in texts]
    return sum(sign is not None and sign[0].isalpha() for sign in first) * 2 >= len(texts)


def _role(columns: Mapping[str, Sequence[str]]) -> str | None:
    """The field that says who speaks: one with names of roles, else one that is called so, else one that changes often."""
    found = {name: texts for name, texts in columns.items() if not _is_mark(name) and _are_names(texts)}
    return max(
        found,
        key=lambda name: (
            sum(speakers.speaker_by_words(text) is not None for text in {*found[name]}),
            name.rpartition(".")[2] in (*speakers.FIELDS, "name", "who"),
            sum(one != other for one, other in pairwise(found[name])),
        ),
        default=None,
    )


def _are_names(texts: Sequence[str]) -> bool:
    """Return whether these may be names of speakers: a few, or one with many others; no numbers, other than those of telephones."""
    names = {*texts}
    shared = max(texts.count(name) for name in names) * 3 >= len(texts)
    if len(names) == len(texts) and not any(map(speakers.speaker_by_words, names)):
        return False
    few = 2 <= len(names) <= _FEW_NAMES or (len(names) > _FEW_NAMES and shared)
    return few and all(
        len(name) <= _LONGEST_NAME and (name[0].isalpha() or name.startswith("+")) and name[-1] not in ".?!"
        for name in names
    )
