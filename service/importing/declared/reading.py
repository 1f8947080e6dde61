"""Conversations of a declared format: each turn as the messages that it holds, what no expression reads beside them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import cycle
from typing import Any

from ..entries import Entry, Fault, Json
from ..format import Line, refusing
from ..imported import Imported, UnreadableError, Wanted
from ..model_calls.traces import Step, read_traces
from ..reading.tables import Row
from ..rows import read_rows
from ..talk.leftovers import Leftovers
from ..talk.messages import read_messages
from ..talk.threads import thread
from .declaration import Declaration, Fields
from .expressions import expression, rest_of
from .samples import sample
from .steps import steps

_NOTHING: tuple[Any, ...] = (None, "", [], {})


class Format(Declaration):
    """A format: how it is recognised, how it is read, and what it looks like."""

    def claims(self, value: Any) -> bool:
        """Return whether one entry's value is in this format: a JSON value, a row, or a whole text."""
        if self.reader:
            return bool(_reader(self.reader).fits(value))
        if self.line:
            return isinstance(value, str) and _are_lines(value, self.line)
        try:
            return isinstance(value, dict | list) and bool(expression(self.fits)(value))
        except UnreadableError:
            return False

    def read(self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        """The conversations of a file's entries. One that cannot be read whole is a fault, with advice on it."""
        if self.reader:
            yield from _reader(self.reader).read(entries, wanted, faults)
            return
        found: list[Fault] = []
        made = 0
        for one in _read(self, entries, wanted, found):
            made += 1
            yield one
        if entries and not made and not found:
            found.append(Fault(entries[0].place, "no messages"))
        faults.extend(
            replace(fault, detail=". ".join(filter(None, (fault.detail, self.fix)))) for fault in found
        )

    def sample(self, said: Sequence[Line]) -> str:
        """A file of our own making in this format that says these lines."""
        return sample(self.template, said)


@cache
def _reader(name: str) -> Any:
    module, _, held = name.partition(":")
    found = import_module(f"..readers.{module}", __package__)
    return getattr(found, held) if held else found


def _are_lines(text: str, pattern: str) -> bool:
    """Return whether the first lines of a text match a pattern."""
    lines = [line for line in text[:20_000].split("\n")[:20] if line.strip()]
    return bool(lines) and all(re.fullmatch(pattern, line) for line in lines)


def _read(
    declaration: Declaration, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]
) -> Iterator[Imported]:
    if declaration.rows:
        yield from _of_rows(declaration, entries, wanted, faults)
    elif declaration.step:
        yield from _of_steps(declaration, entries, wanted, faults)
    else:
        for entry in entries:
            with refusing(entry.place, faults):
                yield from _of_entry(declaration, entry, wanted, faults)


def _of_entry(
    declaration: Declaration, entry: Entry, wanted: Wanted, faults: list[Fault]
) -> Iterator[Imported]:
    """The conversations of an entry. What stands around them is counted with the first."""
    if isinstance(entry, Row) and entry.wrong:
        raise UnreadableError(entry.wrong)
    value = _of_lines(declaration, entry.value) if declaration.line else entry.value
    given = expression(declaration.conversations)(value)
    whole = declaration.conversations == "@" and not declaration.line
    listed = [given] if whole or not isinstance(given, list) else given
    around = rest_of(value, [declaration.conversations])
    if not listed or listed == [None]:
        faults.append(Fault(entry.place, f"{declaration.conversations} holds no conversation"))
    for number, one in enumerate(listed):
        place = entry.place if len(listed) == 1 else f"{entry.place}[{number}]"
        beside = around if not number and isinstance(around, Mapping) else {}
        with refusing(place, faults):
            yield _conversation(declaration, place, one, beside, wanted)


def _of_lines(declaration: Declaration, text: str) -> list[Json]:
    """The lines of a text as turns of conversations. Raises UnreadableError for a line of another form."""
    made: list[Json] = []
    ended = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        found = re.fullmatch(declaration.line, line.rstrip("\r"))
        if found is None:
            raise UnreadableError(f"line {number} has another form: {line[:60]!r}")
        row = {name: part for name, part in found.groupdict().items() if part is not None}
        name = row.pop("conversation", None)
        if ended or (name is not None and name != made[-1].get("id")):
            made.append({**({} if name is None else {"id": name}), "rows": []})
        made[-1]["rows"].append(row)
        ended = bool(declaration.ends and expression(declaration.ends)(row))
    return made


