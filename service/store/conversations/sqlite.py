"""Open conversations of one process, in a file that the standard library's `sqlite3` keeps."""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ...errors import ConfigurationError
from .protocol import (
    DELETED,
    USERS,
    ClaimedConversation,
    Entry,
    Full,
    IncomingBatch,
    Level,
    OutboxEvent,
    Snapshot,
    Unreachable,
    belongs_to,
    conversation_of,
    deletion,
    letter,
    named,
    parsed,
    without,
)

OFTEN: Final = 0.05
"""Seconds between two looks for something new."""

AWAY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)

ADDED: Final = (("dead", "at"), ("shelves", "at"), ("conversations", "unfinished"), ("events", "unfinished"))
"""Columns that files of earlier versions lack."""

UNQUEUED: Final = "delete from queue where place = ?"
DELIVERED: Final = "delete from deliveries where output = ? and number = ?"


class SqliteConversations:
    """`settle`, `longest`, `reopen` and `lease` are in seconds, as in `RedisConversations`. The file belongs to this process:
    a second one that opens it is refused."""

    def __init__(
        self,
        file: Path,
        *,
        settle: float = 2.0,
        longest: float = 86_400.0,
        reopen: float = 86_400.0,
        lease: float = 600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._file = file
        self._settle, self._longest, self._reopen, self.lease = settle, longest, reopen, lease
        self._clock = clock
        self._outputs: Sequence[str] = ()
        self._token = 0
        try:
            self._db = sqlite3.connect(file, isolation_level=None, timeout=0, check_same_thread=False)
            self._db.create_function("without", 2, without, deterministic=True)
            self._db.create_function("belongs_to", 2, belongs_to, deterministic=True)
            self._db.executescript(resources.files(__package__).joinpath("tables.sql").read_text("utf-8"))
            for table, column in ADDED:
                if column not in {row[1] for row in self._db.execute(f"pragma table_info({table})")}:
                    self._db.execute(f"alter table {table} add column {column} real not null default 0")
        except sqlite3.Error as error:
            raise ConfigurationError(
                f"{file}: {error}; the file for open conversations must be writable, and used by only one process"
            ) from error

    async def prepare(self, outputs: Sequence[str]) -> None:
        self._outputs = tuple(outputs)
        with self._step():
            # what a process that died had claimed
            self._change("update conversations set due = 0, token = null where token is not null")
            # what waits for outputs that are no longer configured
            gone = "delete from deliveries where output not in (select value from json_each(?))"
            self._change(gone, json.dumps(self._outputs))

    async def put(self, contents: Sequence[bytes]) -> None:
        with self._step():
            self._db.executemany("insert into queue (content) values (?)", [(one,) for one in contents])

    async def waiting(self, most: int, patience: float) -> Sequence[Entry]:
        query = "select place, content from queue order by place limit ?"
        rows = await self._await_rows(patience, query, most)
        return [Entry(str(place), content) for place, content in rows]

    async def take(self, taken: Sequence[tuple[Entry, IncomingBatch]]) -> None:
        with self._step():
            for entry, sent in taken:
                if self._change(UNQUEUED, int(entry.place)):  # neither taken before nor deleted
                    self._take(sent)

    def _take(self, sent: IncomingBatch) -> None:
        """Add to a conversation; the steps are those of the script for Redis."""
        now, name = self._clock(), sent.conversation
        rows = self._rows(
            "select version, judged, complete, since, first, idle from conversations where name = ?", name
        )
        version, judged, complete, since, first, known = rows[0] if rows else (0, 0, 0, now, now, sent.usual)
        idle = known if sent.idle is None else sent.idle
        over = judged == version
        write = "insert into facts values (?1, ?2, ?3) on conflict do update set value = ?3 where value <> ?3"
        changed = sum(self._change(write, name, *fact) for fact in sent.facts.items())
        count = "select count(*), coalesce(max(number), -1) from messages where conversation = ?"
        [(before, last)] = self._rows(count, name)
        for number, (key, content) in enumerate(sent.messages.items(), last + 1):
            changed += self._change(  # one with an id that is edited, or streamed in parts, keeps its place
                "insert into messages values (?1, ?2, ?3, ?4) on conflict do update set content = ?4 "
                "where key glob 'id:*' and content <> ?4",
                *(name, key, number, content),
            )
        if sent.complete and not complete:
            complete = changed = 1
        elif not sent.complete and complete and over and self._rows(count, name)[0][0] > before:
            complete = 0
        if not changed:
            return
        since = now if over else since
        due = now + self._settle if complete else max(now, min(now + idle, since + self._longest))
        self._change(
            "insert into conversations (name, version, revision, attempts, complete, idle, first, since, last, due) "
            "values (?, 1, 0, 0, ?, ?, ?, ?, ?, ?) on conflict do update set version = version + 1, "
            "complete = excluded.complete, idle = excluded.idle, since = excluded.since, last = excluded.last, "
            "due = excluded.due, expires = null",
            *(name, complete, idle, first, since, now, due),
        )

    async def set_aside(self, entry: Entry, reason: str) -> None:
        with self._step():
            if self._change(UNQUEUED, int(entry.place)):
                self._bury("in", reason, conversation_of(parsed(entry.content)), entry.content)

    async def due(self, most: int) -> Sequence[ClaimedConversation]:
        now = self._clock()
        with self._step():
            for table in ("facts", "messages"):
                expired = "conversation in (select name from conversations where expires < ?)"
                self._change(f"delete from {table} where {expired}", now)  # noqa: S608
            forgotten = self._change("update conversations set expires = null where expires < ?", now)
            rows = self._rows("select name from conversations where due <= ? order by due limit ?", now, most)
            found = [self._claim(now, name) for (name,) in rows]
        if forgotten:
            self._empty_log()
        return found

    def _claim(self, now: float, name: str) -> ClaimedConversation:
        self._token += 1
        [row] = self._rows(
            "update conversations set token = ?, attempts = attempts + 1, due = ? where name = ? "
            "returning unfinished, token, version, revision + 1, attempts, complete, idle, first, last",
            *(self._token, now + self.lease, name),
        )
        unfinished, *rest = row
        return ClaimedConversation(*(name, *rest, now, *self._content(name), unfinished))

    def _content(self, name: str) -> tuple[dict[str, str], list[str]]:
        facts = self._rows("select name, value from facts where conversation = ?", name)
        messages = self._rows("select content from messages where conversation = ? order by number", name)
        return dict(facts), [content for (content,) in messages]

    async def record(self, due: ClaimedConversation, kind: str, content: bytes) -> bool:
        with self._step():
            if held := self._end_claim(due, due.revision, in_progress=due.in_progress):
                self._tell(kind, due.conversation, content, due.unfinished)
            return held

    async def renew(self, due: ClaimedConversation) -> None:
        with self._step():
            self._change(
                "update conversations set due = ? where name = ? and token = ? and version = ?",
                *(self._clock() + self.lease, due.conversation, due.token, due.version),
            )

    async def give_up(self, due: ClaimedConversation, reason: str) -> None:
        with self._step():
            if self._end_claim(due, due.revision - 1):
                post = letter(due.conversation, due.facts, due.messages)
                self._bury("judging", reason, due.conversation, post)

    async def drop(self, due: ClaimedConversation) -> None:
        with self._step():
            self._end_claim(due, due.revision - 1)

    def _end_claim(self, due: ClaimedConversation, revision: int, *, in_progress: bool = False) -> bool:
        """Note that a claim ended; False where it no longer holds."""
        now, name = self._clock(), due.conversation
        held = self._change(
            "update conversations set token = null, attempts = 0, judged = ?, revision = ?, since = ?, "
            "unfinished = unfinished + ? where name = ? and token = ?",
            *(due.version, revision, now, in_progress, name, due.token),
        )
        if held:
            times = (due.last + due.idle, None) if in_progress else (None, now + self._reopen)
            end = "update conversations set due = ?, expires = ? where name = ? and version = ?"
            self._change(end, *times, name, due.version)
        return bool(held)

    async def tell(self, kind: str, conversation: str, content: bytes) -> None:
        with self._step():
            self._tell(kind, conversation, content)

    def _tell(self, kind: str, conversation: str, content: bytes, unfinished: int = 0) -> None:
        event = "insert into events (kind, conversation, content, unfinished) values (?, ?, ?, ?) returning number"
        [(number,)] = self._rows(event, kind, conversation, content, unfinished)
        for output in self._outputs:
            self._change("insert into deliveries values (?, ?)", output, number)

    async def undelivered(self, output: str, most: int, patience: float) -> Sequence[OutboxEvent]:
        query = (
            "select number, kind, conversation, content, unfinished from deliveries join events using (number) "
            "where output = ? order by number limit ?"
        )
        rows = await self._await_rows(patience, query, output, most)
        return [OutboxEvent(str(number), number, *rest) for number, *rest in rows]

    async def delivered(self, output: str, events: Sequence[OutboxEvent]) -> None:
        with self._step():
            for one in events:
                self._change(DELIVERED, output, one.number)

    async def bury(self, output: str, event: OutboxEvent, reason: str) -> None:
        with self._step():
            # Its conversation may have been deleted while the output had it.
            if self._rows("select 1 from events where number = ?", event.number):
                self._bury(output, reason, event.conversation, event.content)
            self._change(DELIVERED, output, event.number)

    def _bury(self, source: str, reason: str, conversation: str, content: bytes) -> None:
        values = (source, reason, conversation, content, self._clock())
        self._change("insert into dead values (?, ?, ?, ?, ?)", *values)

    async def forget(self, conversation: str) -> None:
        with self._step():
            for change in (
                "delete from conversations where name = ?1",
                "delete from shelves where name = ?1",
                "update shelves set head = without(head, ?1) where without(head, ?1) is not null",
                "update events set content = without(content, ?1) where without(content, ?1) is not null",
                "update dead set content = without(content, ?1) where without(content, ?1) is not null",
                "delete from queue where belongs_to(content, ?1)",
                "delete from events where conversation = ?1",
                "delete from dead where conversation = ?1 or conversation = '' and belongs_to(content, ?1)",
            ):
                self._change(change, conversation)
            self._tell(DELETED, conversation, deletion(conversation))
        self._empty_log()

    async def find(self, users: Collection[str]) -> Sequence[dict[str, Any]]:
        query = "select distinct conversation from facts where name in (select value from json_each(?))"
        names = self._rows(query, json.dumps(list(filter(USERS.fullmatch, users))))
        contents = [letter(name, *self._content(name)) for (name,) in names]
        for table in ("queue", "events", "dead", "shelves"):
            contents += [row for (row,) in self._rows(f"select content from {table}")]  # noqa: S608
        return [one for content in contents if (one := named(content, users))]

    async def expire(self, before: float) -> None:
        with self._step():
            for table in ("dead", "shelves"):
                self._change(f"delete from {table} where at < ?", before)  # noqa: S608
            silent = "last < ? and due is null and expires is null"
            self._change(f"delete from conversations where {silent}", before)  # noqa: S608
        self._empty_log()

    def _empty_log(self) -> None:
        """Bring the write-ahead log into the file and truncate it: it holds what was deleted."""
        self._db.execute("pragma wal_checkpoint(truncate)").fetchall()

    async def remaining(self, conversations: Sequence[str]) -> int:
        query = "select count(*) from conversations where due is not null and name in (select value from json_each(?))"
        return int(self._rows(query, json.dumps(list(conversations)))[0][0])

    async def load(self, name: str) -> bytes | None:
        return self._value("select value from kept where name = ?", name)

    async def save(self, name: str, value: bytes, before: bytes | None) -> bool:
        with self._step():
            change = (
                "insert into kept select ?1, ?2 where ?3 is null or exists (select 1 from kept where name = ?1) "
                "on conflict do update set value = ?2 where value = ?3"
            )
            return bool(self._change(change, name, value, before))

    async def shelve(self, shelf: str, rows: Sequence[Snapshot], most: int) -> None:
        with self._step():
            for one in rows:
                self._change(
                    "insert into shelves select ?1, ?2, ?3, ?4, ?5, ?6 where exists (select 1 from events where number = ?3) "
                    "on conflict do update set number = ?3, head = ?4, content = ?5, at = ?6 where ?3 >= number",
                    *(shelf, one.name, one.number, one.head, one.content, self._clock()),
                )
            self._change(
                "delete from shelves where shelf = ?1 and number <= "
                "(select number from shelves where shelf = ?1 order by number desc limit 1 offset ?2)",
                *(shelf, most),
            )

    async def shelf(self, shelf: str) -> Sequence[bytes]:
        rows = self._rows("select head from shelves where shelf = ? order by number desc", shelf)
        return [head for (head,) in rows]

    async def shelved(self, shelf: str, name: str) -> bytes | None:
        return self._value("select content from shelves where shelf = ? and name = ?", shelf, name)

    async def level(self) -> Level:
        query = (
            "select (select count(*) from conversations where due is not null), count(*), (select count(*) from queue), "
            "(select count(*) from events), (select count(*) from dead), coalesce(?1 - min(due), 0.0) "
            "from conversations where due <= ?1"
        )
        return Level(*self._rows(query, self._clock())[0])

    async def aclose(self) -> None:
        self._db.close()

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._db.execute(query, values).fetchall()

    def _value(self, query: str, *values: object) -> bytes | None:
        return next((value for (value,) in self._rows(query, *values)), None)

    def _change(self, change: str, *values: object) -> int:
        """Return how many rows a change touched."""
        return self._db.execute(change, values).rowcount

    @contextlib.contextmanager
    def _step(self) -> Iterator[None]:
        """Commit all steps within, or none. Raises Unreachable, or Full if the disk is full."""
        try:
            with self._db:
                self._db.execute("begin immediate")
                yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise Full("the disk is full") from error
            if error.sqlite_errorcode & 0xFF in AWAY:
                raise Unreachable(error.sqlite_errorname) from error
            raise

    async def _await_rows(self, patience: float, query: str, *values: object) -> list[Any]:
        until = time.monotonic() + patience
        while True:
            rows = self._rows(query, *values)
            if rows or time.monotonic() >= until:
                return rows
            await asyncio.sleep(OFTEN)
