"""An example of `--map` and `--roles` from a file's own fields, for files in no known format."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..talk.speakers import known

_LONGEST_NAME = 40
_MOST = 50
"""Objects that are looked at."""
_DEEPEST = 4


def suggestion(values: Sequence[Any]) -> str | None:
    """Options that may read these values; None where nothing in them looks like messages. The text is what is longest, the role
    what is short and has few values."""
    at, rows = max(_lists(values[:_MOST], None, 0), key=lambda found: len(found[1]), default=(None, []))
    columns: dict[str, list[str]] = {}
    for row in rows[:_MOST]:
        for name, text in _texts(row, "", 0):
            columns.setdefault(name, []).append(text)
    content = max(columns, key=lambda name: sum(map(len, columns[name])), default=None)
    role = min(
        (name for name in columns if name != content and _is_role(columns[name])),
        key=lambda name: len({*columns[name]}),
        default=None,
    )
    if content is None or role is None:
        return None
    names = list(dict.fromkeys(columns[role]))
    fields = [*([f"messages={at}"] if at else []), f"role={role}", f"content={content}"]
    roles = [
        f"{name}={('user', 'assistant')[number % 2]}" for number, name in enumerate(names) if not known(name)
    ]
    return f"--map {_quoted(','.join(fields))}" + (f" --roles {_quoted(','.join(roles))}" if roles else "")


def _lists(value: Any, name: str | None, depth: int) -> Iterator[tuple[str | None, list[Mapping[str, Any]]]]:
    """The lists of objects in a value, each with its name."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        yield name, [one for one in value if isinstance(one, Mapping)]
    parts = (
        value.items()
        if isinstance(value, Mapping)
        else ((name, one) for one in value[:_MOST])
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from _lists(part, None if key is None else str(key), depth + 1)


def _texts(row: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, part in row.items():
        if isinstance(part, str) and part.strip():
            yield f"{prefix}{name}", part.strip()
        elif isinstance(part, Mapping) and depth < _DEEPEST:
            yield from _texts(part, f"{prefix}{name}.", depth + 1)


def _is_role(texts: Sequence[str]) -> bool:
    """Return whether a field may say who speaks: at most three names for at least as many messages, none of them a number."""
    names = {*texts}
    few = 1 <= len(names) <= 3 and len(names) <= max(len(texts) - 1, 1)
    return few and all(len(name) <= _LONGEST_NAME and not name[:1].isdigit() for name in names)


def _quoted(text: str) -> str:
    return f"'{text}'" if any(sign in text for sign in " ();&|<>$*?") else text