def _conversation(
    declaration: Declaration, place: str, value: Any, around: Mapping[str, Any], wanted: Wanted
) -> Imported:
    leftovers = Leftovers()
    leftovers.count_unread(around, (), "file.")
    if declaration.needs and not expression(declaration.needs)(value):
        raise UnreadableError(f"{declaration.needs} holds nothing")
    for name, text in declaration.beside.items():
        listed = expression(text)(value)
        leftovers.count(name, len(listed) if isinstance(listed, list) else 0)
    turns = expression(declaration.turns)(value)
    if not isinstance(turns, list):
        raise UnreadableError(f"{declaration.turns} holds no messages")
    speakers = cycle(_taking_turns(declaration, value))
    said = [
        message
        for at, turn in enumerate(turns)
        for message in _messages(declaration, turn, at, next(speakers), leftovers)
    ]
    own = rest_of(
        value, [declaration.turns, *declaration.beside.values(), *declaration.conversation.values()]
    )
    held = _with(own if isinstance(own, Mapping) else {}, declaration.conversation, value)
    leftovers.left = +leftovers.left
    return thread(place, held, read_messages(said, leftovers), leftovers, ()).imported(wanted, leftovers)


def _taking_turns(declaration: Declaration, value: Any) -> Sequence[str | None]:
    if not declaration.first:
        return [None]
    first = expression(declaration.first)(value)
    return ["assistant", "user"] if first == "assistant" else ["user", "assistant"]


def _messages(
    declaration: Declaration, turn: Any, at: int, role: str | None, leftovers: Leftovers
) -> list[Json]:
    """The messages of a turn, what else it says at the last of them."""
    skipped = _skipped(declaration, turn)
    if skipped is not None:
        leftovers.count(skipped)
        return []
    if not declaration.messages:
        return [turn]
    made = [_message(declaration, fields, turn, role) for fields in declaration.messages]
    if len(made) > 1:
        made = [one for one in made if one.get("content") not in _NOTHING or one.get("tool_calls")]
    if any(one.get("role") in _NOTHING for one in made):
        raise UnreadableError(f"message {at} does not say who speaks")
    texts = [text for fields in declaration.messages for text in fields.values()]
    rest = rest_of(turn, [*texts, *declaration.left.values()]) if isinstance(turn, Mapping) else {}
    rest = rest or {}
    if made:
        made[-1] = {**_beside(rest, made[-1]), **made[-1]}
    elif rest:
        leftovers.count_unread(rest, (), "turns.")
    return made


def _message(declaration: Declaration, fields: Fields, turn: Any, role: str | None) -> Json:
    made = {name: expression(text)(turn) for name, text in fields.items()}
    made.setdefault("role", role)
    if isinstance(made["role"], str | bool | int):
        name = str(made["role"]).strip()
        made["role"] = declaration.roles.get(name, declaration.roles.get(name.casefold(), name))
    return {name: part for name, part in made.items() if part is not None or name == "content"}


def _with(rest: Mapping[str, Any], fields: Fields, value: Any) -> Json:
    """An object with the fields that expressions find in a value, beside what else it says."""
    found = {name: expression(text)(value) for name, text in fields.items()}
    made = {name: part for name, part in found.items() if part not in _NOTHING}
    return {**_beside(rest, made), **made}


def _beside(rest: Mapping[str, Any], made: Mapping[str, Any]) -> Json:
    """Return what else is said, under other names where ours are taken."""
    return {
        f"{name} (given)" if name in made else str(name): part
        for name, part in rest.items()
        if name not in made or made[name] != part
    }


def _of_steps(
    declaration: Declaration, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]
) -> Iterator[Imported]:
    """Traces an entry each, or steps of them, brought together by their sessions."""
    named = [_skipped(declaration, entry.value) for entry in entries]
    left = Counter(name for name in named if name is not None)
    read = [entry for entry, name in zip(entries, named, strict=True) if name is None]
    made: list[Step] = []
    for entry in read:
        known = len(faults) + len(made)
        with refusing(entry.place, faults):
            made += steps(declaration, entry) if isinstance(entry.value, Mapping) else ()
        if len(faults) + len(made) == known:
            faults.append(Fault(entry.place, "no object"))
    yield from _counting(read_traces(made, wanted, faults), left)


def _counting(made: Iterable[Imported], left: "Counter[str]") -> Iterator[Imported]:
    """Yield what is made; what was left out before counts with the first."""
    for one in made:
        yield replace(one, left=Counter(one.left) + left)
        left.clear()


def _skipped(declaration: Declaration, turn: Any) -> str | None:
    """The name of what a turn is that is no message; None for a message."""
    return next((name for name, when in declaration.left.items() if expression(when)(turn)), None)


def _of_rows(
    declaration: Declaration, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]
) -> Iterator[Imported]:
    """Messages an entry each, brought together by their conversations."""
    skipped = Leftovers()
    rows: list[Entry] = []
    for entry in entries:
        try:
            given = expression(declaration.conversations)(entry.value)
            around = rest_of(entry.value, [declaration.conversations])
            skipped.count_unread(around or {}, (), "file.")
            for value in given if isinstance(given, list) else [given]:
                made = _messages(declaration, value, len(rows), None, skipped)
                rows += [replace(entry, value=one) for one in made]
        except UnreadableError as error:
            faults.append(Fault(entry.place, str(error)))
            return
    yield from _counting(read_rows(rows, wanted, faults), skipped.left)
