"""Conversations of a declared format: each turn as the messages that it holds, what no expression reads beside them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from itertools import cycle
from typing import Any

from ..entries import Entry, Fault, Json
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..model_calls.calls import Call, Step, read_traces
from ..model_calls.exchanges import said_in
from ..readers.rows import read_rows
from ..reading.tables import Row
from ..talk.labels import labels_in
from ..talk.leftovers import EMPTY, Leftovers
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.threads import read_chat
from ..talk.times import as_time, moment
from .declaration import Declaration, Fields
from .expressions import fields_needed, find, find_all, rest_of


class Format(Declaration):
    """A format: how it is recognised, how it is read, and what it looks like."""

    def claims(self, value: Any) -> bool:
        """Return whether one entry's value is in this format: a JSON value, a row, or a whole text."""
        if self.reader:
            return bool(_reader(self.reader).fits(value))
        if self.line:
            lines = value[:20_000].split("\n")[:20] if isinstance(value, str) else []
            written = [line for line in lines if line.strip()]
            return bool(written) and all(re.fullmatch(self.line, line) for line in written)
        try:
            needed = fields_needed(self.fits)
            may_fit = isinstance(value, list) or (
                isinstance(value, dict) and not (needed and needed.isdisjoint(value))
            )
            return may_fit and bool(find(self.fits, value))
        except UnreadableError:
            return False

    def read(self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        """The conversations of a file's entries. One that cannot be read whole is a fault, with advice on it."""
        if self.reader:
            yield from _reader(self.reader).read(entries, wanted, faults)
            return
        found: list[Fault] = []
        made = 0
        skipped = [_first_true(self.skipped, entry.value) for entry in entries]
        left = Counter(name for name in skipped if name is not None)
        given = [entry for entry, name in zip(entries, skipped, strict=True) if name is None]
        way = self._of_rows if self.rows else self._of_steps if self.step else self._of_entries
        for one in _counting(way(given, wanted, found), left):
            made += 1
            yield one
        if entries and not made and not found:
            found.append(Fault(entries[0].place, "no messages"))
        advice = f". {self.fix}" if self.fix else ""
        faults.extend(replace(fault, detail=fault.detail + advice) for fault in found)

    def _of_entries(
        self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]
    ) -> Iterator[Imported]:
        """Entries that hold whole conversations. What stands around these is counted with the first."""
        for entry in entries:
            listed: list[Any] = []
            around: Any = {}
            with refusing(entry.place, faults):
                listed, around = self._conversations(entry)
            for number, one in enumerate(listed):
                place = entry.place if len(listed) == 1 else f"{entry.place}[{number}]"
                beside = around if not number and isinstance(around, Mapping) else {}
                with refusing(place, faults):
                    yield self._conversation(place, one, beside, wanted)

    def _conversations(self, entry: Entry) -> tuple[list[Any], Any]:
        """The conversations of an entry, and what stands around them."""
        if isinstance(entry, Row) and entry.wrong:
            raise UnreadableError(entry.wrong)
        value = self._of_lines(entry.value) if self.line else entry.value
        given = find(self.conversations, value)
        whole = self.conversations == "@" and not self.line
        listed = [given] if whole or not isinstance(given, list) else given
        if not listed or listed == [None]:
            raise UnreadableError(f"{self.conversations} contains no conversation")
        return listed, rest_of(value, [self.conversations])

    def _of_lines(self, text: str) -> list[Json]:
        """The lines of a text as turns of conversations. Raises UnreadableError for a line of another form."""
        made: list[Json] = []
        ended = True
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            found = re.fullmatch(self.line, line.rstrip("\r"))
            if found is None:
                raise UnreadableError(f"line {number} has another form: {line[:60]!r}")
            row = {name: part for name, part in found.groupdict().items() if part is not None}
            name = row.pop("conversation", None)
            if ended or (name is not None and name != made[-1].get("id")):
                made.append({**({} if name is None else {"id": name}), "rows": []})
            made[-1]["rows"].append(row)
            ended = bool(self.ends and find(self.ends, row))
        return made

    def _conversation(self, place: str, value: Any, around: Mapping[str, Any], wanted: Wanted) -> Imported:
        leftovers = Leftovers()
        leftovers.count_unread(around, (), "file.")
        for name, text in self.beside.items():
            listed = find(text, value)
            leftovers.count(name, len(listed) if isinstance(listed, list) else 0)
        turns = find(self.turns, value)
        if not isinstance(turns, list):
            name = self.turns if self.turns.isidentifier() else "it"
            raise UnreadableError(f"{name} contains no messages")
        first = find(self.first, value) if self.first else None
        both = ("assistant", "user") if first == "assistant" else ("user", "assistant")
        roles = both if self.first else (None,)
        said = [
            message
            for at, (turn, role) in enumerate(zip(turns, cycle(roles), strict=False))
            for message in self._messages(turn, at, role, wanted, leftovers)
        ]
        own = rest_of(value, [self.turns, *self.beside.values(), *self.conversation.values()])
        found = find_all(self.conversation, value)
        made = {name: part for name, part in found.items() if part not in EMPTY}
        held = _beside(own, made)
        return read_chat(place, held, said, wanted, leftovers)

    def _messages(
        self, turn: Any, at: int, role: str | None, wanted: Wanted, leftovers: Leftovers
    ) -> list[Json]:
        """The messages of a turn, what else it says at the last of them."""
        skipped = _first_true(self.left, turn)
        if skipped is not None:
            leftovers.count(skipped)
            return []
        if not self.messages:
            return [turn]
        made = [self._message(fields, turn, role, wanted) for fields in self.messages]
        if len(made) > 1:
            made = [one for one in made if one.get("content") not in EMPTY or one.get("tool_calls")]
        if any(one.get("role") in EMPTY for one in made):
            raise UnreadableError(f"message {at} does not show who speaks")
        texts = [text for fields in self.messages for text in fields.values()]
        rest = rest_of(turn, texts) if isinstance(turn, Mapping) else None
        if made:
            made[-1] = _beside(rest, made[-1])
        else:
            leftovers.count_unread(rest or {}, (), "turns.")
        return made

    def _message(self, fields: Fields, turn: Any, role: str | None, wanted: Wanted) -> Json:
        made = {"role": role, **find_all(fields, turn)}
        if isinstance(made["role"], str | bool | int):
            name = str(made["role"]).strip()
            folded = name.casefold()
            ours = self.roles.get(name, self.roles.get(folded, name))
            made["role"] = wanted.roles[folded] if folded in wanted.roles else ours  # noqa: SIM401 - counts as used
        return {name: part for name, part in made.items() if part is not None or name == "content"}

    def _of_steps(self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        """Traces an entry each, or steps of them, brought together by their sessions."""
        made: list[Step] = []
        for entry in entries:
            with refusing(entry.place, faults):
                made += _steps(self, entry)
        yield from read_traces(made, wanted, faults)

    def _of_rows(self, entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        """Messages an entry each, brought together by their conversations."""
        skipped = Leftovers()
        rows: list[Entry] = []
        for entry in entries:
            with refusing(entry.place, faults):
                given = find(self.conversations, entry.value)
                skipped.count_unread(rest_of(entry.value, [self.conversations]) or {}, (), "file.")
                for value in given if isinstance(given, list) else [given]:
                    made = self._messages(value, len(rows), None, wanted, skipped)
                    rows += [replace(entry, value=one) for one in made]
            if faults:
                return
        yield from _counting(read_rows(rows, wanted, faults), skipped.left)


def _first_true(fields: Fields, value: Any) -> str | None:
    """The first name whose expression is true of a value; None where none is."""
    return next((name for name, when in fields.items() if find(when, value)), None)


@cache
def _reader(name: str) -> Any:
    module, _, held = name.partition(":")
    found = import_module(f"..readers.{module}", __package__)
    return getattr(found, held) if held else found


def _beside(rest: Any, made: Json) -> Json:
    """Return an object with the remaining fields, renamed if their names are taken."""
    others = rest.items() if isinstance(rest, Mapping) else ()
    given = {
        f"{name} (given)" if name in made else str(name): part
        for name, part in others
        if name not in made or made[name] != part
    }
    return {**given, **made}


def _counting(made: Iterable[Imported], left: "Counter[str]") -> Iterator[Imported]:
    """Yield what is made; what was left out before counts with the first."""
    for one in made:
        yield replace(one, left=Counter(one.left) + left)
        left.clear()


_KNOWN = ("id", "parent", "trace", "session", "start", "given", "came", "labels", "tool", "failed", "call")


def _steps(declaration: Declaration, entry: Entry) -> list[Step]:
    """The steps of one entry. What the trace says beside them goes with the first. Raises UnreadableError where there are none."""
    given = find(declaration.steps, entry.value)
    listed = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, Mapping)]
    if not listed or not isinstance(entry.value, Mapping):
        raise UnreadableError("no object")
    trace = find_all(declaration.trace, entry.value)
    rest = rest_of(entry.value, [declaration.steps, *declaration.trace.values()]) or {}
    made = []
    for at, value in enumerate(listed):
        both = {**trace, **find_all(declaration.step, value)}
        found = {name: part for name, part in both.items() if part is not None}
        own = {name: part for name, part in found.items() if name not in _KNOWN}
        place = f"{entry.place}[{at}]" if len(listed) > 1 else entry.place
        around = rest if not at else {}
        made.append(
            _step(place, found, {**around, **(rest_of(value, declaration.step.values()) or {}), **own})
        )
    return made


