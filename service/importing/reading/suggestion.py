"""An example of `--map` and `--roles` from a file's own fields, for files in no known format."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any

from ..imported import SpeakerError
from ..readers.rows import KEYS, conversations_by
from ..talk import speakers, times
from ..talk.messages import TEXTS
from ..talk.threads import LISTS
from .mapping import option
from .transcripts import is_transcript

FORMS = (
    'Write each conversation on a line of its own as {"messages": [{"role": "user", "content": "Hi"}]}, or as text in which each '
    "message begins with a name and a colon: User: Hi. Where a row holds a question and its answer, name both: --map "
    "user=FIELD,assistant=FIELD"
)
"""The advice for a file in which nothing looks like messages."""
_LONGEST_NAME = 40
MOST_ROWS = 50
"""Objects that are looked at."""
_DEEPEST = 6
_MOST_TRIES = 20
"""Each try renames the objects that are looked at."""
_FEW_NAMES = 3
_USUAL = {"messages": LISTS, "role": speakers.FIELDS, "content": TEXTS}
"""Names that are read without an option."""
_SIGN = re.compile(r"\w")


def suggestion(values: Sequence[Any], is_read: Callable[[Mapping[str, str]], bool]) -> str | None:
    """Return options that read these values; None where nothing in them looks like messages.

    Args:
        values: The entries of a file, under its names.
        is_read: True of fields that make some of the values readable.
    """
    lists: dict[str | None, list[Mapping[str, Any]]] = {}
    places: dict[str | None, Sequence[str | None]] = {}
    for path, rows in _lists(values[:MOST_ROWS], (), 0):
        name = path[-1] if path else None
        lists.setdefault(name, []).extend(rows)
        places.setdefault(name, [name, ".".join(path)] if path else [None])
    longest = sorted(lists, key=lambda one: -len(lists[one]))
    tries = chain.from_iterable(_options(places[name], lists[name][:MOST_ROWS]) for name in longest)
    for fields, roles in islice(tries, _MOST_TRIES):
        if is_read(fields):
            return f"{option(fields)} {roles}" if roles else option(fields)
    return None


def _options(
    places: Sequence[str | None], rows: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, str], str | None]]:
    """Yield fields, and the option for roles, that may read messages in a list with one of these names, None for the entries
    themselves. Those without usual names come first."""
    columns: dict[str, list[str]] = {}
    for row in rows:
        for name, text in _texts(row, "", 0):
            columns.setdefault(name, []).append(text)
    full = {name: found for name, found in columns.items() if len(found) == len(rows)}
    content = _content(columns)
    role = _role(full, content)
    if content is None or role is None:
        if places == [None] and (pair := _exchange(full)) is not None:
            yield pair, None
        return
    conversation = None
    if places == [None] and not any(key in full for key in KEYS):
        others = {name: found for name, found in full.items() if name not in (role, content)}
        conversation = conversations_by(others, columns[role])
    roles = _roles_of(columns[role])
    for place in places:
        needed = {"messages": place, "conversation": conversation, "role": role, "content": content}
        fields = {ours: theirs for ours, theirs in needed.items() if theirs}
        yield {ours: theirs for ours, theirs in fields.items() if theirs not in _USUAL.get(ours, ())}, roles
        yield fields, roles


def _exchange(columns: Mapping[str, Sequence[str]]) -> Mapping[str, str] | None:
    """The question and its answer, where two fields of every row hold words; the question first, unless names say otherwise."""
    prose = [
        name
        for name in columns
        if name.count(".") < _DEEPEST // 2 and not _is_mark(name) and _is_prose(columns[name])
    ]
    if len(prose) != 2 or any(
        "\n" in text and is_transcript(text, {}) for name in prose for text in columns[name]
    ):
        return None
    by_bot = [
        speakers.Speaker.ASSISTANT in map(speakers.speaker_by_words, re.split(r"[\W_]", one)) for one in prose
    ]
    first, second = prose[::-1] if by_bot == [True, False] else prose
    return {"user": first, "assistant": second}


def _roles_of(names: Sequence[str]) -> str | None:
    """The option that gives these names roles; None where nobody needs it."""
    try:
        speakers.other_side(names)
    except SpeakerError:
        return speakers.roles_example(names)
    return None


def _lists(
    value: Any, path: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], list[Mapping[str, Any]]]]:
    """The lists of objects in a value, each with its path in the object of the list that holds it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        yield path, [one for one in value if isinstance(one, Mapping)]
        for part in value[:MOST_ROWS]:
            yield from _lists(part, path if isinstance(part, list) else (), depth + 1)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _lists(part, (*path, str(key)), depth + 1)


def _texts(row: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, part in row.items():
        if isinstance(part, str) and part.strip():
            yield f"{prefix}{name}", part.strip()
        elif isinstance(part, Mapping) and depth < _DEEPEST:
            yield from _texts(part, f"{prefix}{name}.", depth + 1)


def _is_mark(name: str) -> bool:
    """Return whether a field names a conversation, its order, a time or a thing."""
    plain = name.rpartition(".")[2]
    return plain in (*KEYS, *times.ORDERS, *times.FIELDS, "id") or plain.casefold().endswith(
        ("_id", "date", "time", "date_sent", "date_created")
    )


def _is_prose(texts: Sequence[str]) -> bool:
    """Return whether most texts begin with a letter, as no number and no time does, and one has words."""
    first = [_SIGN.search(text) for text in texts]
    words = any(" " in text or not text.isascii() for text in texts)
    return words and sum(sign is not None and sign[0].isalpha() for sign in first) * 2 >= len(texts)


def _content(columns: Mapping[str, Sequence[str]]) -> str | None:
    """Return the field with most words: what is said."""
    texts = [name for name in columns if not _is_mark(name) and _is_prose(columns[name])]
    return max(texts, key=lambda name: len(" ".join(columns[name]).split()), default=None)


def _role(columns: Mapping[str, Sequence[str]], content: str | None) -> str | None:
    """The field that says who speaks: one with names of roles, else one that is called so, else one that changes often."""
    found = {
        name: texts
        for name, texts in columns.items()
        if name != content and not _is_mark(name) and _are_names(texts)
    }
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
    names = {*texts} - {"message", "text"}  # kinds of messages
    if not names:
        return False
    shared = max(texts.count(name) for name in names) * 3 >= len(texts)
    if len(names) == len(texts) and not any(map(speakers.speaker_by_words, names)):
        return False
    few = 2 <= len(names) <= _FEW_NAMES or (len(names) > _FEW_NAMES and shared)
    return few and all(
        len(name) <= _LONGEST_NAME and (name[0].isalpha() or name.startswith("+")) and name[-1] not in ".?!"
        for name in names
    )