def _step(place: str, found: Json, rest: Mapping[str, Any]) -> Step:
    time = as_time(found.get("start"))
    left = Leftovers()
    tool = []
    if found.get("tool"):
        id_, failed = found.get("call") or found.get("id"), bool(found.get("failed"))
        call = tool_call(id_, str(found["tool"]), found.get("given"))
        tool = [call, tool_result(id_, found.get("came"), failed=failed)]
        left.count_unread(rest, (), "tools.")
    return Step(
        place,
        str(found.get("id") or place),
        str(found["parent"]) if found.get("parent") else None,
        str(found.get("trace") or found.get("id") or place),
        moment(time) or 0.0,
        str(found["session"]) if found.get("session") else None,
        tool,
        partial(_call, place, found, rest),
        time,
        left.left,
    )


def _call(place: str, found: Json, rest: Mapping[str, Any]) -> Call | None:
    """Return what a step says; nothing where it is a tool's."""
    if found.get("tool"):
        return None
    of_given, own = Leftovers(), Leftovers()
    given = said_in(found.get("given"), Speaker.USER, of_given)
    came = said_in(found.get("came"), Speaker.ASSISTANT, own)
    if not given and not came:
        return None
    if found.get("given") and not given:
        own.count("inputs without a message")
    labelled = {**rest, "labels": found.get("labels")}
    labels, read = labels_in(labelled)
    unread, metadata = not came and bool(found.get("came")), own.keep(labelled, read)
    return Call(place, given, came, of_given.left, own.left, unread, metadata=metadata, labels=labels)
